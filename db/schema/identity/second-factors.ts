import { integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { users } from './users.ts';

/** The TOTP device of a user. `last_step` is the time step (of 30 s) of the last code that was accepted. */
export const secondFactors = pgTable('second_factors', {
  user_id: uuid()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  sealed_secret: text().notNull(),
  last_step: integer().notNull(),
  enrolled_at: moment().notNull(),
});

/** What a user without his device has left: each is deleted when it is used. Only the SHA-256 is kept. */
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
