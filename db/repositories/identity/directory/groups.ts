import { and, eq, isNull } from 'drizzle-orm';
import { atomically, type Db } from '../../../client.ts';
import { groups } from '../../../schema/identity/groups.ts';

/**
 * A registered group without a directory identifier. `dn` is the distinguished name as registered; null for a group
 * that is identified by name.
 */
export type UnboundGroup = { id: string; name: string; dn: string | null };

const mostAtOnce = 200;

export const findUnboundGroups = (db: Db, domainId: string): Promise<UnboundGroup[]> =>
  db
    .select({ id: groups.id, name: groups.name, dn: groups.external_id })
    .from(groups)
    .where(and(eq(groups.authenticator_id, domainId), eq(groups.type, 'group'), isNull(groups.directory_id)))
    .limit(mostAtOnce);

/** Stores the identifiers that the directory uses for its groups, where none is stored yet. */
export const setGroupIds = (db: Db, pairs: readonly { id: string; sid: string }[]): Promise<unknown[]> =>
  atomically(db, (h) =>
    pairs.map(({ id, sid }) =>
      h
        .update(groups)
        .set({ directory_id: sid })
        .where(and(eq(groups.id, id), isNull(groups.directory_id))),
    ),
  );
