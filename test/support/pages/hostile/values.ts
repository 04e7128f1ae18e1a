/** Tells the watch of the page that it ran. */
const script = 'alert(globalThis.hasRun=1)';

/** Texts that run a script, or load something, if a page takes them for more than a text. Markup has the attribute `hostile`. */
export const hostileTexts = [
  `<img hostile src=x onerror="${script}">`,
  `"><svg hostile onload=${script}>`,
  `' autofocus hostile onfocus='${script}`,
  `</script><script hostile>${script}</script>`,
  `</title></textarea><b hostile onclick="${script}">`,
  `javascript:${script}//`,
  `<a hostile href="javascript:${script}">x</a>`,
  `<iframe hostile srcdoc="<script>${script}</script>">`,
  '<img hostile src="https://canary.example.net/seen">',
  `{{constructor.constructor('${script}')()}}`,
  `\${${script}}`,
  `data:text/html,<b hostile><script>${script}</script>`,
  'w'.repeat(64),
] as const;

/** Names of directories and providers can have code points that the portal refuses in names of its own. */
export const hostileNames = ['\u202egnp.exe', 'ad\u200bmin', '\u0430dmin'] as const;

let made = 0;

/** The next hostile text, and a number that makes it unique. */
export function hostile(longest = 128): string {
  made += 1;
  const text = hostileTexts[made % hostileTexts.length] ?? '';
  return `${text} ${made}`.length <= longest ? `${text} ${made}` : `<b hostile onclick=1>${made}`;
}
