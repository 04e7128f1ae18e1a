import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { users } from './users.ts';

/**
 * Live sessions; an ended one is deleted. Only the SHA-256 of the token is kept. `idle_until` is when the session ends for
 * want of use, by the parameter of the moment in which `last_seen_at` was written.
 */
export const loginSessions = pgTable(
  'login_sessions',
  {
    id: uuid().primaryKey(),
    token_hash: text().notNull(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    portal: text().$type<'admin' | 'user'>().notNull(),
    source_ip: text().notNull(),
    user_agent: text().notNull().default(''),
    platform: text().notNull().default(''),
    locale: text(),
    created_at: moment().notNull(),
    last_seen_at: moment().notNull(),
    idle_until: moment(),
  },
  (t) => [
    uniqueIndex('login_sessions_token').on(t.token_hash),
    index('login_sessions_user').on(t.user_id, t.created_at),
    index('login_sessions_seen').on(t.last_seen_at),
  ],
);
