import { and, eq, type SQL, sql } from 'drizzle-orm';
import { noId } from '../../../shared/kernel/ids.ts';
import type { Db, Statement } from '../../client.ts';
import { type MaintenancePhase, maintenanceSteps as table } from '../../schema/maintenance/steps.ts';
import { maintenanceWindows } from '../../schema/maintenance/windows.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { pools } from '../../schema/snapshot/pools.ts';

/** A phase that is due. With `after_flag` the maintenance flag of the farm must be set first. */
export type DuePhase = { window_id: string; phase: MaintenancePhase; after_flag: boolean };
type Key = Pick<typeof table.$inferSelect, 'window_id' | 'farm_id' | 'phase' | 'target'>;
/** A step with the number of its failed attempts. */
export type Step = Key & { failures: number };

/** Lease duration in seconds; longer than a step with two node calls that time out. */
const leaseS = 30;
/** Seconds until a failed step is retried. */
const retryS = 5;

/**
 * Takes leases on steps of due phases, for enabled farms; one statement. Completed steps and steps with a valid lease
 * are skipped; an expired lease can be taken over.
 */
export async function claimSteps(db: Db, due: readonly DuePhase[], limit: number): Promise<Step[]> {
  if (due.length === 0) return [];
  const lease = sql`clock_timestamp() + make_interval(secs => ${leaseS})`;
  return db
    .insert(table)
    .select(sql`
      select step.window_id, step.farm_id, step.phase, step.target, ${lease},
        case when step.phase = 'warn' then clock_timestamp() end, 0
      from (${stepsOf(due)}) as step
      where not exists (select 1 from ${table} s where s.window_id = step.window_id and s.farm_id = step.farm_id
          and s.phase = step.phase and s.target = step.target
          and (s.done_at is not null or s.lease_until > clock_timestamp()))
        and (not step.after_flag or exists (select 1 from ${table} s where s.window_id = step.window_id
          and s.farm_id = step.farm_id and s.phase = 'flag' and s.done_at is not null))
      order by step.window_id, step.farm_id, step.phase, step.target limit ${limit}`)
    .onConflictDoUpdate({
      target: [table.window_id, table.farm_id, table.phase, table.target],
      set: { lease_until: sql`excluded.lease_until`, done_at: sql`excluded.done_at` },
      setWhere: sql`${table.done_at} is null and ${table.lease_until} <= clock_timestamp()`,
    })
    .returning({
      window_id: table.window_id,
      farm_id: table.farm_id,
      phase: table.phase,
      target: table.target,
      failures: table.failures,
    });
}

/**
 * The steps of the farm, or of all farms of the site. A warning has one step per pool, all other phases have one per
 * farm.
 */
const stepsOf = (due: readonly DuePhase[]): SQL => sql`
  select w.id as window_id, f.id as farm_id, due.phase, coalesce(p.uuid, ${noId}::uuid) as target, due.after_flag
  from jsonb_to_recordset(${JSON.stringify(due)}::jsonb) as due(window_id uuid, phase text, after_flag boolean)
  join ${maintenanceWindows} w on w.id = due.window_id
  join ${farms} f on f.enabled and (f.id = w.farm_id or f.site_id = w.site_id)
  join ${sites} site on site.id = f.site_id and site.enabled
  left join ${pools} p on due.phase = 'warn' and p.farm_id = f.id and p.uuid = coalesce(w.pool_uuid, p.uuid)
  where due.phase <> 'warn' or p.uuid is not null`;

const isStep = ({ window_id, farm_id, phase, target }: Key) =>
  and(
    eq(table.window_id, window_id),
    eq(table.farm_id, farm_id),
    eq(table.phase, phase),
    eq(table.target, target),
  );

export const finishStep = (h: Db, step: Key, at: Date): Statement =>
  h.update(table).set({ done_at: at }).where(isStep(step));

/** Releases a step: immediately if work remains, otherwise after the retry delay. */
export const releaseStep = (h: Db, step: Key, outcome: 'more' | 'failed'): Statement =>
  h
    .update(table)
    .set({
      done_at: null,
      lease_until: sql`clock_timestamp() + make_interval(secs => ${outcome === 'more' ? 0 : retryS})`,
      ...(outcome === 'failed' && { failures: sql`${table.failures} + 1` }),
    })
    .where(isStep(step));

/** Stores a completed step, for work done in the batch that opens the window. */
export const addDoneStep = (h: Db, step: Key, at: Date): Statement =>
  h.insert(table).values({ ...step, lease_until: at, done_at: at });
