import { foldName } from '../../../../kernel/text.ts';
import type { DirectoryRemote, DirectorySession } from '../../../../remotes/directory/port.ts';
import { dnsNameOf, isBelow } from '../entries/names.ts';
import type { DirectoryParams, TypedParams } from '../variant.ts';
import { isAddress, nameInDirectory } from './login-name.ts';

/** A domain with its labels. `id` is absent if the domain is not stored. */
export type NamedDomain = { id?: string | undefined; labels: readonly string[] };

/** The name to search in the directory. `name` is absent if the typed name belongs to another domain. */
export type DirectoryName = { name: string | undefined; typed: string };

const lifeMs = 60_000;
const mostRemembered = 1_000;
type Remembered = Map<string, { until: number; names: readonly string[] }>;
const memories = new WeakMap<DirectoryRemote, Remembered>();

/**
 * Converts a typed name to the name in the directory. `DOMAIN\\name` and `name@suffix` belong to this domain if the
 * qualifier is one of its labels, its DNS name or its realm. In Active Directory, the NetBIOS name and the UPN suffixes
 * of the forest count as well.
 */
export async function directoryName(
  directories: DirectoryRemote,
  { session, params }: { session: DirectorySession; params: TypedParams },
  domain: NamedDomain,
  text: string,
): Promise<DirectoryName> {
  const typed = text.trim();
  const name = nameInDirectory(params, typed);
  const own = [...domain.labels, dnsNameOf(params.base_dn), params.kerberos?.realm ?? ''].map(foldName);
  const foreign = qualifiersIn(typed, params).filter((one) => one === '' || !own.includes(one));
  if (foreign.length === 0) return { name, typed };
  if (foreign.includes('') || !params.variant.hasForest) return { name: undefined, typed };
  const names = await remembered(directories, [domain.id, params.base_dn], () =>
    namesOfForest(session, params.base_dn),
  );
  return { name: foreign.every((one) => names.includes(one)) ? name : undefined, typed };
}

/** The part before the backslash, and the part after the at sign unless login names are addresses. */
function qualifiersIn(typed: string, params: DirectoryParams): string[] {
  const end = typed.lastIndexOf('\\');
  const at = isAddress(params.user_id_attribute) ? -1 : typed.indexOf('@', end + 1);
  return [...(end < 0 ? [] : [typed.slice(0, end)]), ...(at < 0 ? [] : [typed.slice(at + 1)])].map(foldName);
}

async function remembered(
  directories: DirectoryRemote,
  [id, base]: readonly [id: string | undefined, base: string],
  read: () => Promise<string[]>,
): Promise<readonly string[]> {
  if (id === undefined) return read();
  const memory: Remembered = memories.get(directories) ?? new Map();
  memories.set(directories, memory);
  const key = `${id} ${base}`;
  const present = memory.get(key);
  if (present && present.until > performance.now()) return present.names;
  const names = await read();
  const [oldest] = memory.size >= mostRemembered ? memory.keys() : [];
  if (oldest !== undefined) memory.delete(oldest);
  memory.set(key, { until: performance.now() + lifeMs, names });
  return names;
}

/** NetBIOS and DNS names of the domains below the base or above it, and the UPN suffixes (MS-ADTS 6.1.1.2.1.1). */
async function namesOfForest(session: DirectorySession, base: string): Promise<string[]> {
  const [root] = await session.search({
    base: '',
    scope: 'base',
    filter: { present: 'objectClass' },
    attributes: ['configurationNamingContext'],
    most: 1,
  });
  const [configuration] = root?.values.configurationnamingcontext ?? [];
  if (configuration === undefined) return [];
  const found = await session.search({
    base: `CN=Partitions,${configuration}`,
    filter: { any: [{ present: 'nETBIOSName' }, { present: 'uPNSuffixes' }] },
    attributes: ['nETBIOSName', 'dnsRoot', 'nCName', 'uPNSuffixes'],
    most: 1_000,
  });
  return found.flatMap(({ values }) => {
    const [context] = values.ncname ?? [];
    const isOurs = context !== undefined && (isBelow(base, context) || isBelow(context, base));
    const ofDomain = isOurs ? [...(values.netbiosname ?? []), ...(values.dnsroot ?? [])] : [];
    return [...ofDomain, ...(values.upnsuffixes ?? [])].map(foldName);
  });
}
