import { factsOf, type PageFacts } from '../../../shared/web/client/facts.ts';

/** What the server writes into the reference. */
export type DocsFacts = PageFacts & {
  /** Purposes of the modules by name. */
  modules: Partial<Record<string, string>>;
};

export const facts = factsOf<DocsFacts>();
