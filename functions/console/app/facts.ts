import { factsOf, type PageFacts } from '../../../shared/web/client/facts.ts';

/** What the server writes into the console. */
export type ConsoleFacts = PageFacts & {
  /** The portal also has the pages of users. */
  has_home: boolean;
};

export const facts = factsOf<ConsoleFacts>();
