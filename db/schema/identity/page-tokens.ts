import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';
import { loginSessions } from './login-sessions.ts';

/** API tokens of pages of a browser session. Only the SHA-256 is stored, and no token outlives its session. */
export const pageTokens = pgTable(
  'page_tokens',
  {
    id: uuid().primaryKey(),
    token_hash: text().notNull(),
    session_id: uuid()
      .notNull()
      .references(() => loginSessions.id, { onDelete: 'cascade' }),
    expires_at: moment().notNull(),
  },
  (t) => [
    uniqueIndex('page_tokens_token').on(t.token_hash),
    index('page_tokens_session').on(t.session_id, t.expires_at),
    index('page_tokens_age').on(t.expires_at),
  ],
);
