import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { users } from './users.ts';

/**
 * Live login sessions; ended sessions are deleted. Only the SHA-256 of the token is stored. `idle_until` is the end
 * by inactivity, computed with the parameter in effect when `last_seen_at` was written.
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
