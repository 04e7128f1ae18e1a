import { beforeAll, describe, expect, it } from 'vitest';
import { eventBy } from '../../../shared/context/audit-entry.ts';
import { startAgentStand } from '../../support/agents.ts';
import {
  type Ask,
  addGateway,
  addMember,
  addRole,
  asker,
  audited,
  base,
  siteBody,
  unique,
  useStand,
} from '../../support/factories.ts';
import { addPeer, exchange, signHeartbeat } from '../../support/identity/peers.ts';
import { addServiceToken, addServiceUser } from '../../support/identity/service-tokens.ts';
import { baseUrl, type Json, type TestPortal } from '../../support/portal.ts';

const stand = useStand(startAgentStand);
let portal: TestPortal;
beforeAll(async () => {
  portal = stand.world.portal;
});

/** The members of the log line of the last request that name its caller. */
function lastCaller(): Json {
  const { by, by_id, user_id } = portal.log.findLast(({ message }) => message === 'request') ?? {};
  return JSON.parse(JSON.stringify({ by, by_id, user_id }));
}

async function addGuest(permissions: readonly string[]): Promise<{ peer: Json; token: string; ask: Ask }> {
  const role = await addRole(stand.world.admin, permissions);
  const one = await addPeer(stand.world.admin, [role.id]);
  const { token } = (await exchange(portal, one)).body;
  return { peer: one.peer, token, ask: asker(portal, token) };
}

describe('the principal of a request', () => {
  it('is a user, and the log names it', async () => {
    const { user, token } = await addMember(stand.world, []);
    await portal.send('GET /api/userinfo', { token });
    expect(lastCaller()).toEqual({ by: 'user', user_id: user.id });
  });

  it('is a service token that acts for its user', async () => {
    const { user } = await addServiceUser(stand.world, ['sites.read']);
    const { made, ask } = await addServiceToken(stand.world, user);
    expect((await ask(`GET ${base}/sites`)).status).toBe(200);
    expect(lastCaller()).toEqual({ by: 'service_token', by_id: made.id, user_id: user.id });
  });

  it('is a peer, without a user', async () => {
    const { peer, ask } = await addGuest(['sites.read']);
    expect((await ask(`GET ${base}/sites`)).status).toBe(200);
    expect(lastCaller()).toEqual({ by: 'peer', by_id: peer.id });
  });

  it('is an agent, with each of its three credentials', async () => {
    const token = await stand.initialize(1);
    expect(lastCaller()).toMatchObject({ by: 'agent', by_id: expect.any(String) });
    const { body } = await stand.agent('POST /login', { body: { token, username: 'grace' } });
    const agent = lastCaller();
    expect(agent.by).toBe('agent');
    const registered = await stand.ssa('POST /register', {
      body: { token, session_id: body.result.session_id, username: 'grace' },
    });
    expect(lastCaller()).toEqual(agent);
    await stand.ssa('POST /ping', { body: {}, bearer: registered.body.result.token });
    expect(lastCaller()).toEqual(agent);
  });

  it('is a gateway', async () => {
    const gateway = await addGateway(stand.world.admin);
    const headers = { authorization: `Bearer ${gateway.token}` };
    const answer = await portal.send('POST /api/wsproxy/v7.0/heartbeat', { headers, body: {} });
    expect(answer.status).toBe(200);
    expect(lastCaller()).toEqual({ by: 'gateway', by_id: gateway.id });
  });

  it('is a portal that reports its own heartbeat', async () => {
    const path = '/api/aggregator/v7.0/portals/heartbeat';
    const report = {
      name: unique('portal'),
      fqdn: 'portal.example.com',
      portal_type: 'user',
      runtime: 'workers',
      version: '7.0',
      started_at: '2026-11-21T08:00:00Z',
    };
    const token = await signHeartbeat(portal, { aud: `${baseUrl}${path}`, portal: report });
    expect((await portal.send(`POST ${path}`, { body: { token } })).status).toBe(200);
    expect(lastCaller()).toEqual({ by: 'portal' });
  });

  it('is anonymous, also for a machine with rejected credentials', async () => {
    await portal.send('GET /api/auth/v7.0/authenticators');
    expect(lastCaller()).toEqual({ by: 'anonymous' });
    await stand.agent('POST /ready', { body: { token: 'agat_wrong', ip: '192.0.2.1' } });
    expect(lastCaller()).toEqual({ by: 'anonymous' });
  });

  it('is a job in the audit log, without a user', () => {
    const event = { event: 'portal.EntityAction', category: 'config' } as const;
    const entry = eventBy({ kind: 'job', name: 'maintenance' }, new Date(0), event);
    expect(entry).toMatchObject({ user_name: 'system', user_id: null, domain: null, portal: null });
  });
});

describe('a peer with roles', () => {
  it('is refused where a user account is needed, whatever its roles', async () => {
    const { ask } = await addGuest(['sites.read']);
    const owned = [
      'GET /api/userinfo',
      'GET /api/userinfo/sessions',
      `GET ${base}/dashboard/user/anywhere`,
      'GET /aggregator/api/client/v7.0/anywhere/servicesList',
    ];
    for (const route of owned) expect([route, (await ask(route)).body.code]).toEqual([route, 'forbidden']);
  });

  it('is stored in writes, dry runs and repeated requests', async () => {
    const { peer, token, ask } = await addGuest(['sites.create', 'sites.read']);
    const headers = { 'idempotency-key': unique('key') };
    const options = { token, headers, body: siteBody() };
    const { result: first, events } = await audited(portal, () => portal.send(`POST ${base}/sites`, options));
    expect(first.status).toBe(201);
    expect((await portal.send(`POST ${base}/sites`, options)).body.id).toBe(first.body.id);
    const dry = await portal.send(`POST ${base}/sites`, {
      token,
      headers: { 'x-dry-run': 'true' },
      body: siteBody(),
    });
    expect(dry.body).toMatchObject({ dry_run: true, would: { status: 201, events: [{ action: 'create' }] } });
    expect(events).toMatchObject([{ user_name: peer.name, user_id: peer.id, domain: peer.issuer }]);
    expect((await ask(`GET ${base}/sites/${first.body.id}`)).status).toBe(200);
  });
});
