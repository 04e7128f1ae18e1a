/** Characters that may stand for themselves in a value of a distinguished name only behind a backslash (RFC 4514). */
const special = /[,+"\\<>;=#]/g;

/**
 * The spellings in which a distinguished name may be stored: as the directory gives it, with each escaped character
 * behind a backslash, and in hexadecimal; each in the form that the column is compared in.
 */
export function dnKeys(dn: string): string[] {
  const plain = dn.replace(/(?:\\[0-9a-f]{2})+/gi, (run) => decoded(run).replace(special, '\\$&'));
  const hexadecimal = plain.replace(/\\([,+"\\<>;=# ])/g, (_, char: string) => `\\${hexOf(char)}`);
  return [...new Set([dn, plain, hexadecimal].map(compared))];
}

/** Whether two spellings are of one distinguished name. */
export function isSameDn(one: string, other: string): boolean {
  const keys = dnKeys(one);
  return dnKeys(other).some((key) => keys.includes(key));
}

/** As the repository writes it in SQL: letters of ASCII in lower case, no spaces around separators. */
const compared = (dn: string): string =>
  dn
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replace(/ *([,=+]) */g, '$1')
    .trim();

const decoded = (run: string): string =>
  new TextDecoder().decode(Uint8Array.from(run.split('\\').slice(1), (pair) => Number.parseInt(pair, 16)));

const hexOf = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, '0');
