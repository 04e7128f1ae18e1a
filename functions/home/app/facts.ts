import { factsOf, type PageFacts } from '../../../shared/web/client/facts.ts';

export type SiteName = { id: string; uri: string; name: string };

/** What the server writes into the page of the user. */
export type HomeFacts = PageFacts & {
  /** Digest of the names of the files of the page. */
  build: string;
  sites: SiteName[];
  /** True if the installation allows users to create service tokens. */
  own_tokens: boolean;
  /** Web addresses of client programs by operating system; empty if the administrator set none. */
  downloads: Partial<Record<string, string>>;
};

export const facts = factsOf<HomeFacts>();
