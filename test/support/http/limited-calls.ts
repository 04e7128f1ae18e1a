import { expect } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { agentRegistrations, workplaceAgents } from '../../../db/schema/agents/agents.ts';
import { sessionAgents } from '../../../db/schema/agents/session-agents.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import {
  agentTokenOf,
  newRegistrationToken,
  newSessionAgentToken,
} from '../../../shared/access/agent-tokens.ts';
import { sha256 } from '../../../shared/kernel/crypto/digests.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { EdgeModule } from '../../../shared/tooling/build/bundles.ts';
import { addPart, addWorkplaces } from '../fleet/snapshot-rows.ts';
import type { Asking, Json } from '../workers/local-workers.ts';

/** One for each limit. */
export const callNames = [
  'a public call',
  'a login by card',
  'a session agent',
  'an agent',
  'an ordinary call',
  'a call with pictures',
] as const;
type CallName = (typeof callNames)[number];

/** A call whose body may have `limit` bytes. */
export type LimitedCall = {
  module: EdgeModule;
  route: string;
  limit: number;
  headers: Record<string, string>;
  /** A different body each time, where a second call with the same one would be refused. */
  body: () => object;
  /** Status of the response unless the body is too large. */
  accepted: number;
};

export type LimitedResponse = { status: number; contentType: string | null | undefined; body: Json };

type Options = {
  databaseUrl: string;
  password: string;
  send: (route: string, asking: Asking) => Promise<{ status: number; body: Json }>;
};

const kibibyte = 1_024;
const webui = '/api/webui/aggregator';

export type LimitedCalls = Readonly<Record<CallName, LimitedCall>>;

/** The calls with their credentials, in a newly installed portal. */
export async function prepareLimitedCalls({ databaseUrl, password, send }: Options): Promise<LimitedCalls> {
  const credentials = { username: 'admin', password, authSmallName: 'builtin' };
  const { token } = (await send('POST /api/auth/v7.0/login', { body: credentials })).body;
  const create = async (path: string, body: object): Promise<Json> =>
    (await send(`POST ${webui}/${path}`, { token, body })).body;
  const site = await create('sites', { name: 'North', uri: 'north' });
  const farm = await create('farms', { name: 'Hall', site_id: site.id });
  const agents = await addAgents(databaseUrl, farm);
  const session = { 'x-auth-token': token };
  return {
    'a public call': {
      ...{ module: 'auth', route: 'POST /api/auth/v7.0/login', accepted: 200 },
      ...{ limit: 16 * kibibyte, headers: {}, body: () => credentials },
    },
    'a login by card': {
      ...{ module: 'auth', route: `PATCH /api/auth/v7.0/authenticators/${newId()}/pkinit/login` },
      ...{ limit: 128 * kibibyte, headers: {}, body: () => ({ certificate: 'none' }), accepted: 404 },
    },
    'a session agent': {
      ...{ module: 'ssa', route: 'POST /api/ssa/v7.0/ping', accepted: 200, limit: 64 * kibibyte },
      ...{ headers: { authorization: `Bearer ${agents.ofSession}` }, body: () => ({}) },
    },
    'an agent': {
      ...{ module: 'agent', route: 'POST /api/agent/v7.0/log', accepted: 200, limit: 64 * kibibyte },
      ...{ headers: {}, body: () => ({ token: agents.ofWorkplace, message: 'ready' }) },
    },
    'an ordinary call': {
      ...{ module: 'webui', route: `POST ${webui}/tags`, accepted: 201, limit: 256 * kibibyte },
      ...{ headers: session, body: () => ({ name: newId() }) },
    },
    'a call with pictures': {
      ...{ module: 'userinfo', route: 'PUT /api/userinfo/themes', accepted: 200 },
      ...{ limit: 2_048 * kibibyte, headers: session, body: () => ({}) },
    },
  };
}

/** The agent of a workplace, and that of a session at it. @returns their tokens */
async function addAgents(databaseUrl: string, farm: { id: string }) {
  const { db, close } = connectPg({ url: databaseUrl, maxConnections: 1 });
  const tokens = {
    ofWorkplace: agentTokenOf(newRegistrationToken(), newId()),
    ofSession: newSessionAgentToken(),
  };
  try {
    await addPart(db, farm, 'workplaces');
    await addWorkplaces(db, farm, ['desk']);
    const [workplace] = await db.select({ uuid: workplaces.uuid }).from(workplaces);
    const [id, agent_id, created_at] = [newId(), newId(), new Date()];
    await db.insert(agentRegistrations).values({ id, name: id, machine: id, token_hash: id, created_at });
    await db.insert(workplaceAgents).values({
      ...{ id: agent_id, registration_id: id, farm_id: farm.id, created_at },
      workplace_uuid: workplace?.uuid ?? '',
      token_hash: sha256(tokens.ofWorkplace),
    });
    await db.insert(sessionAgents).values({
      ...{ id: newId(), agent_id, session_uuid: newId(), created_at, last_seen_at: created_at },
      ...{ user_name: 'grace', user_key: 'grace', token_hash: sha256(tokens.ofSession) },
    });
  } finally {
    await close();
  }
  return tokens;
}

/** The body as JSON of this many bytes, with spaces after it. */
export function padded({ body }: Pick<LimitedCall, 'body'>, bytes: number): Buffer<ArrayBuffer> {
  const text = JSON.stringify(body());
  return Buffer.from(text + ' '.repeat(bytes - Buffer.byteLength(text)));
}

/** A few bytes beyond the limit, which is a third of it in UTF-16 characters. */
export const wide = ({ limit }: Pick<LimitedCall, 'limit'>): Buffer<ArrayBuffer> =>
  Buffer.from(JSON.stringify({ name: '\u4e00'.repeat(Math.ceil(limit / 3)) }));

/** Modules for agents have their own result format, all others problem documents. */
export function expectTooLarge(
  { status, contentType, body }: LimitedResponse,
  { module, limit }: LimitedCall,
): void {
  expect([status, body]).toEqual([413, expect.anything()]);
  if (module === 'agent' || module === 'ssa') {
    expect(contentType).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({ result: null, error: expect.stringMatching(/^body_too_large: /) });
    return;
  }
  expect(contentType).toBe('application/problem+json; charset=utf-8');
  expect(body).toMatchObject({
    type: '/api/errors/body_too_large',
    ...{ status: 413, code: 'body_too_large', limit_bytes: limit },
    instance: expect.any(String),
  });
}
