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

/** A session that an agent tells of, written to the snapshot at once; one that is there already goes on. */
export const beginSession = (h: Db, session: Session): Statement =>
  h
    .insert(workplaceSessions)
    .values({ ...session, touched_at: sql`clock_timestamp()` })
    .onConflictDoUpdate({
      target: [workplaceSessions.farm_id, workplaceSessions.uuid],
      set: { state: session.state, last_seen_at: session.last_seen_at, touched_at: sql`clock_timestamp()` },
      // An agent says which session it means, and means none of another workplace.
      setWhere: eq(workplaceSessions.workplace_uuid, session.workplace_uuid),
    });

/** Session agents of these sessions of an agent's workplace have nothing to do any more. */
export const endSessionAgents = (h: Db, agentId: string, sessions: readonly string[]): Statement =>
  h
    .delete(sessionAgents)
    .where(and(eq(sessionAgents.agent_id, agentId), inArray(sessionAgents.session_uuid, [...sessions])));

/**
 * The agent within a session, in the place of one that was there before. What that one has not acknowledged is for this
 * one: it may have died before anybody saw it. Of somebody else's it gets nothing.
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

/** The session agent of this token with the agent of its workplace; one statement. */
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

/** Seconds that may lie between two signs of life of a session agent. */
const aliveS = 60;

/** The condition that a session agent has been heard of lately. */
export const isAlive = (now: Date): SQL =>
  sql`${sessionAgents.last_seen_at} > ${now.toISOString()}::timestamptz - ${aliveS}::int * interval '1 second'`;

export const noteAlive = (h: Db, id: string, now: Date): Statement =>
  h.update(sessionAgents).set({ last_seen_at: now }).where(eq(sessionAgents.id, id));

/** Workplaces of a pool where somebody can be reached by a session agent. @param only among these, unless all count */
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

/** All workplaces of the pool that the snapshot has. */
export async function workplacesOf(db: Db, farmId: string, pool: string): Promise<string[]> {
  const rows = await db
    .select({ uuid: workplaces.uuid })
    .from(workplaces)
    .where(and(eq(workplaces.farm_id, farmId), eq(workplaces.servicepool_uuid, pool)));
  return rows.map(({ uuid }) => uuid);
}
