import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { pools } from '../../../db/schema/snapshot/pools.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { addWorkplaces } from '../../support/fleet/snapshot-rows.ts';
import {
  type Json,
  type LocalPortal,
  startWorkers,
  workersVariables,
} from '../../support/workers/local-workers.ts';

const webui = '/api/webui/aggregator';
const password = 'correct horse battery staple';

let folder: string;
let database: FreshDatabase;
let connection: Connection;
let portal: LocalPortal;
let token: string;
let farm: Json;
let workplace: typeof workplaces.$inferSelect;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-agents-'));
  database = await freshDatabase();
  connection = connectPg({ url: database.url, maxConnections: 1 });
  portal = await startWorkers(await workersVariables({ folder, databaseUrl: database.url, password }));
  const body = { username: 'admin', password, authSmallName: 'builtin' };
  token = (await portal.send('POST /api/auth/v7.0/login', { body })).body.token;
  const site = await create('sites', { name: 'North', uri: 'north' });
  farm = await create('farms', { name: 'Hall 1', site_id: site.id });
  await addWorkplaces(connection.db, farm, ['desk-1']);
  const [only] = await connection.db.select().from(workplaces);
  if (!only) throw new Error('no workplace');
  workplace = only;
  await connection.db.insert(pools).values(poolOf(only));
});
afterAll(async () => {
  await portal?.stop();
  await connection?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const create = async (path: string, body: object): Promise<Json> =>
  (await portal.send(`POST ${webui}/${path}`, { token, body })).body;

const poolOf = ({ farm_id, servicepool_uuid }: typeof workplaces.$inferSelect) => ({
  farm_id,
  uuid: servicepool_uuid ?? '',
  name: 'Office',
  name_key: 'office',
  short_name: '',
  comments: '',
  state: 'active',
  visible: true,
  maintenance: false,
  protocols: ['rdp'],
  initial_srvs: 1,
  cache_l1_srvs: 0,
  cache_l2_srvs: 0,
  max_srvs: 1,
  workplaces_count: 1,
  in_use_count: 0,
  in_preparation_count: 0,
  usage_percent: 0,
  restrained: false,
  tags: [],
});

it('an agent works through Workers, and a message reaches an agent that waits in another isolate', async () => {
  const agent = async (name: string, body: object): Promise<Json> => {
    const answer = await portal.send(`POST /api/agent/v7.0/${name}`, { body });
    expect(answer).toMatchObject({ status: 200, body: { version: '7.0' } });
    return answer.body.result;
  };
  const registered = await portal.send('POST /api/agent/v7.0/register', {
    token,
    body: { hostname: 'image' },
  });
  const id = [{ mac: workplace.unique_id }];
  const { own_token } = await agent('initialize', { token: registered.body.result, id, version: '4.0' });
  expect(await agent('ready', { token: own_token, ip: '10.1.1.1' })).toMatchObject({
    private_key: expect.stringContaining('ENCRYPTED'),
    server_certificate: expect.stringContaining('CERTIFICATE'),
  });
  const { session_id } = await agent('login', { token: own_token, username: 'ada', session_type: 'rdp' });
  await agent('log', { token: own_token, level: 'error', message: 'no network' });
  const registration = { token: own_token, session_id, username: 'ada' };
  const joined = await portal.send('POST /api/ssa/v7.0/register', { body: registration });
  const headers = { authorization: `Bearer ${joined.body.result.token}` };
  const events = [{ kind: 'locked', data: { by: 'ada' } }];
  expect(await portal.send('POST /api/ssa/v7.0/events', { headers, body: { events } })).toMatchObject({
    status: 200,
  });
  const waiting = portal.send('GET /api/ssa/v7.0/messages?wait=25', { headers });
  const said = await portal.send(
    `POST ${webui}/workplaces/${farm.id}/message/${workplace.servicepool_uuid}`,
    {
      token,
      body: { workplaces: [workplace.uuid], message: 'Lunch' },
    },
  );
  expect(said).toMatchObject({ status: 200, body: { delivered: [workplace.uuid], failed: [] } });
  const { items } = (await waiting).body.result;
  expect(items).toMatchObject([{ kind: 'message', message: 'Lunch' }]);
  const rest = await portal.send(`GET /api/ssa/v7.0/messages?wait=0&after=${items[0].id}`, { headers });
  expect(rest.body.result.items).toEqual([]);
  await agent('logout', { token: own_token, session_id });
  const journal = await portal.send(`GET ${webui}/monitoring?object_id=${farm.id}&sort=at`, { token });
  expect(journal.body.items.map(({ code }: Json) => code)).toEqual([
    'agent_initialized',
    'agent_ready',
    'session_begun',
    'agent_log',
    'session_event',
    'session_ended',
  ]);
  expect(await portal.send('POST /api/ssa/v7.0/ping', { headers, body: {} })).toMatchObject({
    status: 401,
    body: { result: null, error: expect.stringMatching(/^invalid_token: /) },
  });
});
