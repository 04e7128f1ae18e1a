import type { Db, Statement } from '../../../db/client.ts';
import {
  type GroupKeys,
  type RegisteredGroup,
  setMemberships,
} from '../../../db/repositories/identity/directory/accounts.ts';
import { foldName } from '../../kernel/text.ts';
import { normalDn } from '../domains/directory/entries/names.ts';

/** Other texts with an equals sign can be identifiers in which case matters. */
const dnPattern = /^\s*(?:cn|ou|uid)\s*=.*[,;]\s*(?:dc|o|c)\s*=/is;

/**
 * The form in which the identifier of a group is stored and compared. Providers in front of a directory send distinguished names in the
 * spelling of their own entry, other providers send identifiers in which case matters.
 */
export const groupIdentifier = (sent: string): string =>
  dnPattern.test(sent) ? (normalDn(sent) ?? sent) : sent;

/** The keys for the search of registered groups: a provider has one identifier for a group. */
export const groupKeys = (groups: readonly string[]): GroupKeys => ({
  names: groups.map(foldName),
  sids: identifiersOf(groups),
});

/** Groups of earlier versions are stored as they were written. */
const identifiersOf = (groups: readonly string[]): string[] => [
  ...new Set(groups.flatMap((group) => [group, groupIdentifier(group)])),
];

/**
 * The registered groups that a provider has named.
 * @param registered as found by the repository with `groupKeys`
 */
export function registeredAmong(
  registered: readonly RegisteredGroup[],
  groups: readonly string[],
): RegisteredGroup[] {
  const [exact, folded] = [new Set(identifiersOf(groups)), new Set(groups.map(foldName))];
  return registered.filter(({ directory_id, dn, name_key }) => {
    const identifier = directory_id ?? dn;
    return identifier === null ? folded.has(name_key) : exact.has(identifier);
  });
}

/**
 * The writes that let the memberships of a user follow the provider. Undefined if the user is in no active registered
 * group.
 * @param registered as found by the repository with `groupKeys`
 * @param memberOf ids of the groups that the user is in
 */
export function followGroups(
  registered: readonly RegisteredGroup[],
  memberOf: readonly string[],
  stated: readonly string[],
): ((h: Db, userId: string) => Statement[]) | undefined {
  const own = registeredAmong(registered, stated);
  if (!own.some(({ state }) => state === 'active')) return undefined;
  const ids = own.map(({ id }) => id);
  const isSame = ids.length === memberOf.length && ids.every((id) => memberOf.includes(id));
  return (h, userId) => (isSame ? [] : setMemberships(h, userId, ids));
}
