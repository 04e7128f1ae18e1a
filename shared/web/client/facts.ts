import type { Language } from '../../messages/languages.ts';

/** What the server writes into a page. */
export type PageFacts = {
  language: Language;
  site_name: string;
  logo: string;
  support_link: string;
  footer_text: string;
  copyright: string;
  copyright_link: string;
  user: { login: string; name: string; portal: 'admin' | 'user' };
  /** Paths that the page requests before its scripts are loaded. */
  first: string[];
};

/** @returns the facts of this page */
export const factsOf = <F extends PageFacts>(): F =>
  JSON.parse(document.getElementById('facts')?.textContent ?? '{}');
