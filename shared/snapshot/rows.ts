import type { PartValues } from '../../db/repositories/snapshot/parts.ts';
import { foldName } from '../kernel/text.ts';
import type { Answered, CheckedRow, ListKind, ListRow } from '../remotes/dispatcher/rows.ts';
import { tagId } from '../remotes/dispatcher/rows.ts';

/** A pool as a node tells it, in the columns of the snapshot. */
const poolValues = (row: ListRow<'servicespools'>) => ({ ...row, name_key: keyOf(row.name) });

/** What has no name is sorted before everything that has one. */
const keyOf = (name: string | null): string => foldName(name ?? '');

/** A workplace as a node tells it, in the columns of the snapshot. */
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
  owner_key: owner && personKey(owner.domain, owner.name),
});

/*
 * The same for the members that an answer has; the others stay as they are in the snapshot.
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
  // The key of no user: every other key has a backslash.
  user_key: user === null ? '' : personKey(domain ?? '', user),
});

/** A session whose beginning is not known is older than all others. */
const notKnown = '-infinity';

/** A workplace session as a node tells it, in the columns of the snapshot. */
function sessionValues(row: ListRow<'spsessions'>) {
  const { session_uuid, user, domain, started_at, ...rest } = row;
  return {
    ...rest,
    uuid: session_uuid,
    started_at: started_at ?? notKnown,
    ...userValues(domain, user),
  };
}

/** People are known by the label of their domain and their name, both without regard to case. */
export const personKey = (label: string, name: string): string => `${foldName(label)}\\${foldName(name)}`;

/** Any row as a node tells it, in the columns of the snapshot. */
export function valuesOf<K extends ListKind>(
  kind: K,
  { row, ignored }: CheckedRow<ListRow<K>>,
  dispatcherId: string,
): PartValues[ListKind] {
  const notes = { ignored: ignored.map(({ member, reason }) => `${member} ${reason}`) };
  // The kind says which row it is; TypeScript does not narrow one by the other.
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
