import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentStand, type Calling, inForm, refused, startAgentStand } from '../../support/agents.ts';
import { useStand } from '../../support/factories.ts';
import type { Answer } from '../../support/portal.ts';

const stand = useStand(startAgentStand);
let own: string;
beforeAll(async () => {
  own = await stand.initialize(1);
});

const agent: AgentStand['agent'] = (...call) => stand.agent(...call);
const test = (token: string, ip: string) => agent('POST /test', { body: { token }, ip });

const wrongTokens = [
  'x',
  `agat_${'A'.repeat(43)}`,
  `agrt_${'A'.repeat(43)}`,
  `agsa_${'A'.repeat(43)}`,
  '\u{1f600}',
];

describe('wrong tokens', () => {
  it('lock their address for 300 s after five attempts, for further wrong tokens only', async () => {
    const ip = '198.51.100.10';
    for (const token of wrongTokens)
      expect(await test(token, ip)).toMatchObject({ status: 401, body: refused('invalid_token') });
    for (const token of ['x', `agat_${'C'.repeat(43)}`]) {
      const answer = await test(token, ip);
      expect([answer.status, answer.body]).toEqual([429, refused('locked_out')]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(295);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(300);
    }
    const bearing = await stand.ssa('POST /ping', { bearer: 'x', body: {}, ip });
    expect([bearing.status, bearing.body]).toEqual([429, refused('locked_out')]);
    expect((await test(own, ip)).status).toBe(200);
    expect((await test('x', '198.51.100.11')).status).toBe(401);
    stand.world.portal.advance(301);
    expect((await test(own, ip)).status).toBe(200);
    expect((await test('x', ip)).status).toBe(401);
    expect((await test(own, ip)).status).toBe(200);
  });

  it('count for a whole IPv6 network, and for session agents as well', async () => {
    for (const n of [1, 2, 3, 4, 5])
      await stand.ssa('POST /ping', { bearer: `wrong-${n}`, body: {}, ip: `2001:db8:7::${n}` });
    expect((await test('x', '2001:db8:7::99')).status).toBe(429);
    expect((await test(own, '2001:db8:7::99')).status).toBe(200);
    expect((await test('x', '2001:db8:8::99')).status).toBe(401);
  });

  it('are forgotten after 300 s without another attempt', async () => {
    const ip = '198.51.100.12';
    for (const _ of [1, 2, 3, 4]) await test('x', ip);
    stand.world.portal.advance(301);
    for (const _ of [1, 2, 3, 4]) expect((await test('x', ip)).status).toBe(401);
    expect((await test(own, ip)).status).toBe(200);
  });

  it('cost two database round trips, and are not logged', async () => {
    const { portal } = stand.world;
    const before = portal.trips();
    await test(`agat_${'B'.repeat(43)}`, '198.51.100.13');
    expect(portal.trips() - before).toBe(2);
    expect(JSON.stringify(portal.log)).not.toContain('BBBB');
  });
});

describe('a request of an agent', () => {
  it('may have unknown members and nulls', async () => {
    const ip = '203.0.113.40';
    const calls: [string, object][] = [
      ['test', { type: null, token: own, added: { later: true } }],
      ['ready', { token: own, ip: '10.1.1.1', port: 'many', secret: null, hostname: 'x' }],
      ['login', { token: own, username: 'eve', session_type: null, groups: [] }],
      ['logout', { token: own, session_id: null, username: null }],
      ['version', { token: own, version: `9${'0'.repeat(500)}`, build: null }],
    ];
    for (const [name, body] of calls)
      expect([name, (await agent(`POST /${name}`, { body, ip })).status]).toEqual([name, 200]);
    expect((await stand.shown(1)).agent_version).toHaveLength(64);
  });

  it.each<[string, Calling & { route?: string }, number, string]>([
    ['no body', {}, 422, 'invalid_request'],
    ['a token that is none', { body: { token: 7 } }, 422, 'invalid_request'],
    ['no JSON', { body: '{' }, 400, 'malformed_json'],
    ['a large body', { body: { token: 'x', pad: 'x'.repeat(70_000) } }, 413, 'body_too_large'],
    [
      'another type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    ['plain HTTP', { body: {}, headers: { 'x-forwarded-proto': 'http' } }, 403, 'https_required'],
    ['another method', { route: 'PUT /test' }, 405, 'method_not_allowed'],
    ['another path', { route: 'POST /tests', body: {} }, 404, 'not_found'],
    ['no session', { route: 'POST /register', body: { hostname: 'x' } }, 401, 'unauthenticated'],
  ])('is rejected in the common error format: %s', async (_, {
    route = 'POST /test',
    ...calling
  }, status, code) => {
    const answer = await agent(route, calling);
    expect([answer.status, answer.body]).toEqual([status, refused(code)]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Math.abs(answer.body.stamp * 1000 - stand.world.portal.deps.clock().getTime())).toBeLessThan(
      60_000,
    );
  });

  it('is rate limited per agent, and does not delay other agents', async () => {
    const [greedy, modest] = [await stand.initialize(0), own];
    const served: number[] = [];
    let refusal: Answer | undefined;
    while (!refusal) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => test(greedy, '203.0.113.50')));
      served.push(...answers.flatMap(({ status }) => (status === 200 ? [status] : [])));
      refusal = answers.find(({ status }) => status !== 200);
    }
    expect(served.length).toBeGreaterThanOrEqual(300);
    expect(refusal.body).toEqual(refused('rate_limited'));
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await test(modest, '203.0.113.50')).body).toEqual(inForm({ result: 'ok' }));
  });
});
