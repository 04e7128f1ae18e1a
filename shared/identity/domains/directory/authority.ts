import {
  forgetOtherDirectory,
  learnDirectory,
  noteOtherDirectory,
} from '../../../../db/repositories/identity/directory/authority.ts';
import { AppError } from '../../../kernel/errors.ts';
import { resultCode } from '../../../remotes/directory/failures.ts';
import type { DirectoryIdentity, DirectorySession, Entry } from '../../../remotes/directory/port.ts';
import type { DomainDeps, StoredDomain } from '../domain-type.ts';
import { isBelow } from './entries/names.ts';

type Search = DirectorySession['search'];

/**
 * Attributes of the entry at the top of a directory that identify it, the preferred one first: the SID of a domain of Active
 * Directory, and what other servers generate for every entry. Replicas have the same values. 389 Directory Server may
 * receive `entryUUID` by an upgrade, but always has `nsUniqueId`.
 */
const identifiers = ['objectSid', 'nsUniqueId', 'entryUUID', 'objectGUID'];

/** The identity of the directory that contains `base`: an identifier of the naming context above it. */
export const identityOf = (base: string): DirectoryIdentity => ({
  base,
  read: async (search) => {
    const root = await readEntry(search, '', ['namingContexts']);
    const [context] = (root?.values.namingcontexts ?? [])
      .filter((one) => isBelow(base, one))
      .sort((one, other) => other.length - one.length);
    if (context === undefined) return undefined;
    const top = await readEntry(search, context, identifiers);
    return identifiers.flatMap((name) => top?.values[name.toLowerCase()] ?? [])[0];
  },
});

/** Result codes for an entry that the search account cannot read: operations error (Active Directory), no such entry, no access. */
const isHidden = new Set([1, 32, 50]);

async function readEntry(
  search: Search,
  base: string,
  attributes: readonly string[],
): Promise<Entry | undefined> {
  try {
    const options = { scope: 'base', filter: { present: 'objectClass' }, most: 1 } as const;
    return (await search({ ...options, base, attributes }))[0];
  } catch (error) {
    if (isHidden.has(resultCode(error) ?? -1)) return undefined;
    throw error;
  }
}

/**
 * The identifiers of people and their groups are valid in one directory only. The domain keeps the first directory that
 * its servers show, until an administrator accepts another one. A directory that shows no identity is allowed.
 * @param shown the identity of the directory of the connection
 * @throws AppError `upstream_refused` with the reason `other_directory`
 */
export async function assertSameDirectory(
  { db, clock }: Pick<DomainDeps, 'db' | 'clock'>,
  domain: Pick<StoredDomain, 'id' | 'name' | 'directory_authority' | 'other_directory'>,
  shown: string | undefined,
): Promise<void> {
  if (shown === undefined) return;
  const { id, name, directory_authority, other_directory } = domain;
  const present = directory_authority ?? (await learnDirectory(db, id, shown));
  if (present !== shown) {
    await noteOtherDirectory(db, id, shown, {
      at: clock(),
      level: 'warning',
      source: 'portal',
      object_type: 'authenticator',
      object_id: id,
      object_name: name,
      code: 'other_directory',
      message: `The servers of ${name} belong to another directory; logins fail until an administrator accepts it`,
      details: { before: present, after: shown },
    });
    throw otherDirectory();
  }
  if (other_directory !== null) await forgetOtherDirectory(db, id);
}

const otherDirectory = (): AppError =>
  new AppError('upstream_refused', 'The servers of the domain belong to another directory than before', {
    reason: 'other_directory',
  });
