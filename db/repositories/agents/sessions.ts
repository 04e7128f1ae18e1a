import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { workplaceAgents } from '../../schema/agents/agents.ts';
import { sessionAgents } from '../../schema/agents/session-agents.ts';
import { farms } from '../../schema/sites/farms.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { oneOf } from '../records/statements.ts';
import { agentMembers, ofAgent } from './agents.ts';

type Session = typeof workplaceSessions.$inferInsert & { workplace_uuid: string };

/** Writes a session reported by an agent to the snapshot immediately; an existing session is updated. */
export const beginSession = (h: Db, session: Session): Statement =>
  h
    .insert(workplaceSessions)
    .values({ ...session, touched_at: sql`clock_timestamp()` })
    .onConflictDoUpdate({
      target: [workplaceSessions.farm_id, workplaceSessions.uuid],
      set: { state: session.state, last_seen_at: session.last_seen_at, touched_at: sql`clock_timestamp()` },
      // The session identifier comes from the agent and must not belong to another workplace.
      setWhere: eq(workplaceSessions.workplace_uuid, session.workplace_uuid),
    });

/** Deletes the session agents of ended sessions of an agent's workplace. */
export const endSessionAgents = (h: Db, agentId: string, sessions: readonly string[]): Statement =>
  h
    .delete(sessionAgents)
    .where(and(eq(sessionAgents.agent_id, agentId), inArray(sessionAgents.session_uuid, [...sessions])));

/**
 * Adds the agent of a session, replacing an earlier one. Messages that the earlier agent did not acknowledge pass to
 * the new one, because it may have crashed before the user saw them. Messages for another user are deleted.
 */
export const addSessionAgent = (h: Db, agent: typeof sessionAgents.$inferInsert): Statement[] => [
  h.delete(sessionAgents).where(and(inSession(agent), ne(sessionAgents.user_key, agent.user_key))),
  h
    .insert(sessionAgents)
    .values(agent)
    .onConflictDoUpdate({
      target: [sessionAgents.agent_id, sessionAgents.session_uuid],
      set: {
        user_name: agent.user_name,
        user_key: agent.user_key,
        token_hash: agent.token_hash,
        created_at: agent.created_at,
        last_seen_at: agent.last_seen_at,
      },
    }),
];

const inSession = ({ agent_id, session_uuid }: typeof sessionAgents.$inferInsert): SQL | undefined =>
  and(eq(sessionAgents.agent_id, agent_id), eq(sessionAgents.session_uuid, session_uuid));

/** Returns the session agent with this token, and the agent of its workplace; one statement. */
export async function findSessionAgent(db: Db, tokenHash: string) {
  const [row] = await db
    .select({
      ...agentMembers,
      session: {
        id: sessionAgents.id,
        uuid: sessionAgents.session_uuid,
        user_name: sessionAgents.user_name,
        last_seen_at: sessionAgents.last_seen_at,
      },
    })
    .from(sessionAgents)
    .innerJoin(workplaceAgents, eq(workplaceAgents.id, sessionAgents.agent_id))
    .innerJoin(farms, eq(farms.id, workplaceAgents.farm_id))
    .leftJoin(workplaces, ofAgent)
    .where(eq(sessionAgents.token_hash, tokenHash));
  return row;
}

/** Seconds without a sign of life after which a session agent counts as gone. */
const aliveS = 60;

/** The condition that a session agent is alive. */
export const isAlive = (now: Date): SQL =>
  sql`${sessionAgents.last_seen_at} > ${now.toISOString()}::timestamptz - ${aliveS}::int * interval '1 second'`;

export const noteAlive = (h: Db, id: string, now: Date): Statement =>
  h.update(sessionAgents).set({ last_seen_at: now }).where(eq(sessionAgents.id, id));

/**
 * Returns the workplaces of a pool with a live session agent. @param only restricts the result to these workplaces
 */
export async function findReachable(
  db: Db,
  { farmId, pool, only }: { farmId: string; pool: string; only: readonly string[] | undefined },
  now: Date,
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ uuid: workplaceAgents.workplace_uuid })
    .from(sessionAgents)
    .innerJoin(workplaceAgents, eq(workplaceAgents.id, sessionAgents.agent_id))
    .innerJoin(workplaces, ofAgent)
    .where(
      and(
        eq(workplaceAgents.farm_id, farmId),
        eq(workplaces.servicepool_uuid, pool),
        isAlive(now),
        only && oneOf(workplaceAgents.workplace_uuid, only),
      ),
    );
  return rows.map(({ uuid }) => uuid);
}

/** Returns all workplaces of the pool in the snapshot. */
export async function workplacesOf(db: Db, farmId: string, pool: string): Promise<string[]> {
  const rows = await db
    .select({ uuid: workplaces.uuid })
    .from(workplaces)
    .where(and(eq(workplaces.farm_id, farmId), eq(workplaces.servicepool_uuid, pool)));
  return rows.map(({ uuid }) => uuid);
}
