import { facts } from '../facts.ts';
import { allowed, type Verb } from '../records/kinds.ts';

const limited = new Set(facts.limited.flatMap(({ permissions }) => permissions));

/** The verb, if the user may use it. The gallery belongs to all sites, so rights for some of them change nothing in it. */
export const allowedEverywhere = (verb: Verb | undefined): Verb | undefined =>
  verb?.permissions.some((permission) => limited.has(permission)) ? undefined : allowed(verb);
