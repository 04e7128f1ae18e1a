import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentStand, refused, startAgentStand } from '../../support/agents.ts';
import { addGateway, base, useStand } from '../../support/factories.ts';
import { addServiceToken, addServiceUser } from '../../support/identity/service-tokens.ts';

const limit = 5;
const stand = useStand(startAgentStand);
let own: string;
let sessionToken: string;
beforeAll(async () => {
  own = await stand.initialize(1);
  const login = await stand.agent('POST /login', { body: { token: own, username: 'ada' } });
  const registered = await stand.ssa('POST /register', {
    body: { token: own, username: 'ada', session_id: login.body.result.session_id },
  });
  sessionToken = registered.body.result?.token;
  const limits = { anonymous_per_ip_per_minute: { value: limit } };
  expect((await stand.world.admin(`PUT ${base}/tconfig`, { limits })).status).toBe(200);
});

const send: AgentStand['world']['portal']['send'] = (...asked) => stand.world.portal.send(...asked);
const tripsOf = async (work: () => Promise<unknown>) => {
  const { portal } = stand.world;
  await portal.settled();
  const before = portal.trips();
  await work();
  return portal.trips() - before;
};
const times = Array.from({ length: 3 * limit }, (_, n) => n);

describe('a valid token from an address that sends wrong ones', () => {
  it('of an agent is accepted while the address is locked, with one statement', async () => {
    const ip = '198.51.100.20';
    const call = (token: string) => stand.agent('POST /test', { body: { token }, ip });
    const quiet = await tripsOf(() => call(own));
    for (const n of times) await call(`agat_${String(n).padStart(43, 'x')}`);
    const wrong = await call('x');
    expect([wrong.status, wrong.body]).toEqual([429, refused('locked_out')]);
    const valid: number[] = [];
    const flooded = await tripsOf(async () => {
      for (const _ of times) valid.push((await call(own)).status);
    });
    expect(new Set(valid)).toEqual(new Set([200]));
    expect(flooded).toBe(quiet * times.length);
  });

  it('is accepted while a flood of wrong ones is under way', async () => {
    const ip = '198.51.100.21';
    const flood = times.map((n) => stand.agent('POST /test', { body: { token: `wrong-${n}` }, ip }));
    const valid = await Promise.all(times.map(() => stand.agent('POST /test', { body: { token: own }, ip })));
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(new Set(valid.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('of an agent within a session is accepted', async () => {
    const ip = '198.51.100.22';
    const ping = (bearer: string) => stand.ssa('POST /ping', { bearer, body: {}, ip });
    for (const n of times) await ping(`wrong-${n}`);
    expect((await ping('wrong')).status).toBe(429);
    expect((await ping(sessionToken)).status).toBe(200);
    const poll = (bearer: string) => stand.ssa('GET /messages?wait=0', { bearer, ip });
    expect([(await poll('wrong')).status, (await poll(sessionToken)).status]).toEqual([429, 200]);
  });

  it('of a gateway is accepted', async () => {
    const ip = '198.51.100.23';
    const gateway = await addGateway(stand.world.admin);
    const beat = (token: string) =>
      send('POST /api/wsproxy/v7.0/heartbeat', {
        headers: { authorization: `Bearer ${token}` },
        body: {},
        ip,
      });
    for (const n of times) await beat(`wrong-${n}`);
    expect((await beat('wrong')).status).toBe(429);
    const valid: number[] = [];
    for (const _ of times) valid.push((await beat(gateway.token)).status);
    expect(new Set(valid)).toEqual(new Set([200]));
  });

  it('of a service is accepted, also by a process that has not seen it before', async () => {
    const ip = '198.51.100.24';
    const { user } = await addServiceUser(stand.world, ['sites.read']);
    const { made } = await addServiceToken(stand.world, user);
    const ask = (token: string) => send(`GET ${base}/sites`, { token, ip });
    for (const n of times) await ask(`agst_${String(n).padStart(43, 'x')}`);
    expect((await ask(`agst_${'y'.repeat(43)}`)).status).toBe(429);
    const trips = await tripsOf(async () => expect((await ask(made.token)).status).toBe(200));
    // The session lookup and the list, as without a flood; `last_used_at` is written after the answer.
    expect(trips).toBeLessThanOrEqual(3);
    const isolate = stand.world.portal.isolate();
    for (const n of times) await isolate(`GET ${base}/sites`, { token: `wrong-${n}`, ip });
    expect((await isolate(`GET ${base}/sites`, { token: made.token, ip })).status).toBe(200);
  });

  it('a request that proves nothing still counts to its address', async () => {
    const ip = '198.51.100.25';
    const statuses: number[] = [];
    for (const _ of times) statuses.push((await stand.agent('POST /test', { body: '{', ip })).status);
    expect([...new Set(statuses)]).toEqual([400, 429]);
  });
});
