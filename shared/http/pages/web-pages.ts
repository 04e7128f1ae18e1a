import type { Language } from '../../messages/languages.ts';

/**
 * Pages that are built from browser code: the folder of the code, and the address of the built files. A page that can be
 * installed has the service worker and the script for the time without the portal in the folder `offline` of its code.
 */
export const webPages: Readonly<Record<WebPageName, WebPageSource>> = {
  console: {
    code: 'functions/console/app',
    files: '/console/files',
    hasRecords: true,
    hasAreas: true,
    hasAccount: true,
  },
  docs: { code: 'functions/discover/app', files: '/api/docs/files' },
  home: { code: 'functions/home/app', files: '/home/files', hasAccount: true, isInstallable: true },
  signin: { code: 'functions/auth/app', files: '/signin/files' },
};

type WebPageSource = {
  code: string;
  files: `/${string}`;
  isInstallable?: true;
  /** The page lists and edits records: it is built with the catalogue of their kinds. */
  hasRecords?: true;
  /** The texts of its areas are in the folder of `shared/messages` with the name of the page. */
  hasAreas?: true;
  /** The page has the account of the user: it is built with the texts of the account. */
  hasAccount?: true;
};

export const webPageNames = ['console', 'docs', 'home', 'signin'] as const;
export type WebPageName = (typeof webPageNames)[number];

/** Names of the files of a page that is built from browser code. They contain digests, so the files never change. */
export type WebPage = {
  script: string;
  style: string;
  /** Scripts that the first script needs. */
  first: string[];
  /** Scripts that the page loads when it needs them. */
  later: string[];
  texts: Record<Language, string>;
  /** Modules with the catalogue of the record kinds. Absent if the page needs none. */
  records?: Record<Language, string>;
  /** Absent if the page cannot be installed. */
  offline?: OfflineFiles;
};

/** What an installed page has for the time when the portal does not answer. */
export type OfflineFiles = {
  /** Digest of the names of all files of the build. */
  build: string;
  /** The service worker. It contains the names of the files, so it changes with each build. */
  worker: string;
  script: string;
  style: string;
};

/** All files of a page that browsers load by their names. */
export const filesOf = ({ script, style, first, later, texts, records, offline }: WebPage): string[] => [
  ...[script, style, ...first, ...later, ...Object.values(texts), ...Object.values(records ?? {})],
  ...(offline ? [offline.script, offline.style] : []),
];

export type WebPages = Record<WebPageName, WebPage>;

/** The asset with the files of all pages: `WebPages` as JSON. */
export const webPagesName = 'web-pages.json';
