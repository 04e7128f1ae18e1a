import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { farmTags } from '../../schema/sites/farm-tags.ts';
import type { PartKind } from '../../schema/snapshot/farm-parts.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';

/** A table of the snapshot (see `snapshotColumns`). */
export type PartTable = PgTable & {
  id: PgColumn;
  farm_id: PgColumn;
  uuid: PgColumn;
  touched_at: PgColumn;
  ignored: PgColumn;
};

/** Columns written by a sync. The others belong to the portal (maintenance of a pool) or are set by the database. */
export type PoolValues = Omit<
  typeof pools.$inferInsert,
  Ours | 'maintenance_message' | 'maintenance_template_id' | 'maintenance_since'
>;
type WorkplaceValues = Omit<typeof workplaces.$inferInsert, Ours | Moments | 'assigning_until'> & {
  in_use_since: string | null;
  agent_seen_at: string | null;
  made_at: string | null;
};
type SessionValues = Omit<typeof workplaceSessions.$inferInsert, Ours | Moments> & {
  started_at: string;
  last_seen_at: string | null;
};
type TagValues = Omit<typeof farmTags.$inferInsert, Ours>;
type Ours = 'id' | 'farm_id' | 'touched_at';
type Moments = 'in_use_since' | 'agent_seen_at' | 'made_at' | 'started_at' | 'last_seen_at';

/** Rows as staged by a sync; timestamps are RFC 3339. */
export type PartValues = {
  servicespools: PoolValues;
  workplaces: WorkplaceValues;
  spsessions: SessionValues;
  tags: TagValues;
};

type Part = { table: PartTable; columns: readonly string[] };

/** The table of each part, and the columns that a sync writes besides the identifiers. */
export const parts: Record<PartKind, Part> = {
  servicespools: {
    table: pools,
    columns: [
      ...['name', 'name_key', 'short_name', 'comments', 'state', 'visible', 'maintenance', 'protocols'],
      ...['initial_srvs', 'cache_l1_srvs', 'cache_l2_srvs', 'max_srvs', 'workplaces_count'],
      ...['in_use_count', 'in_preparation_count', 'usage_percent', 'restrained', 'tags', 'ignored'],
    ],
  },
  workplaces: {
    table: workplaces,
    columns: [
      ...['servicepool_uuid', 'servicepool_name', 'name', 'name_key', 'unique_id', 'hostname', 'ip', 'state'],
      ...['machine_state', 'owner_domain', 'owner_name', 'owner_key', 'in_use', 'in_use_since', 'client_ip'],
      ...[
        'client_host',
        'maintenance',
        'tags',
        'agent_version',
        'agent_seen_at',
        'node_revision',
        'made_at',
        'ignored',
      ],
    ],
  },
  spsessions: {
    table: workplaceSessions,
    columns: [
      ...['servicepool_uuid', 'servicepool_name', 'workplace_uuid', 'workplace_name', 'workplace_ip'],
      ...['user_name', 'user_domain', 'user_key', 'protocol', 'client_ip', 'client_host', 'gateway_id'],
      ...['state', 'started_at', 'last_seen_at', 'ignored'],
    ],
  },
  tags: { table: farmTags, columns: ['name', 'name_key', 'dispatcher_id', 'ignored'] },
};
