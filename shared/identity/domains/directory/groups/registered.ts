import type {
  GroupKeys,
  RegisteredGroup,
} from '../../../../../db/repositories/identity/directory/accounts.ts';
import { foldName } from '../../../../kernel/text.ts';
import type { ExternalGroup } from '../../domain-type.ts';
import { normalDn } from '../entries/names.ts';

/** What registered groups are looked up by. Of a group that is known by its SID only, the other texts are empty. */
export const groupKeys = (groups: readonly ExternalGroup[]): GroupKeys => ({
  names: groups.flatMap(({ name }) => (name === '' ? [] : [foldName(name)])),
  sids: groups.flatMap(({ sid }) => sid ?? []),
});

/** The registered groups that are one of these. @param registered as the repository found them by `groupKeys` */
export function registeredOf(
  registered: readonly RegisteredGroup[],
  groups: readonly ExternalGroup[],
): RegisteredGroup[] {
  const keys = new Set(groups.flatMap(keysOf));
  return registered.filter((group) => keys.has(keyOf(group)));
}

/** Tells which of the groups of a directory are registered. */
export function registration(registered: readonly RegisteredGroup[]): (group: ExternalGroup) => boolean {
  const keys = new Set(registered.map(keyOf));
  return (group) => keysOf(group).some((key) => keys.has(key));
}

/** Each registered group counts by one property: the identifier, else the distinguished name, else the name. */
const keyOf = ({ directory_id, dn, name_key }: RegisteredGroup): string => {
  if (directory_id !== null) return `id ${directory_id}`;
  return dn === null ? `name ${name_key}` : dnKey(dn);
};

const keysOf = ({ sid, dn, name }: ExternalGroup): string[] => [
  ...(sid === undefined ? [] : [`id ${sid}`]),
  ...(dn === '' ? [] : [dnKey(dn)]),
  ...(name === '' ? [] : [`name ${foldName(name)}`]),
];

/** Parsing takes several microseconds, and each login compares all distinguished names that are registered. */
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
