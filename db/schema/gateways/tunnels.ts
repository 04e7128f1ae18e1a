import { isNull, sql } from 'drizzle-orm';
import { bigint, boolean, index, pgTable, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { gatewayTickets } from './tickets.ts';

/**
 * Tunnels opened with tickets. Only the SHA-256 of the token that ends a tunnel is stored. Byte counts are reported
 * at the end. `presumed_ended` marks a tunnel that the sweep ended because the gateway reported no end.
 */
export const gatewayTunnels = pgTable(
  'gateway_tunnels',
  {
    id: uuid().primaryKey(),
    ticket_id: uuid()
      .notNull()
      .references(() => gatewayTickets.id, { onDelete: 'cascade' }),
    notify_hash: byteText().notNull(),
    began_at: moment().notNull().default(sql`now()`),
    stopped_at: moment(),
    presumed_ended: boolean().notNull().default(false),
    sent: bigint({ mode: 'number' }).notNull().default(0),
    received: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [
    uniqueIndex('gateway_tunnels_notify').on(t.notify_hash),
    index('gateway_tunnels_ticket').on(t.ticket_id),
    index('gateway_tunnels_open').on(t.began_at).where(isNull(t.stopped_at)),
  ],
);
