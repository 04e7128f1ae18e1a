import type { Language } from '../../messages/languages.ts';

/** What the server writes into every page. */
export type PublicPageFacts = {
  language: Language;
  site_name: string;
  logo: string;
  support_link: string;
  footer_text: string;
  copyright: string;
  copyright_link: string;
};

/** What the server writes into a page of a signed-in user. */
export type PageFacts = PublicPageFacts & {
  user: { id: string; login: string; name: string; portal: 'admin' | 'user' };
  /** Paths that the page requests before its scripts are loaded. */
  first: string[];
};

/** @returns the facts of this page */
export const factsOf = <F extends PublicPageFacts>(): F =>
  JSON.parse(document.getElementById('facts')?.textContent ?? '{}');
