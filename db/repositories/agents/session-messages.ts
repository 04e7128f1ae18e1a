import { and, asc, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import { workplaceAgents } from '../../schema/agents/agents.ts';
import { sessionAgents, sessionMessages as table } from '../../schema/agents/session-agents.ts';
import { arrayOf } from '../records/statements.ts';
import { isAlive, noteAlive } from './sessions.ts';

type Content = { kind: 'message' | 'logoff'; title: string | null; message: string | null; at: Date };

/** Adds a message for all live session agents of these workplaces. */
export const addMessages = (
  h: Db,
  farmId: string,
  workplaces: readonly string[],
  content: Content,
): Statement =>
  insertMessages(h, farmId, sql`${workplaceAgents.workplace_uuid} = any(${arrayOf(workplaces)})`, content);

/** A session in the snapshot; `user` is a folded name. */
export type SessionKey = { farmId: string; uuid: string; workplace: string; user: string };

/**
 * Adds a log-off request for the agent of a session, if there is one. The dispatcher may use another session
 * identifier.
 */
export const addLogoffRequest = (h: Db, { farmId, uuid, workplace, user }: SessionKey, at: Date): Statement =>
  insertMessages(
    h,
    farmId,
    sql`${workplaceAgents.workplace_uuid} = ${workplace}::uuid
      and (${sessionAgents.session_uuid} = ${uuid}::uuid or ${sessionAgents.user_key} = ${user})`,
    { kind: 'logoff', title: null, message: null, at },
  );

function insertMessages(h: Db, farmId: string, to: SQL, { kind, title, message, at }: Content): Statement {
  return h.insert(table).select(
    // Ids are generated in SQL, where the recipients are selected. They are UUIDv7 and sort by time.
    sql`select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
          || '7' || substr(md5(gen_random_uuid()::text), 1, 3) || 'a' || substr(md5(gen_random_uuid()::text), 1, 15))::uuid,
        ${sessionAgents.id}, ${kind}::text, ${title}::text, ${message}::text, ${at.toISOString()}::timestamptz, null::timestamptz
      from ${sessionAgents} join ${workplaceAgents} on ${workplaceAgents.id} = ${sessionAgents.agent_id}
      where ${workplaceAgents.farm_id} = ${farmId}::uuid and ${isAlive(at)} and ${to}`,
  );
}

const shown = { id: table.id, kind: table.kind, title: table.title, message: table.message };
export type PendingMessage = { id: string } & Pick<Content, 'kind' | 'title' | 'message'>;

/** Maximum number of messages in one response. */
const maxMessages = 100;

/**
 * Returns the pending messages of a session agent, oldest first; one statement. A message is returned until it is
 * acknowledged.
 */
export async function pendingMessages(db: Db, sessionAgentId: string, now: Date): Promise<PendingMessage[]> {
  const rows = await takePending(db, sessionAgentId, now);
  return inOrder(rows);
}

/**
 * Records a sign of life of the session agent, deletes the messages that it received up to `after`, and returns the
 * others; one batch. A message that was never returned is not deleted: two concurrent messages may become visible out
 * of order.
 */
export async function acknowledge(
  db: Db,
  sessionAgentId: string,
  after: string | undefined,
  now: Date,
): Promise<PendingMessage[]> {
  const results = await atomically(db, (h) => [
    noteAlive(h, sessionAgentId, now),
    ...(after === undefined ? [] : [deleteAcknowledged(h, sessionAgentId, after)]),
    takePending(h, sessionAgentId, now),
  ]);
  return inOrder(results.at(-1) as PendingMessage[]);
}

const deleteAcknowledged = (h: Db, sessionAgentId: string, after: string): Statement =>
  h
    .delete(table)
    .where(
      and(
        eq(table.session_agent_id, sessionAgentId),
        isNotNull(table.handed_at),
        sql`${table.id} <= ${after}::uuid`,
      ),
    );

const takePending = (h: Db, sessionAgentId: string, now: Date) =>
  h
    .update(table)
    .set({ handed_at: now })
    .where(
      inArray(
        table.id,
        h
          .select({ id: table.id })
          .from(table)
          .where(eq(table.session_agent_id, sessionAgentId))
          .orderBy(asc(table.id))
          .limit(maxMessages),
      ),
    )
    .returning(shown);

const inOrder = (rows: readonly PendingMessage[]): PendingMessage[] =>
  rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
