import { integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { users } from './users.ts';

/** TOTP devices of users. `last_step` is the time step (30 s) of the last accepted code. */
export const secondFactors = pgTable('second_factors', {
  user_id: uuid()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  sealed_secret: text().notNull(),
  last_step: integer().notNull(),
  enrolled_at: moment().notNull(),
});

/** Recovery codes for users who have lost their device; each is deleted after use. Only the SHA-256 is stored. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    user_id: uuid()
      .notNull()
      .references(() => secondFactors.user_id, { onDelete: 'cascade' }),
    code_hash: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.code_hash] })],
);
