import type {
  GroupKeys,
  RegisteredGroup,
} from '../../../../../db/repositories/identity/directory/accounts.ts';
import { foldName } from '../../../../kernel/text.ts';
import type { ExternalGroup } from '../../domain-type.ts';
import { normalDn } from '../entries/names.ts';

/** The keys for the search of registered groups. If only the SID of a group is known, its name is empty. */
export const groupKeys = (groups: readonly ExternalGroup[]): GroupKeys => ({
  names: groups.flatMap(({ name }) => (name === '' ? [] : [foldName(name)])),
  sids: groups.flatMap(({ sid }) => sid ?? []),
});

/**
 * The registered groups that are among `groups`.
 * @param registered as found by the repository with `groupKeys`
 */
export function registeredAmong(
  registered: readonly RegisteredGroup[],
  groups: readonly ExternalGroup[],
): RegisteredGroup[] {
  const keys = new Set(groups.flatMap(keysOf));
  return registered.filter((group) => keys.has(keyOf(group)));
}

/** Returns a predicate that is true for registered groups. */
export function isRegisteredIn(registered: readonly RegisteredGroup[]): (group: ExternalGroup) => boolean {
  const keys = new Set(registered.map(keyOf));
  return (group) => keysOf(group).some((key) => keys.has(key));
}

/** The key of a registered group: its identifier, else its distinguished name, else its name. */
const keyOf = ({ directory_id, dn, name_key }: RegisteredGroup): string => {
  if (directory_id !== null) return `id ${directory_id}`;
  return dn === null ? `name ${name_key}` : dnKey(dn);
};

const keysOf = ({ sid, dn, name }: ExternalGroup): string[] => [
  ...(sid === undefined ? [] : [`id ${sid}`]),
  ...(dn === '' ? [] : [dnKey(dn)]),
  ...(name === '' ? [] : [`name ${foldName(name)}`]),
];

/**
 * Cache of normalized names. Parsing takes several microseconds, and each login compares all registered distinguished
 * names.
 */
const normalDns = new Map<string, string>();
const mostRemembered = 5_000;

function dnKey(dn: string): string {
  const known = normalDns.get(dn);
  if (known !== undefined) return known;
  if (normalDns.size >= mostRemembered) normalDns.clear();
  const key = `dn ${normalDn(dn) ?? dn}`;
  normalDns.set(dn, key);
  return key;
}
