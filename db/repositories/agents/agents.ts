import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { atomically, type Db, type Statement } from '../../client.ts';
import {
  workplaceAgents as agents,
  agentRegistrations as registrations,
} from '../../schema/agents/agents.ts';
import { farms } from '../../schema/sites/farms.ts';
import { workplaceSessions } from '../../schema/snapshot/workplace-sessions.ts';
import { workplaces } from '../../schema/snapshot/workplaces.ts';
import { type Scope, within } from '../records/scope.ts';
import { arrayOf, derived } from '../records/statements.ts';

/** A session of the agent's workplace, from the snapshot. */
export type AgentSession = { uuid: string; user_key: string };

/** Columns of a workplace that has an agent or may get one. */
const workplaceMembers = {
  uuid: workplaces.uuid,
  /** The identifier if the node provides no name. */
  name: sql<string>`coalesce(${workplaces.name}, ${workplaces.uuid}::text)`,
  servicepool_uuid: workplaces.servicepool_uuid,
  servicepool_name: workplaces.servicepool_name,
  unique_id: workplaces.unique_id,
  ip: workplaces.ip,
  state: workplaces.state,
  owner_domain: workplaces.owner_domain,
  owner_name: workplaces.owner_name,
  client_ip: workplaces.client_ip,
  client_host: workplaces.client_host,
  in_use_since: workplaces.in_use_since,
  agent_seen_at: workplaces.agent_seen_at,
  agent_version: workplaces.agent_version,
};

/** An agent with its workplace; `workplace` is null while the snapshot does not contain it. */
export const agentMembers = {
  id: agents.id,
  farm: { id: farms.id, name: farms.name },
  workplace: workplaceMembers,
  sessions: derived<AgentSession[]>(sql`
    select coalesce(json_agg(json_build_object('uuid', ${workplaceSessions.uuid}, 'user_key', ${workplaceSessions.user_key})
      order by ${workplaceSessions.started_at}), '[]')
    from ${workplaceSessions} where ${workplaceSessions.farm_id} = ${agents.farm_id}
      and ${workplaceSessions.workplace_uuid} = ${agents.workplace_uuid}`),
};

export const ofAgent: SQL | undefined = and(
  eq(workplaces.farm_id, agents.farm_id),
  eq(workplaces.uuid, agents.workplace_uuid),
);

/** Returns the agent with this token and marks the token as used; one statement. */
export async function findAgent(db: Db, tokenHash: string) {
  const used = db.$with('used').as(
    db
      .update(agents)
      .set({ used_at: sql`now()` })
      .where(and(eq(agents.token_hash, tokenHash), isNull(agents.used_at)))
      .returning({ id: agents.id }),
  );
  const [row] = await db
    .with(used)
    .select(agentMembers)
    .from(agents)
    .innerJoin(farms, eq(farms.id, agents.farm_id))
    .leftJoin(workplaces, ofAgent)
    .where(eq(agents.token_hash, tokenHash));
  return row;
}

export type AgentRecord = NonNullable<Awaited<ReturnType<typeof findAgent>>>;

/** Returns the registration with this token; one statement. */
export async function findRegistration(db: Db, tokenHash: string) {
  const [row] = await db
    .select({ id: registrations.id, sites: registrations.sites })
    .from(registrations)
    .where(eq(registrations.token_hash, tokenHash));
  return row;
}

/** Maximum number of workplaces with one of the addresses of a machine. Copies of an image can share an address. */
const maxMatches = 16;

/** Returns the workplaces of these sites that have one of the MAC addresses, in any of the given spellings. */
export async function findMachines(db: Db, spellings: readonly string[], scope: Scope) {
  if (spellings.length === 0) return [];
  return db
    .select({ farm: { id: farms.id, name: farms.name }, workplace: workplaceMembers })
    .from(workplaces)
    .innerJoin(farms, eq(farms.id, workplaces.farm_id))
    .where(and(inArray(workplaces.unique_id, [...spellings]), within(farms.site_id, scope)))
    .limit(maxMatches);
}

type Registration = typeof registrations.$inferInsert;

/**
 * Registers a machine. An earlier registration of the machine is deleted with the agents created from it, unless it
 * includes sites outside of the scope of the caller.
 */
export const addRegistration = (h: Db, registration: Registration, scope: Scope): Statement[] => [
  h
    .delete(registrations)
    .where(
      and(
        eq(registrations.machine, registration.machine),
        scope === '*' ? undefined : sql`${registrations.sites} <@ ${arrayOf(scope)}`,
      ),
    ),
  h.insert(registrations).values(registration),
];

/** An agent with a token derived from `nonce`. */
type NewAgent = typeof agents.$inferInsert & { nonce: string };

/**
 * Stores the agent of a workplace. It replaces an earlier agent, whose token becomes invalid; session agents and
 * messages of the earlier agent are kept. A token of the same registration that was not used yet stays valid instead,
 * so that a repeated request gets the same response. The statements of `also` follow in the same batch.
 * @param also receives the condition that the token is new
 * @returns the nonce of the valid token
 */
export async function admitAgent(
  db: Db,
  agent: NewAgent,
  also: (h: Db, isNew: SQL) => readonly Statement[],
): Promise<string> {
  const [stored] = await atomically(db, (h) => [upsertAgent(h, agent), ...also(h, hasNonce(agent))]);
  const [row] = stored as { nonce: string }[];
  if (!row) throw new Error('the upsert of an agent returned no row');
  return row.nonce;
}

const isRepeated = sql`${agents.registration_id} = excluded.registration_id and ${agents.used_at} is null
  and ${agents.nonce} is not null`;
const unlessRepeated = (column: 'nonce' | 'token_hash'): SQL =>
  sql`case when ${isRepeated} then ${agents[column]} else excluded.${sql.identifier(column)} end`;

const upsertAgent = (h: Db, agent: NewAgent): Statement =>
  h
    .insert(agents)
    .values(agent)
    .onConflictDoUpdate({
      target: [agents.farm_id, agents.workplace_uuid],
      set: {
        token_hash: unlessRepeated('token_hash'),
        nonce: unlessRepeated('nonce'),
        registration_id: agent.registration_id,
        used_at: null,
      },
    })
    .returning({ nonce: agents.nonce });

const hasNonce = ({ farm_id, workplace_uuid, nonce }: NewAgent): SQL =>
  sql`exists(select 1 from ${agents} where ${and(
    eq(agents.farm_id, farm_id),
    eq(agents.workplace_uuid, workplace_uuid),
    eq(agents.nonce, nonce),
  )})`;
