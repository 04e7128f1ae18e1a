import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment } from '../columns.ts';
import { workplaceAgents } from './agents.ts';

/**
 * Agents that display messages within a workplace session. Only the SHA-256 of the token is stored; `user_key` is a
 * folded name.
 */
export const sessionAgents = pgTable(
  'session_agents',
  {
    id: uuid().primaryKey(),
    agent_id: uuid()
      .notNull()
      .references(() => workplaceAgents.id, { onDelete: 'cascade' }),
    session_uuid: uuid().notNull(),
    user_name: text().notNull(),
    user_key: byteText().notNull(),
    token_hash: text().notNull(),
    created_at: moment().notNull(),
    last_seen_at: moment().notNull(),
  },
  (t) => [
    uniqueIndex('session_agents_token').on(t.token_hash),
    uniqueIndex('session_agents_session').on(t.agent_id, t.session_uuid),
    index('session_agents_age').on(t.last_seen_at),
  ],
);

/** Pending tasks of a session agent. A row is kept until it was returned (`handed_at`) and acknowledged. */
export const sessionMessages = pgTable(
  'session_messages',
  {
    id: uuid().primaryKey(),
    session_agent_id: uuid()
      .notNull()
      .references(() => sessionAgents.id, { onDelete: 'cascade' }),
    kind: text().$type<'message' | 'logoff'>().notNull(),
    title: text(),
    message: text(),
    created_at: moment().notNull(),
    handed_at: moment(),
  },
  (t) => [
    index('session_messages_agent').on(t.session_agent_id, t.id),
    index('session_messages_age').on(t.created_at),
  ],
);
