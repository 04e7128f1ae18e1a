import { and, eq, ne, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { webhookDeliveries as table } from '../../schema/webhooks/deliveries.ts';
import { webhooks } from '../../schema/webhooks/webhooks.ts';
import { must } from '../records/statements.ts';

export type DeliveryState = (typeof table.$inferSelect)['state'];

const shown = {
  id: table.id,
  event: table.event,
  object_id: sql<string | null>`nullif(${table.object_id}, '')`,
  state: table.state,
  attempts: table.attempts,
  status: table.status,
  error: table.error,
  occurred_at: table.occurred_at,
  last_attempt_at: table.last_attempt_at,
  due_at: sql<Date | null>`case when ${table.state} = 'waiting' then ${table.due_at} end`.mapWith(
    table.due_at,
  ),
  duration_ms: table.duration_ms,
  created_at: table.created_at,
};

/** The deliveries of a webhook. */
export const deliveries = {
  spec: {
    table,
    select: shown,
    parent: { column: table.webhook_id, table: webhooks },
    search: [table.event],
    filters: {
      state: (value: DeliveryState) => eq(table.state, value),
      event: (value: string) => eq(table.event, value),
    },
    sorts: { created_at: table.created_at },
  },
};

export async function findDelivery(db: Db, webhookId: string, id: string) {
  const [row] = await db
    .select(shown)
    .from(table)
    .where(and(eq(table.webhook_id, webhookId), eq(table.id, id)));
  return row;
}

/** Queues an event for one webhook. */
export const queueDelivery = (
  h: Db,
  row: Pick<typeof table.$inferInsert, 'id' | 'webhook_id' | 'event' | 'kind' | 'object_id' | 'occurred_at'>,
): Statement => h.insert(table).values(row);

const afresh = { state: 'waiting', attempts: 0, due_at: sql`now()`, claimed_until: null } as const;

/** Sends a finished delivery again. Fails the batch with `invalid_state` if it is not finished. */
export const replayDelivery = (h: Db, webhookId: string, id: string): Statement[] => {
  const isMeant = and(eq(table.webhook_id, webhookId), eq(table.id, id));
  return [
    must(
      h,
      sql`(select ${table.state} from ${table} where ${isMeant} for update) <> 'waiting'`,
      'invalid_state:waiting',
    ),
    h.update(table).set(afresh).where(isMeant),
  ];
};

/** Sends all dead deliveries of a webhook again. */
export const replayDead = (h: Db, webhookId: string) =>
  h
    .update(table)
    .set(afresh)
    .where(and(eq(table.webhook_id, webhookId), eq(table.state, 'dead')))
    .returning({ id: table.id });

/** Maximum number of events that wait for one webhook. */
export const mostWaiting = 10_000;

/** Fails the batch with `invalid_state` if too many deliveries of the webhook wait. */
export const mustHaveRoom = (h: Db, webhookId: string): Statement =>
  must(
    h,
    sql`(select count(*) from ${table} where ${table.webhook_id} = ${webhookId} and ${table.state} = 'waiting') < ${mostWaiting}::int`,
    'invalid_state:too_many_deliveries',
  );

/** Finished deliveries of each webhook beyond this number are removed, and all after `keptDays`. */
const mostKept = 10_000;

/** The condition for deliveries beyond the number that is kept. */
export const isSurplus = sql`${ne(table.state, 'waiting')} and ${table.id} in (
  select id from (select ${table.id} as id,
      row_number() over (partition by ${table.webhook_id} order by ${table.created_at} desc, ${table.id} desc) as place
    from ${table} where ${ne(table.state, 'waiting')}) as ranked where place > ${mostKept}::int)`;
