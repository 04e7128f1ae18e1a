import { accentsOf, type Branding } from './branding.ts';

/** The look of the frame of `shared/web`, without files: also modules without assets return messages. */
const frame = `
:root{color-scheme:light dark;--ground:light-dark(#f5f6f8,#101318);--card:light-dark(#fff,#191d24);--text:light-dark(#1b2230,#e8ebf0);
--quiet:light-dark(#566072,#a3adbd);--line:light-dark(#dde1e8,#303743);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
*{box-sizing:border-box}
body{display:grid;grid-template-rows:auto 1fr auto;min-height:100dvh;margin:0;background:var(--ground);color:var(--text);overflow-wrap:anywhere}
header{display:flex;align-items:center;justify-content:space-between;gap:1rem;min-height:3.75rem;padding:.6rem clamp(1rem,3vw,2rem);
border-bottom:1px solid var(--line);background:var(--card)}
.brand{display:inline-flex;align-items:center;gap:.75rem;min-width:0;color:inherit;font-weight:650;text-decoration:none}
.brand img{max-width:8rem;max-height:2rem}
main{align-self:center;justify-self:center;width:min(42rem,100%);padding:2rem clamp(1rem,3vw,2rem)}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25;letter-spacing:-.015em}
p{margin:.5rem 0}
a{color:var(--accent-text);text-underline-offset:.2em}
:focus-visible{outline:3px solid var(--accent-text);outline-offset:2px}
.actions{display:flex;flex-wrap:wrap;gap:.6rem;margin:1.5rem 0}
.actions :is(a,button){display:inline-flex;align-items:center;min-height:2.75rem;padding:.5rem 1.25rem;border:1px solid var(--line);border-radius:.6rem;
background:var(--card);color:var(--text);font:inherit;font-weight:500;text-decoration:none;cursor:pointer}
.actions :first-child{border-color:transparent;background:var(--accent);color:var(--on-accent);font-weight:600}
.facts,footer{color:var(--quiet);font-size:.875rem}
code{font:.95em ui-monospace,"Cascadia Mono",Menlo,monospace}
dl{display:grid;gap:1rem;margin:1.25rem 0;padding:1.25rem 1.5rem;border:1px solid var(--line);border-radius:1rem;background:var(--card)}
dt{color:var(--quiet);font-size:.875rem;font-weight:600}
dd{margin:0}
label{display:block;font-weight:600}
input{width:min(16rem,100%);min-height:2.75rem;margin-top:.35rem;padding:.5rem .75rem;border:1px solid var(--quiet);border-radius:.6rem;
background:var(--card);color:var(--text);font:1.25rem ui-monospace,"Cascadia Mono",Menlo,monospace;letter-spacing:.08em}
.wrong{color:light-dark(#b3261e,#ffb4ab);font-weight:600}
footer{padding:1rem;text-align:center;white-space:pre-line}
footer a{margin-inline:.6rem}`;

export const styleOf = (branding: Branding): string => {
  const { on_primary, primary_on_light, primary_on_dark } = accentsOf(branding);
  return `:root{--accent:${branding.primary_color};--on-accent:${on_primary};--accent-text:light-dark(${primary_on_light},${primary_on_dark})}${frame}`;
};

/** Applies the colours that the user has chosen for the pages of this portal, if the browser stores them. */
export const schemeScript =
  "try{const s=localStorage.getItem('scheme');if(s==='light'||s==='dark')document.documentElement.style.colorScheme=s}catch{/* The scheme of the system applies. */}";
