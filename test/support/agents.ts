import { asc, eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { agentRegistrations, workplaceAgents } from '../../db/schema/agents/agents.ts';
import { sessionAgents, sessionMessages } from '../../db/schema/agents/session-agents.ts';
import { monitoringRecords } from '../../db/schema/monitoring/records.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { serveNode } from '../../shared/runtime/node/server.ts';
import { startWorld, unique, type World } from './factories.ts';
import { type Fleet, listed, startFleet, workplaceOf } from './fleet/fleet.ts';
import type { Answer, Json, TestPortal } from './portal.ts';

export type Calling = {
  body?: unknown;
  bearer?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Where the agent calls from. */
  ip?: string;
};

/** Calls of an agent over a socket, with its headers only. */
type Call = (route: string, calling?: Calling) => Promise<Answer>;

export type AgentStand = {
  /** The address of the portal as a proxy uses it. */
  url: string;
  world: World;
  fleet: Fleet;
  agent: Call;
  ssa: Call;
  /** A machine registered by the administrator. @returns the token of the registration */
  register(hostname?: string): Promise<string>;
  /** The token of a workplace of the pool Office. */
  initialize(n: number, token?: string): Promise<string>;
  /** The workplace as the list shows it. */
  shown(n: number): Promise<Json>;
  sessions(): Promise<Json[]>;
  /** The journal records of the farm, oldest first. */
  journal(): Promise<Json[]>;
  close(): Promise<void>;
};

/** The portal behind a real port, with a farm whose workplaces have agents. */
export async function startAgentStand(): Promise<AgentStand> {
  const world = await startWorld();
  const { portal, admin } = world;
  const fleet = await startFleet(world);
  const log = { error: () => undefined };
  // Behind a proxy that ends TLS, so that callers can have any address.
  const serving = await serveNode({
    fetch: portal.portal.fetch,
    host: '127.0.0.1',
    port: 0,
    trustProxy: 1,
    log,
  });
  const url = `http://127.0.0.1:${serving.port}`;
  const agent = callerOf(`${url}/api/agent/v7.0`);
  const register = async (hostname = unique('image')): Promise<string> =>
    (await admin('POST /api/agent/v7.0/register', { hostname })).body.result;
  return {
    url,
    world,
    fleet,
    agent,
    ssa: callerOf(`${url}/api/ssa/v7.0`),
    register,
    initialize: async (n, token) => {
      const id = [{ mac: workplaceOf(fleet, 'Office', n).unique_id, ip: '10.9.9.9' }];
      const body = { type: 'managed', version: '4.0', token: token ?? (await register()), id };
      return (await agent('POST /initialize', { body })).body.result.own_token;
    },
    shown: async (n) => {
      const { uuid } = workplaceOf(fleet, 'Office', n);
      return (await listed(world, fleet, 'workplaces')).find((one) => one.uuid === uuid);
    },
    sessions: () => listed(world, fleet, 'spsessions'),
    journal: () =>
      portal.db
        .select()
        .from(monitoringRecords)
        .where(eq(monitoringRecords.object_id, fleet.farm.id))
        .orderBy(asc(monitoringRecords.at), asc(monitoringRecords.id)),
    close: async () => {
      await serving.close(0);
      await fleet.simulator.close();
      await portal.close();
    },
  };
}

const callerOf =
  (base: string): Call =>
  async (route, { body, bearer, headers = {}, signal, ip = '203.0.113.7' } = {}) => {
    const [method = 'GET', path = ''] = route.split(' ');
    const response = await fetch(base + path, {
      method,
      signal: signal ?? null,
      headers: {
        'x-forwarded-for': ip,
        'x-forwarded-proto': 'https',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : '' };
  };

/** Simulates a user with a registered agent at the workplace, last seen at the given time. */
export async function addSessionAgent({ db }: TestPortal, farm: Json, workplace: string, at: string) {
  const [id, agent_id, created_at] = [newId(), newId(), new Date(at)];
  const user = { user_name: 'grace', user_key: 'grace' };
  await db.insert(agentRegistrations).values({ id, name: id, machine: id, token_hash: id, created_at });
  const own = { id: agent_id, token_hash: agent_id, created_at };
  await db
    .insert(workplaceAgents)
    .values({ ...own, registration_id: id, farm_id: farm.id, workplace_uuid: workplace });
  await db
    .insert(sessionAgents)
    .values({ ...own, ...user, agent_id, session_uuid: newId(), last_seen_at: created_at });
}

/** Pending messages to session agents of the workplace. */
export const messagesLeft = ({ db }: TestPortal, workplace: string) =>
  db
    .select({ kind: sessionMessages.kind, message: sessionMessages.message })
    .from(sessionMessages)
    .innerJoin(sessionAgents, eq(sessionAgents.id, sessionMessages.session_agent_id))
    .innerJoin(workplaceAgents, eq(workplaceAgents.id, sessionAgents.agent_id))
    .where(eq(workplaceAgents.workplace_uuid, workplace));

/** The timestamp and the version, besides the result of a response. */
export const inForm = (given: Record<string, unknown>): Json => ({
  stamp: expect.any(Number),
  version: '7.0',
  ...given,
});

/** A refusal of this code. */
export const refused = (code: string): Json =>
  inForm({ result: null, error: expect.stringMatching(new RegExp(`^${code}: .`)) });
