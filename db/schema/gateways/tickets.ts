import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { users } from '../identity/users.ts';
import { farms } from '../sites/farms.ts';
import { gateways } from './gateways.ts';

/**
 * Tickets for tunnels through a gateway. Only the SHA-256 of the ticket is stored. `host` and `port` are the target,
 * `client_ip` is the only accepted client address (null until the first tunnel), `session_uuid` is the session of the
 * farm, `used_at` the start of the first tunnel. Further tunnels begin within `follow_s` seconds of it.
 */
export const gatewayTickets = pgTable(
  'gateway_tickets',
  {
    id: uuid().primaryKey(),
    ticket_hash: byteText().notNull(),
    gateway_id: uuid()
      .notNull()
      .references(() => gateways.id, { onDelete: 'cascade' }),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    session_uuid: uuid(),
    client_ip: text(),
    host: text().notNull(),
    port: integer().notNull(),
    tunnels_left: integer().notNull(),
    follow_s: integer().notNull().default(30),
    issued_at: moment().notNull().default(sql`now()`),
    expires_at: moment().notNull(),
    used_at: moment(),
  },
  (t) => [
    uniqueIndex('gateway_tickets_ticket').on(t.ticket_hash),
    index('gateway_tickets_session').on(t.farm_id, t.session_uuid, t.used_at),
    index('gateway_tickets_gateway').on(t.gateway_id),
    index('gateway_tickets_user').on(t.user_id),
    index('gateway_tickets_issued').on(t.issued_at),
  ],
);
