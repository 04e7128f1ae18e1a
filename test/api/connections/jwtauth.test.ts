import { eq } from 'drizzle-orm';
import { afterAll, describe, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import type { SimulatorOptions } from '../../simulator/start.ts';
import {
  addMember,
  addNode,
  audited,
  base,
  type SimulatedNode,
  unique,
  useWorld,
} from '../../support/factories.ts';

const world = useWorld();
const nodes: SimulatedNode[] = [];

afterAll(async () => {
  await Promise.all(nodes.map(({ simulator }) => simulator.close()));
});

async function node(simulator: Partial<SimulatorOptions> = {}, dispatcher: Record<string, unknown> = {}) {
  const one = await addNode(world, world.farm, { simulator, dispatcher });
  nodes.push(one);
  return one;
}
const authorize = ({ dispatcher }: SimulatedNode, ask = world.admin) =>
  ask('POST /api/auth/v7.0/jwtauth', { dispatcher_id: dispatcher.id });

describe('jwtauth', () => {
  it('exchanges a token signed by the portal for a session key, which is stored sealed', async () => {
    const one = await node();
    const { result, events } = await audited(world.portal, () => authorize(one));
    expect([result.status, result.body]).toEqual([
      200,
      { result: 'ok', dispatcher_id: one.dispatcher.id, expires_in: 600 },
    ]);
    expect(events).toMatchObject([
      {
        event: 'aggregator.DispatcherAuthorized',
        result: 'success',
        object_id: one.dispatcher.id,
        user_name: 'admin',
      },
    ]);
    const [kept] = await world.portal.db
      .select()
      .from(dispatcherSessions)
      .where(eq(dispatcherSessions.dispatcher_id, one.dispatcher.id));
    expect(kept).toMatchObject({ subject: 'aggregator', user_id: null });
    expect(kept?.sealed_key).toMatch(/^[0-9a-f]{8}\.[\w-]+\.[\w-]+$/);
    expect(one.simulator.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/auth/v7.0/jwtauth',
    ]);
    expect(one.simulator.calls[0]?.headers['x-request-id']).toBe(result.headers.get('x-request-id'));
  });

  it('is refused by a node with another name, which is then unauthorized', async () => {
    const one = await node({ name: unique('somebody-else') });
    const { result, events } = await audited(world.portal, () => authorize(one));
    expect([result.status, result.body]).toEqual([
      502,
      expect.objectContaining({
        code: 'upstream_refused',
        reason: 'unauthorized',
        retryable: true,
        dispatcher: one.dispatcher.name,
        farm: world.farm.name,
        site: world.site.name,
      }),
    ]);
    expect(events).toMatchObject([
      { event: 'aggregator.DispatcherRefused', result: 'failure', details: { code: 'upstream_refused' } },
    ]);
    const read = await world.admin(`GET ${base}/dispatchers/${one.dispatcher.id}`);
    expect(read.body).toMatchObject({ status: 'unauthorized', last_error: 'upstream_refused' });
  });

  it.each([
    'expired',
    'wrong_name',
    'self_signed',
    'unknown_ca',
  ] as const)('does not connect to a node whose certificate is %s', async (certificate) => {
    const one = await node({ certificate });
    const { result, events } = await audited(world.portal, () => authorize(one));
    expect([result.status, result.body.code, result.body.reason]).toEqual([502, 'upstream_tls', certificate]);
    expect(events).toMatchObject([
      { event: 'aggregator.DispatcherRefused', details: { reason: certificate } },
    ]);
    expect(one.simulator.calls).toEqual([]);
  });

  it('times out for a node that hangs', async () => {
    const one = await node({ knobs: { hang: 'headers' } }, { timeout_ms: 500 });
    const started = performance.now();
    const { status, body, headers } = await authorize(one);
    expect([status, body.code, body.dispatcher]).toEqual([504, 'upstream_timeout', one.dispatcher.name]);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it.each([
    ['html', 'not_json'],
    ['half_json', 'not_json'],
    ['other_schema', 'wrong_shape'],
    ['huge', 'too_large'],
    ['gzip_bomb', 'malformed'],
    ['redirect', 'redirect'],
  ] as const)('rejects an answer with %s', async (lies, reason) => {
    const { status, body } = await authorize(await node({ knobs: { lies } }));
    expect([status, body.code, body.reason]).toEqual([502, 'upstream_failed', reason]);
  });

  it('distinguishes a node that is down or failing from a node that refuses the token', async () => {
    const failing = await authorize(await node({ knobs: { failing: 500 } }));
    expect([failing.status, failing.body.reason]).toEqual([502, 'server_error']);
    const down = await authorize(await node({}, { url: 'https://127.0.0.1:1' }));
    expect([down.status, down.body.code, down.body.reason]).toEqual([502, 'upstream_failed', 'unreachable']);
    expect(JSON.stringify([failing.body, down.body])).not.toContain('127.0.0.1');
  });

  it('needs dispatchers.update and an existing dispatcher', async () => {
    const one = await node();
    const reader = await addMember(world, ['dispatchers.read']);
    const refused = await authorize(one, reader.ask);
    expect([refused.status, refused.body.required_permission]).toEqual([403, 'dispatchers.update']);
    const jwtauth = (body: unknown) => world.admin('POST /api/auth/v7.0/jwtauth', body);
    expect((await jwtauth({ dispatcher_id: '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11' })).status).toBe(404);
    expect((await jwtauth({})).status).toBe(422);
    expect(one.simulator.calls).toEqual([]);
  });
});
