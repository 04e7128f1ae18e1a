import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import * as bodies from '../bodies.ts';
import { adminLists } from '../data/admin-lists.ts';
import { sendMessage, updatePool } from '../data/pools.ts';
import type { Person } from '../data/rows.ts';
import { disconnectSession, endSession } from '../data/sessions.ts';
import type { DispatcherState } from '../data/state.ts';
import { poolView, sessionView, workplaceView } from '../data/views.ts';
import {
  assignOwner,
  changeWorkplace,
  driveMachine,
  refreshMachine,
  removeWorkplace,
} from '../data/workplaces.ts';
import { readBody } from '../input.ts';
import type { Node } from '../node.ts';
import { Refusal, unknownRow } from '../refusal.ts';

/** The calls of the aggregator itself, with a service session. */
export function adminCalls(node: Node): Hono {
  const app = new Hono();
  app.use('*', async (c, next) => {
    node.authentication.holder(c.req.header('x-auth-token'), 'service');
    await next();
  });
  app.route('/', adminLists(node));
  app.route('/servicespools', poolCalls(node.state));
  app.route('/workplaces', workplaceCalls(node.state));
  app.route('/spsessions', sessionCalls(node));
  return app;
}

function poolCalls(state: DispatcherState): Hono {
  const app = new Hono();
  const find = (uuid: string) => state.pools.get(uuid) ?? missing();
  app.get('/:uuid/policies', (c) => c.json(find(c.req.param('uuid')) && policies));
  app.put('/:uuid', async (c) => {
    const pool = find(c.req.param('uuid'));
    updatePool(state, pool, await readBody(c, bodies.PoolUpdate));
    return c.json(poolView(pool));
  });
  app.patch('/:uuid/maintenance', async (c) => {
    const pool = find(c.req.param('uuid'));
    const { maintenance, message } = await readBody(c, bodies.Maintenance);
    state.changePool(pool.name, { maintenance, maintenance_message: (maintenance && message) || null });
    return c.json(poolView(pool));
  });
  app.post('/:uuid/message', async (c) => {
    const pool = find(c.req.param('uuid'));
    return c.json(sendMessage(state, pool, await readBody(c, bodies.Message)));
  });
  return app;
}

function workplaceCalls(state: DispatcherState): Hono {
  const app = new Hono();
  const find = (uuid: string) => state.workplaces.get(uuid) ?? missing();
  app.patch('/:uuid/assign', async (c) => {
    const workplace = find(c.req.param('uuid'));
    assignOwner(state, workplace, personOf(state, await readBody(c, bodies.Assignment)));
    return c.json(workplaceView(workplace));
  });
  app.patch('/:uuid/machine', async (c) => {
    const workplace = find(c.req.param('uuid'));
    driveMachine(state, workplace, (await readBody(c, bodies.MachineOrder)).action);
    return c.json(workplaceView(workplace));
  });
  app.patch('/:uuid/maintenance', async (c) => {
    const workplace = find(c.req.param('uuid'));
    const { maintenance } = await readBody(c, bodies.Maintenance);
    changeWorkplace(state, workplace, { maintenance });
    return c.json(workplaceView(workplace));
  });
  app.patch('/:uuid/refresh', async (c) => {
    const workplace = find(c.req.param('uuid'));
    refreshMachine(state, workplace, (await readBody(c, bodies.Refresh)).force);
    return c.json(workplaceView(workplace));
  });
  app.patch('/:uuid/tags', async (c) => {
    const workplace = find(c.req.param('uuid'));
    changeWorkplace(state, workplace, await readBody(c, bodies.Tags));
    return c.json(workplaceView(workplace));
  });
  app.delete('/:uuid', (c) => {
    const workplace = find(c.req.param('uuid'));
    removeWorkplace(state, workplace);
    return c.json({ ...workplaceView(workplace), state: 'removing' }, 202);
  });
  return app;
}

function sessionCalls({ state, name, knobs }: Node): Hono {
  const app = new Hono();
  const find = (uuid: string) => state.sessions.get(uuid) ?? missing();
  app.patch('/:uuid/disconnect', (c) => {
    const session = find(c.req.param('uuid'));
    disconnectSession(state, session);
    return c.json(sessionView(session));
  });
  app.patch('/:uuid/logoff', (c) => {
    const session = find(c.req.param('uuid'));
    endSession(state, session);
    return c.json({ ...sessionView(session), state: 'disconnected' });
  });
  app.patch('/:uuid/raconnect', (c) => {
    find(c.req.param('uuid'));
    const once = randomBytes(24).toString('base64url');
    const url = knobs.assistanceUrl ?? `https://${name}.example/assist/${once}`;
    return c.json({ url, expires_in: 300 });
  });
  return app;
}

/** @throws Refusal 422 for an unknown label */
function personOf({ domains }: DispatcherState, { domain, user }: bodies.Assignment): Person | null {
  if (user === null) return null;
  const known = domains.find(({ authSmallName }) => authSmallName.toLowerCase() === domain?.toLowerCase());
  if (!known) throw new Refusal(422, 'unknown_domain', 'The domain is not known here');
  return { domain: known.authSmallName, name: user };
}

function missing(): never {
  throw unknownRow();
}

const policies = [
  {
    key: 'clipboard',
    name: 'Clipboard',
    group: 'Redirection',
    value: true,
    default: true,
    type: 'bool',
    inherited: true,
  },
  {
    key: 'drives',
    name: 'Drives',
    group: 'Redirection',
    value: false,
    default: false,
    type: 'bool',
    inherited: true,
  },
  {
    key: 'idle_logoff_s',
    name: 'Log off when idle',
    group: 'Sessions',
    value: 3_600,
    default: 0,
    type: 'number',
    inherited: false,
  },
];
