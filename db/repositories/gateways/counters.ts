import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { gateways } from '../../schema/gateways/gateways.ts';
import { gatewayStats } from './gateways.ts';

/** The largest integer that a double represents exactly. */
const maxCount = Number.MAX_SAFE_INTEGER;

type Bytes = { sent: number; received: number };

/**
 * The CTE `bytes` of a statement that locks the gateway in the CTE `gate`. It gives the bytes that one tunnel sent
 * and received, and the new process counters of the gateway. Gateways that count by tunnel report these bytes
 * directly.
 *
 * A gateway that counts by process reports the bytes since its process started, without a process identifier.
 * `continue_counters` computes the difference to the counter that the report continues. The sum over all tunnels is
 * never too high. Processes may swap counters, which moves bytes from one tunnel to another but does not change the
 * sum. After a restart the sum may miss up to one report for each counter of an ended process.
 */
export const bytesOf = (db: Db, { sent, received }: Bytes) =>
  db.$with('bytes', { sent: sql<number>`sent`, received: sql<number>`received`, counters: sql`counters` }).as(
    sql`select coalesce(s.moved, ${sent}::bigint) as sent, coalesce(r.moved, ${received}::bigint) as received,
        case when by_process then jsonb_build_object('sent', s.continued, 'received', r.continued) else process_counters end as counters
      from (select process_counters, byte_counters = 'process' as by_process from gate) as g
      left join lateral continue_counters(process_counters -> 'sent', ${sent}::bigint) as s on by_process
      left join lateral continue_counters(process_counters -> 'received', ${received}::bigint) as r on by_process`,
  );

type CounterChanges = Partial<Record<'connections' | 'sent' | 'received', SQL>> & { processCounters?: SQL };

/** The CTE `counted`: updates the gateway figures between heartbeats. */
export const updateCounters = (db: Db, which: SQL, { processCounters, ...by }: CounterChanges) => {
  const figure = (name: keyof typeof by) =>
    sql`least(${maxCount}::bigint, greatest(0, (${gatewayStats} ->> ${sql.raw(`'${name}'`)})::bigint + ${by[name] ?? sql`0`}::bigint))`;
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
