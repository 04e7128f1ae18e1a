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
  document.documentElement.style.colorScheme = scheme === 'system' ? '' : scheme;
  try {
    localStorage.setItem('scheme', scheme);
  } catch {
    // The choice then holds for this page only.
  }
}
