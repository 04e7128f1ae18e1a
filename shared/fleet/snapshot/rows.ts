import type { PartValues } from '../../../db/repositories/snapshot-parts.ts';
import { foldName } from '../../kernel/text.ts';
import type { ListKind, ListRow } from '../../remotes/dispatcher/list-shapes.ts';

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
    owner_domain: owner?.domain ?? null,
    owner_name: owner?.name ?? null,
    owner_key: owner && personKey(owner.domain, owner.name),
    node_revision: revision,
    made_at: created_at,
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
