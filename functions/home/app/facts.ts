import type { AccountFacts } from '../../../shared/web/account/facts.ts';
import { factsOf } from '../../../shared/web/client/facts.ts';

export type SiteName = { id: string; uri: string; name: string };

/** What the server writes into the page of the user. */
export type HomeFacts = AccountFacts & {
  /** Digest of the names of the files of the page. */
  build: string;
  sites: SiteName[];
  /** Web addresses of client programs by operating system; empty if the administrator set none. */
  downloads: Partial<Record<string, string>>;
};

export const facts = factsOf<HomeFacts>();
