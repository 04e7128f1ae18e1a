import type { Language } from '../../messages/languages.ts';

/** Pages that are built from browser code: the folder of the code, and the address of the built files. */
export const webPages = {
  signin: { code: 'functions/auth/app', files: '/signin/files' },
  home: { code: 'functions/home/app', files: '/home/files' },
} as const satisfies Record<string, { code: string; files: `/${string}` }>;

export type WebPageName = keyof typeof webPages;
export const webPageNames = Object.keys(webPages) as WebPageName[];

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

export type WebPages = Record<WebPageName, WebPage>;

/** The asset with the files of all pages: `WebPages` as JSON. */
export const webPagesName = 'web-pages.json';
