import { and, asc, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import { workplaceAgents } from '../../schema/agents/agents.ts';
import { sessionAgents, sessionMessages as table } from '../../schema/agents/session-agents.ts';
import { arrayOf } from '../records/statements.ts';
import { isAlive, noteAlive } from './sessions.ts';

type Content = { kind: 'message' | 'logoff'; title: string | null; message: string | null; at: Date };

/** Leaves something for all session agents of these workplaces that are alive. */
export const leaveAt = (h: Db, farmId: string, workplaces: readonly string[], content: Content): Statement =>
  leave(h, farmId, sql`${workplaceAgents.workplace_uuid} = any(${arrayOf(workplaces)})`, content);

/** A session as the snapshot has it; `user` is a folded name. */
export type SessionAt = { farmId: string; uuid: string; workplace: string; user: string };

/** Has the agent of a session end it, if there is one; the dispatcher may know the session by another identifier. */
export const leaveLogoff = (h: Db, { farmId, uuid, workplace, user }: SessionAt, at: Date): Statement =>
  leave(
    h,
    farmId,
    sql`${workplaceAgents.workplace_uuid} = ${workplace}::uuid
      and (${sessionAgents.session_uuid} = ${uuid}::uuid or ${sessionAgents.user_key} = ${user})`,
    { kind: 'logoff', title: null, message: null, at },
  );

function leave(h: Db, farmId: string, to: SQL, { kind, title, message, at }: Content): Statement {
  return h.insert(table).select(
    // Made by the database, as whom it is for is known there alone; the moment comes first, so that they sort by it.
    sql`select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
          || '7' || substr(md5(gen_random_uuid()::text), 1, 3) || 'a' || substr(md5(gen_random_uuid()::text), 1, 15))::uuid,
        ${sessionAgents.id}, ${kind}::text, ${title}::text, ${message}::text, ${at.toISOString()}::timestamptz, null::timestamptz
      from ${sessionAgents} join ${workplaceAgents} on ${workplaceAgents.id} = ${sessionAgents.agent_id}
      where ${workplaceAgents.farm_id} = ${farmId}::uuid and ${isAlive(at)} and ${to}`,
  );
}

const shown = { id: table.id, kind: table.kind, title: table.title, message: table.message };
export type ShownMessage = { id: string } & Pick<Content, 'kind' | 'title' | 'message'>;

/** More at once nobody reads. */
const mostAtOnce = 100;

/** What waits for a session agent, the oldest first; one statement. Until it is acknowledged it is shown again. */
export async function handOut(db: Db, sessionAgentId: string, now: Date): Promise<ShownMessage[]> {
  const rows = await handing(db, sessionAgentId, now);
  return inOrder(rows);
}

/**
 * Notes that the session agent is there, takes away what it has seen up to `after`, and shows the rest; one batch. What
 * was not shown yet is not taken away: of two written at the same time one may be seen later.
 */
export async function acknowledge(
  db: Db,
  sessionAgentId: string,
  after: string | undefined,
  now: Date,
): Promise<ShownMessage[]> {
  const results = await atomically(db, (h) => [
    noteAlive(h, sessionAgentId, now),
    ...(after === undefined ? [] : [takeAway(h, sessionAgentId, after)]),
    handing(h, sessionAgentId, now),
  ]);
  return inOrder(results.at(-1) as ShownMessage[]);
}

const takeAway = (h: Db, sessionAgentId: string, after: string): Statement =>
  h
    .delete(table)
    .where(
      and(
        eq(table.session_agent_id, sessionAgentId),
        isNotNull(table.handed_at),
        sql`${table.id} <= ${after}::uuid`,
      ),
    );

const handing = (h: Db, sessionAgentId: string, now: Date) =>
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
          .limit(mostAtOnce),
      ),
    )
    .returning(shown);

const inOrder = (rows: readonly ShownMessage[]): ShownMessage[] =>
  rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
