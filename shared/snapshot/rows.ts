import type { PartValues } from '../../db/repositories/snapshot/parts.ts';
import { parseUserName, personKey } from '../kernel/names/user-names.ts';
import { foldName } from '../kernel/text.ts';
import type { Answered, CheckedRow, ListKind, ListRow } from '../remotes/dispatcher/rows.ts';
import { tagId } from '../remotes/dispatcher/rows.ts';

/** Converts a pool of a node to the columns of the snapshot. */
const poolValues = (row: ListRow<'servicespools'>) => ({ ...row, name_key: keyOf(row.name) });

/** Rows without a name sort before all others. */
const keyOf = (name: string | null): string => foldName(name ?? '');

/** Converts a workplace of a node to the columns of the snapshot. */
function workplaceValues(row: ListRow<'workplaces'>) {
  const { owner, revision, created_at, ...rest } = row;
  return {
    ...rest,
    name_key: keyOf(row.name),
    ...ownerValues(owner),
    node_revision: revision,
    made_at: created_at,
  };
}

const ownerValues = (owner: ListRow<'workplaces'>['owner']) => ({
  owner_domain: owner?.domain ?? null,
  owner_name: owner?.name ?? null,
  owner_key: owner && personKey(parseUserName(owner.name, owner.domain)),
});

/*
 * Partial updates: only the members of the response change. The others keep their values in the snapshot.
 */

export const poolChanges = (row: Answered<'servicespools'>): Partial<PartValues['servicespools']> => ({
  ...row,
  ...(row.name !== undefined && { name_key: keyOf(row.name) }),
});

export function workplaceChanges(row: Answered<'workplaces'>): Partial<PartValues['workplaces']> {
  const { owner, revision, created_at, ...rest } = row;
  return {
    ...rest,
    ...(row.name !== undefined && { name_key: keyOf(row.name) }),
    ...(owner !== undefined && ownerValues(owner)),
    ...(revision !== undefined && { node_revision: revision }),
    ...(created_at !== undefined && { made_at: created_at }),
  };
}

export function sessionChanges(row: Answered<'spsessions'>): Partial<PartValues['spsessions']> {
  const { session_uuid: _, user, domain, started_at, ...rest } = row;
  return {
    ...rest,
    ...(started_at && { started_at }),
    ...(user !== undefined && domain !== undefined && userValues(domain, user)),
  };
}

const userValues = (domain: string | null, user: string | null) => ({
  user_name: user,
  user_domain: domain,
  // An empty key matches no user, because every other key contains a backslash.
  user_key: user === null ? '' : personKey(parseUserName(user, domain ?? '')),
});

/** A session without a start time sorts as the oldest. */
const notKnown = '-infinity';

/** Converts a workplace session of a node to the columns of the snapshot. */
function sessionValues(row: ListRow<'spsessions'>) {
  const { session_uuid, user, domain, started_at, ...rest } = row;
  return {
    ...rest,
    uuid: session_uuid,
    started_at: started_at ?? notKnown,
    ...userValues(domain, user),
  };
}

/** Converts any row of a node to the columns of the snapshot. */
export function valuesOf<K extends ListKind>(
  kind: K,
  { row, ignored }: CheckedRow<ListRow<K>>,
  dispatcherId: string,
): PartValues[ListKind] {
  const notes = { ignored: ignored.map(({ member, reason }) => `${member} ${reason}`) };
  // The kind determines the row type. TypeScript does not narrow one by the other.
  switch (kind) {
    case 'servicespools':
      return { ...poolValues(row as ListRow<'servicespools'>), ...notes };
    case 'workplaces':
      return { ...workplaceValues(row as ListRow<'workplaces'>), ...notes };
    case 'spsessions':
      return { ...sessionValues(row as ListRow<'spsessions'>), ...notes };
    default: {
      const tag = row as ListRow<'tags'>;
      const uuid = tag.uuid ?? tagId(tag.name);
      return { ...tag, uuid, name_key: foldName(tag.name), dispatcher_id: dispatcherId, ...notes };
    }
  }
}
