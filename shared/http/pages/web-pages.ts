import type { Language } from '../../messages/languages.ts';

/** Names of the files of a page that is built from browser code. They contain digests, so the files never change. */
export type WebPage = {
  script: string;
  style: string;
  /** Scripts that the first script needs. */
  first: string[];
  /** Scripts that the page loads when it needs them. */
  later: string[];
  texts: Record<Language, string>;
};

export type WebPages = Record<string, WebPage>;

/** The asset with the files of all pages: `WebPages` as JSON. */
export const webPagesName = 'web-pages.json';
