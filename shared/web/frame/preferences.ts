/** Colour schemes that a user can choose. They are a setting of the browser, not of the account. */
export const schemes = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

const isScheme = (text: string | null): text is Scheme => schemes.some((scheme) => scheme === text);

/** The chosen scheme; `system` if the browser stores nothing for this page. */
export function currentScheme(): Scheme {
  try {
    const stored = localStorage.getItem('scheme');
    return isScheme(stored) ? stored : 'system';
  } catch {
    return 'system';
  }
}

/** Applies a scheme at once, and stores it for later pages if the browser can. */
export function chooseScheme(scheme: Scheme): void {
  applyScheme(scheme);
  try {
    localStorage.setItem('scheme', scheme);
  } catch {
    // The choice then holds for this page only.
  }
}

/** Shows the page, and the colour of the browser around it, in a scheme. */
export function applyScheme(scheme: Scheme): void {
  document.documentElement.style.colorScheme = scheme === 'system' ? '' : scheme;
  for (const color of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    const own = color.dataset.scheme ?? '';
    const chosen = own === scheme ? 'all' : 'not all';
    color.media = scheme === 'system' ? `(prefers-color-scheme: ${own})` : chosen;
  }
}
