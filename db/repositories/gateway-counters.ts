import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { gateways } from '../schema/gateways.ts';
import { gatewayStats } from './gateways.ts';

/** What a double holds exactly, and so what an answer can hold. */
const most = Number.MAX_SAFE_INTEGER;
/** Counters kept for one gateway: more than it has processes, with those of processes that have ended. */
const mostCounters = 64;

type Bytes = { sent: number; received: number };

/**
 * The CTE `bytes` of a statement that has the locked gateway as `gate`: what one tunnel sent and received, and the counters
 * that the gateway keeps. Gateways that count by tunnel report just that.
 *
 * A gateway that counts by process reports what the process has moved since its start, and does not name the process. Each
 * process only counts up, so the report continues the largest counter that is not above it, and the difference is new; a
 * report below all counters is that of a new process and counts from zero. Two processes may swap their counters in
 * this way, which changes the share of a tunnel but not the sum. The sum is never too high. After a restart it may miss up to
 * one report for each counter of a process that has ended.
 */
export const bytesOf = (db: Db, { sent, received }: Bytes) =>
  db.$with('bytes', { sent: sql<number>`sent`, received: sql<number>`received`, counters: sql`counters` }).as(
    sql`select ${moved('sent', sent)} as sent, ${moved('received', received)} as received,
        case when gate.byte_counters = 'process' then jsonb_build_object(
          'sent', ${countersWith('sent', sent)}, 'received', ${countersWith('received', received)})
        else gate.process_counters end as counters from gate`,
  );

/** The counters in ascending order, as rows with `counter` and its position `at` from 1. */
const countersOf = (name: keyof Bytes): SQL =>
  sql`(select counter::bigint as counter, at from jsonb_array_elements_text(gate.process_counters -> ${sql.raw(`'${name}'`)})
    with ordinality as one(counter, at)) as counters`;

const moved = (name: keyof Bytes, value: number): SQL =>
  sql`case when gate.byte_counters = 'process' then ${value}::bigint - coalesce(
    (select max(counter) from ${countersOf(name)} where counter <= ${value}::bigint), 0)
    else ${value}::bigint end`;

/** Beyond the limit the smallest one goes: if its process is still there, its next report counts that little twice. */
const countersWith = (name: keyof Bytes, value: number): SQL =>
  sql`(select jsonb_agg(counter order by counter) from (
    select counter from ${countersOf(name)}
      where at <> (select count(*) from ${countersOf(name)} where counter <= ${value}::bigint)
    union all select ${value}::bigint order by counter desc limit ${mostCounters}) as latest)`;

type Moves = Partial<Record<'connections' | 'sent' | 'received', SQL>> & { processCounters?: SQL };

/** The CTE `counted`: moves the figures of gateways on until the next heartbeat reports them. */
export const countedFor = (db: Db, which: SQL, { processCounters, ...by }: Moves) => {
  const figure = (name: keyof typeof by) =>
    sql`least(${most}::bigint, greatest(0, (${gatewayStats} ->> ${sql.raw(`'${name}'`)})::bigint + ${by[name] ?? sql`0`}::bigint))`;
  const stats = sql`jsonb_build_object('connections', ${figure('connections')}, 'sent', ${figure('sent')}, 'received', ${figure('received')})`;
  return db.$with('counted').as(
    db
      .update(gateways)
      .set({
        stats,
        last_used_at: sql`now()`,
        ...(processCounters && { process_counters: processCounters }),
      })
      .where(sql`${gateways.id} in (${which})`)
      .returning({ id: gateways.id }),
  );
};
