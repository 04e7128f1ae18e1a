import type { AccountFacts } from '../../../shared/web/account/facts.ts';
import { factsOf } from '../../../shared/web/client/facts.ts';

/** What the server writes into the console. */
export type ConsoleFacts = AccountFacts & {
  /** The portal also has the pages of users. */
  has_home: boolean;
  /** Of the roles of the user, in any scope that suffices for their operations. */
  permissions: string[];
  /** Those of them that the user does not have in all sites, with their sites. */
  limited: { permissions: string[]; sites: string[] }[];
  /** Address of the module with the catalogue of the record kinds. */
  records: string;
};

export const facts = factsOf<ConsoleFacts>();

const held = new Set(facts.permissions);

/** True if the user has all of these permissions, in some scope. The portal checks the scope of each request. */
export const may = (permissions: readonly string[] = []): boolean =>
  permissions.every((permission) => held.has(permission));

const limited = new Set(facts.limited.flatMap(({ permissions }) => permissions));

/** True if the user has all of these permissions in all sites. */
export const mayEverywhere = (permissions: readonly string[] = []): boolean =>
  permissions.every((permission) => held.has(permission) && !limited.has(permission));
