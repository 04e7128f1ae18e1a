import type { PartValues } from '../../../db/repositories/snapshot-parts.ts';
import { foldName } from '../../kernel/text.ts';
import type { ListKind, ListRow } from '../../remotes/dispatcher/list-shapes.ts';
import type { Answered } from '../../remotes/dispatcher/port.ts';

/** A pool as a node tells it, in the columns of the snapshot. */
export const poolValues = (row: ListRow<'servicespools'>): PartValues['servicespools'] => ({
  ...row,
  name_key: foldName(row.name),
});

/** A workplace as a node tells it, in the columns of the snapshot. */
export function workplaceValues(row: ListRow<'workplaces'>): PartValues['workplaces'] {
  const { owner, revision, created_at, ...rest } = row;
  return {
    ...rest,
    name_key: foldName(row.name),
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
  ...(row.name !== undefined && { name_key: foldName(row.name) }),
});

export function workplaceChanges(row: Answered<'workplaces'>): Partial<PartValues['workplaces']> {
  const { owner, revision, created_at, ...rest } = row;
  return {
    ...rest,
    ...(row.name !== undefined && { name_key: foldName(row.name) }),
    ...(owner !== undefined && ownerValues(owner)),
    ...(revision !== undefined && { node_revision: revision }),
    ...(created_at !== undefined && { made_at: created_at }),
  };
}

export function sessionChanges(row: Answered<'spsessions'>): Partial<PartValues['spsessions']> {
  const { session_uuid: _, user, domain, ...rest } = row;
  return {
    ...rest,
    ...(user !== undefined &&
      domain !== undefined && { user_name: user, user_domain: domain, user_key: personKey(domain, user) }),
  };
}

/** A workplace session as a node tells it, in the columns of the snapshot. */
export function sessionValues(row: ListRow<'spsessions'>): PartValues['spsessions'] {
  const { session_uuid, user, domain, ...rest } = row;
  return {
    ...rest,
    uuid: session_uuid,
    user_name: user,
    user_domain: domain,
    user_key: personKey(domain, user),
  };
}

/** People are known by the label of their domain and their name, both without regard to case. */
export const personKey = (label: string, name: string): string => `${foldName(label)}\\${foldName(name)}`;

/** Any row as a node tells it, in the columns of the snapshot. */
export function valuesOf<K extends ListKind>(
  kind: K,
  row: ListRow<K>,
  dispatcherId: string,
): PartValues[ListKind] {
  // The kind says which row it is; TypeScript does not narrow one by the other.
  switch (kind) {
    case 'servicespools':
      return poolValues(row as ListRow<'servicespools'>);
    case 'workplaces':
      return workplaceValues(row as ListRow<'workplaces'>);
    case 'spsessions':
      return sessionValues(row as ListRow<'spsessions'>);
    default: {
      const tag = row as ListRow<'tags'>;
      return { ...tag, name_key: foldName(tag.name), dispatcher_id: dispatcherId };
    }
  }
}
