import { factsOf, type PageFacts } from '../client/facts.ts';

/** What the server writes into a page with the account. */
export type AccountFacts = PageFacts & {
  /** True if the installation allows users to create service tokens. */
  own_tokens: boolean;
};

export const facts = factsOf<AccountFacts>();
