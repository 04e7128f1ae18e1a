import { type SQL, sql } from 'drizzle-orm';
import {
  type ComponentState,
  freshSeconds,
  type StateFacts,
  stateOf,
} from '../../../shared/kernel/observability/component-state.ts';
import { installation } from '../../schema/settings/installation.ts';
import { systemParameters } from '../../schema/settings/system-parameters.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { isInMaintenance } from '../maintenance/state.ts';
import { derived } from '../records/statements.ts';

type Parts = {
  enabled: SQL;
  maintenance: SQL;
  /** Whether a node is excluded because of its farm. */
  left?: SQL;
  /** The FROM and WHERE clauses of the nodes. */
  nodes: SQL;
};

/** Results of probes do not age while the sidecars rest, because they stay in their memory. */
const ageOf = (moment: SQL): SQL =>
  sql`extract(epoch from coalesce((select resting_since from ${installation}), now()) - ${moment})::float8`;

/** `StateFacts` as a JSON object. */
const factsOf = ({ enabled, maintenance, left = sql`false`, nodes }: Parts): SQL<StateFacts> =>
  derived(sql`
    select jsonb_build_object('enabled', ${enabled}, 'maintenance', ${maintenance},
      'nodes', count(*) filter (where not node.left_out),
      'pass_age_s', min(${ageOf(sql`node.last_check_at`)}) filter (where node.status = 'pass' and not node.left_out),
      'unprobed_age_s', case
        when bool_and(node.status = 'unknown' and node.last_check_at is null) filter (where not node.left_out)
        then greatest(0, min(${ageOf(sql`node.updated_at`)}) filter (where not node.left_out)) end)
    from (select ${dispatchers.status}, ${dispatchers.last_check_at}, ${dispatchers.updated_at}, ${left} as left_out
      from ${nodes}) as node`);

/**
 * State facts of a row of `sites`. Nodes of farms in maintenance are excluded; a site with only such nodes is in
 * maintenance.
 */
export const siteFacts = factsOf({
  enabled: sql`${sites.enabled}`,
  maintenance: sql`(${isInMaintenance(sites)} or coalesce(bool_and(node.left_out), false))`,
  left: isInMaintenance(farms),
  nodes: sql`${farms} join ${dispatchers} on ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}
    where ${farms.site_id} = ${sites.id} and ${farms.enabled}`,
});

const farmMaintenance = sql`(${isInMaintenance(farms)} or ${isInMaintenance(sites)})`;

/** State facts of a row of `farms` joined with its site. */
export const farmFacts = factsOf({
  enabled: sql`(${farms.enabled} and ${sites.enabled})`,
  maintenance: farmMaintenance,
  nodes: sql`${dispatchers} where ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}`,
});

/** State facts of a row of `dispatchers` joined with its farm and site. */
export const nodeFacts = derived<StateFacts>(sql`
  select jsonb_build_object(
    'enabled', ${dispatchers.enabled} and ${farms.enabled} and ${sites.enabled},
    'maintenance', ${farmMaintenance}, 'nodes', 1,
    'pass_age_s', case when ${dispatchers.status} = 'pass' then ${ageOf(sql`${dispatchers.last_check_at}`)} end,
    'unprobed_age_s', case when ${dispatchers.status} = 'unknown' and ${dispatchers.last_check_at} is null
      then greatest(0, ${ageOf(sql`${dispatchers.updated_at}`)}) end)`);

const intervalName = 'aggregator.health_interval_s';
const interval = sql`(select ${systemParameters.value} from ${systemParameters} where ${systemParameters.name} = ${intervalName})`;

/** The state of a row as a column, for the current probe interval. */
const stateColumn = (facts: SQL<StateFacts>): SQL<ComponentState> =>
  derived<ComponentState>(sql`select ${facts} || jsonb_build_object('interval_s', ${interval})`).mapWith(
    ({ interval_s, ...rest }: StateFacts & { interval_s: number | null }) =>
      stateOf(rest, freshSeconds(interval_s === null ? null : { [intervalName]: interval_s })),
  );

export const siteState = stateColumn(siteFacts);

export const farmState = stateColumn(
  derived(sql`select ${farmFacts} from ${sites} where ${sites.id} = ${farms.site_id}`),
);

export const nodeState = stateColumn(
  derived(sql`select ${nodeFacts} from ${farms} join ${sites} on ${sites.id} = ${farms.site_id}
    where ${farms.id} = ${dispatchers.farm_id}`),
);
