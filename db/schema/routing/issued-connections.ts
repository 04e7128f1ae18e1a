import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { users } from '../identity/users.ts';
import { farms } from '../sites/farms.ts';
import { rules } from './rules.ts';

/**
 * The last connection issued to a user through a rule. It takes precedence until the snapshot contains its session. With
 * another outcome no connection was issued: a machine is prepared for the user, or the node did not answer the request.
 */
export const issuedConnections = pgTable(
  'issued_connections',
  {
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    rule_id: uuid()
      .notNull()
      .references(() => rules.id, { onDelete: 'cascade' }),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'cascade' }),
    servicepool_uuid: uuid(),
    issued_at: moment().notNull(),
    outcome: text().$type<'issued' | 'preparing' | 'outcome_unknown'>().notNull().default('issued'),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.rule_id] }), index('issued_connections_age').on(t.issued_at)],
);
