import { factsOf, type PageFacts } from '../../../shared/web/client/facts.ts';

export type SiteName = { id: string; uri: string; name: string };

/** What the server writes into the page of the user. */
export type HomeFacts = PageFacts & { sites: SiteName[] };

export const facts = factsOf<HomeFacts>();
