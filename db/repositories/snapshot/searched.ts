import { sql } from 'drizzle-orm';
import type { ResourceType } from '../../../shared/resources.ts';
import { farms } from '../../schema/sites/farms.ts';
import { pools } from '../../schema/snapshot/pools.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { type Scope, within } from '../records/scope.ts';
import { nameOf } from '../records/statements.ts';
import type { SearchedType } from '../search/found-objects.ts';

type Searched = Pick<SearchedType, 'id' | 'name' | 'key' | 'also'> & {
  table: typeof pools | typeof workplaces | typeof workplaceSessions;
};

/** What dispatchers own. A session has the name of its user. */
const types = {
  servicespool: {
    ...{ table: pools, id: pools.uuid, name: pools.name, key: pools.name_key },
    also: [sql`lower(${pools.short_name})`],
  },
  workplace: { table: workplaces, id: workplaces.uuid, name: workplaces.name, key: workplaces.name_key },
  spsession: {
    ...{ table: workplaceSessions, id: workplaceSessions.uuid, name: workplaceSessions.user_name },
    key: sql`substr(${workplaceSessions.user_key}, strpos(${workplaceSessions.user_key}, chr(92)) + 1)`,
    also: [workplaceSessions.user_key],
  },
} as const satisfies Partial<Record<ResourceType, Searched>>;

export type SnapshotType = keyof typeof types;
export const snapshotTypes = ['servicespool', 'workplace', 'spsession'] as const satisfies SnapshotType[];

/** The objects of a type in the snapshots of the farms of these sites. Each belongs to its farm. */
export function searchedSnapshot(type: SnapshotType, scope: Scope): SearchedType {
  const searched: Searched = types[type];
  const { farm_id } = searched.table;
  const inScope = within(sql`${farms.site_id}`, scope);
  return {
    ...searched,
    type,
    parent: { id: farm_id, name: nameOf(farms, farm_id) },
    where: inScope && sql`${farm_id} in (select ${farms.id} from ${farms} where ${inScope})`,
  };
}
