import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { deleteExpired, expiredRows } from '../../../db/repositories/settings/clean-up.ts';
import { workplaceAgents } from '../../../db/schema/agents/agents.ts';
import { sessionAgents, sessionMessages } from '../../../db/schema/agents/session-agents.ts';
import { addSeconds } from '../../../shared/kernel/clock.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { type AgentStand, inForm, refused, startAgentStand } from '../../support/agents.ts';
import { audited, base, useStand } from '../../support/factories.ts';
import { workplaceOf } from '../../support/fleet/fleet.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(startAgentStand);
beforeEach(async () => {
  await stand.world.portal.db.delete(sessionAgents);
});

const ssa: AgentStand['ssa'] = (...call) => stand.ssa(...call);
const uuidOf = (n: number): string => workplaceOf(stand.fleet, 'Office', n).uuid;
const waiting = () => stand.world.portal.deps.notifier?.size();
const atNode = () => stand.fleet.simulator.state.messages.map(({ workplace_uuid }) => workplace_uuid);
const listen = (bearer: string, query = 'wait=25') => ssa(`GET /messages?${query}`, { bearer });
const itemsOf = ({ body }: { body: Json }): Json[] => body.result.items;

const isAt = (n: number) => eq(workplaceAgents.workplace_uuid, uuidOf(n));

/** A user has a session at the workplace, and an agent is registered for it. */
async function working(n: number, username = 'grace') {
  const token = await stand.initialize(n);
  const { body } = await stand.agent('POST /login', { body: { token, username } });
  const session_id: string = body.result.session_id;
  const registered = await ssa('POST /register', { body: { token, session_id, username } });
  return { token, session_id, bearer: registered.body.result.token as string };
}

const say = (order: object) =>
  stand.world.admin(
    `POST ${base}/workplaces/${stand.fleet.farm.id}/message/${stand.fleet.simulator.state.poolNamed('Office').uuid}`,
    order,
  );

describe('a session agent', () => {
  it('follows its session: registered, active, started, reported, ended', async () => {
    const { session_id, bearer } = await working(1);
    expect(bearer).toMatch(/^agsa_/);
    expect((await ssa('POST /ping', { bearer, body: {} })).body).toEqual(inForm({ result: 'ok' }));
    expect((await ssa('POST /ping', { bearer })).status).toBe(200);
    expect((await ssa('POST /login', { bearer, body: { username: 'grace' } })).status).toBe(200);
    expect((await stand.sessions()).map(({ session_uuid }) => session_uuid)).toContain(session_id);
    const events = [
      { at: '2026-11-21T08:00:00+01:00', kind: 'locked', data: { by: 'screensaver' } },
      { at: null, kind: 'unlocked' },
      { at: '9999-12-31T23:59:59Z', kind: 'ahead' },
    ];
    const before = stand.world.portal.deps.clock().getTime();
    expect((await ssa('POST /events', { bearer, body: { events } })).body).toEqual(inForm({ result: 'ok' }));
    const records = (await stand.journal()).filter(({ code }) => code === 'session_event');
    expect(records).toMatchObject([
      {
        at: new Date('2026-11-21T07:00:00.000Z'),
        level: 'info',
        details: { kind: 'locked', data: { by: 'screensaver' }, session_uuid: session_id },
      },
      { details: { kind: 'unlocked', data: null } },
      { details: { kind: 'ahead' } },
    ]);
    const after = stand.world.portal.deps.clock().getTime();
    const ahead = records.find(({ details }) => details.kind === 'ahead')?.at.getTime();
    expect(ahead).toBeGreaterThanOrEqual(before);
    expect(ahead).toBeLessThanOrEqual(after);
    expect((await ssa('POST /logout', { bearer, body: {} })).body).toEqual(inForm({ result: 'ok' }));
    expect((await stand.sessions()).map(({ session_uuid }) => session_uuid)).not.toContain(session_id);
    expect(await stand.shown(1)).toMatchObject({ in_use: false });
    expect(await ssa('POST /ping', { bearer })).toMatchObject({
      status: 401,
      body: refused('invalid_token'),
    });
  });

  it('needs its token, and a previous agent of the same session is ended', async () => {
    expect((await ssa('POST /ping', { body: {} })).body).toEqual(refused('unauthenticated'));
    const { token, session_id, bearer } = await working(1);
    expect((await ssa('POST /ping', { bearer: token })).status).toBe(401);
    await ssa('POST /register', { body: { token, session_id, username: 'grace' } });
    expect((await ssa('POST /ping', { bearer })).status).toBe(401);
    const wrong = { token: 'x', session_id, username: 'grace' };
    expect((await ssa('POST /register', { body: wrong, ip: '198.51.100.20' })).status).toBe(401);
  });

  it('cannot register for a session of another workplace', async () => {
    const { session_id } = await working(1);
    const given = { token: await stand.initialize(2), session_id, username: 'mallory' };
    const bearer: string = (await ssa('POST /register', { body: given })).body.result.token;
    const theirs = async () =>
      (await stand.sessions()).find(({ session_uuid }) => session_uuid === session_id);
    const before = await theirs();
    await ssa('POST /login', { bearer, body: { username: 'mallory' } });
    expect(await theirs()).toEqual(before);
    const path = `${base}/spsessions/${stand.fleet.farm.id}/logoff/${session_id}`;
    expect((await stand.world.admin(`PATCH ${path}`)).status).toBe(200);
    expect(itemsOf(await listen(bearer, 'wait=0'))).toEqual([]);
    expect((await ssa('POST /logout', { bearer, body: {} })).status).toBe(200);
  });

  it('ends when its machine registers again', async () => {
    const registration = await stand.register('to be revoked');
    const token = await stand.initialize(2, registration);
    const { body } = await ssa('POST /register', { body: { token, session_id: newId(), username: 'x' } });
    const bearer: string = body.result.token;
    expect((await ssa('POST /ping', { bearer, ip: '198.51.100.21' })).status).toBe(200);
    await stand.register('to be revoked');
    expect((await ssa('POST /ping', { bearer, ip: '198.51.100.21' })).status).toBe(401);
  });
});

describe('a session that has ended', () => {
  it('does not lock the address when its agent continues to poll', async () => {
    const { token, session_id, bearer } = await working(1);
    const ip = '198.51.100.22';
    await stand.agent('POST /logout', { body: { token, session_id }, ip });
    for (const _ of [1, 2, 3, 4, 5, 6])
      expect((await ssa('GET /messages?wait=25', { bearer, ip })).body).toEqual(refused('invalid_token'));
    const login = { body: { token, username: 'linus' }, ip };
    expect((await stand.agent('POST /login', login)).status).toBe(200);
    await stand.agent('POST /logout', login);
  });
});

describe('a message to a session', () => {
  it('is delivered at once to a session agent that waits, and not through the node', async () => {
    const { bearer } = await working(1);
    const before = atNode();
    const answer = listen(bearer);
    await expect.poll(waiting).toBe(1);
    const from = performance.now();
    const { result: said, events } = await audited(stand.world.portal, () =>
      say({ workplaces: [uuidOf(1)], title: 'Soon', message: 'Save your work' }),
    );
    expect([said.status, said.body]).toEqual([200, { delivered: [uuidOf(1)], failed: [] }]);
    const got = itemsOf(await answer);
    // Without a notification it would query after five seconds only.
    expect(performance.now() - from).toBeLessThan(4_000);
    expect(got).toEqual([
      { id: expect.any(String), kind: 'message', title: 'Soon', message: 'Save your work' },
    ]);
    expect(atNode()).toEqual(before);
    expect(events).toMatchObject([
      { event: 'portal.WorkplaceAction', action: 'message', details: { delivered: 1, failed: 0 } },
    ]);
    await expect.poll(waiting).toBe(0);
  });

  it('is delivered again until it is acknowledged, and only to the agents that were present', async () => {
    const { bearer } = await working(1);
    for (const message of ['one', 'two']) await say({ workplaces: [uuidOf(1)], message });
    const first = itemsOf(await listen(bearer, ''));
    expect(first.map(({ message }) => message)).toEqual(['one', 'two']);
    expect(first[0]).not.toHaveProperty('title');
    expect(itemsOf(await listen(bearer, 'wait=0'))).toEqual(first);
    expect(itemsOf(await listen(bearer, `after=${first[0].id}&wait=0`))).toEqual(first.slice(1));
    await say({ workplaces: [uuidOf(1)], message: 'three' });
    const last = itemsOf(await listen(bearer, `after=${first[1].id}`));
    expect(last.map(({ message }) => message)).toEqual(['three']);
    expect(itemsOf(await listen(bearer, `after=${last[0].id}&wait=0`))).toEqual([]);
    const later = await working(2);
    expect(itemsOf(await listen(later.bearer, 'wait=0'))).toEqual([]);
  });

  it('goes to the next agent of the same session when one ends, and to no other', async () => {
    const { token, session_id, bearer } = await working(1);
    const again = async (username: string): Promise<string> =>
      (await ssa('POST /register', { body: { token, session_id, username } })).body.result.token;
    await say({ workplaces: [uuidOf(1)], message: 'Save your work' });
    const seen = itemsOf(await listen(bearer, 'wait=0'));
    expect(seen).toHaveLength(1);
    const next = await again('GRACE');
    expect((await listen(bearer, 'wait=0')).status).toBe(401);
    expect(itemsOf(await listen(next, 'wait=0'))).toEqual(seen);
    expect(itemsOf(await listen(await again('mallory'), 'wait=0'))).toEqual([]);
    expect(itemsOf(await listen(await again('grace'), 'wait=0'))).toEqual([]);
  });

  it('to all goes to each session agent, and through the node to sessions without an agent', async () => {
    const [one, two] = [await working(1), await working(2, 'linus')];
    const before = atNode().length;
    const answers = [listen(one.bearer), listen(two.bearer)];
    await expect.poll(waiting).toBe(2);
    const { body } = await say({ all: true, message: 'Lunch' });
    expect(body.delivered.toSorted()).toEqual([uuidOf(0), uuidOf(1), uuidOf(2)].toSorted());
    expect(body.failed).toEqual([]);
    expect(atNode().slice(before)).toEqual([uuidOf(0)]);
    for (const answer of answers)
      expect(itemsOf(await answer).map(({ message }) => message)).toEqual(['Lunch']);
  });

  it('goes through the node when no session agent has called for a minute', async () => {
    const { bearer } = await working(1);
    stand.world.portal.advance(61);
    const { body } = await say({ workplaces: [uuidOf(0), uuidOf(1)], message: 'Anybody?' });
    expect(body).toEqual({
      delivered: [uuidOf(0)],
      failed: [{ workplace_uuid: uuidOf(1), code: 'no_session' }],
    });
    expect(itemsOf(await listen(bearer, 'wait=0'))).toEqual([]);
    expect((await say({ workplaces: [uuidOf(1)], message: 'There you are' })).body.delivered).toEqual([
      uuidOf(1),
    ]);
  });

  it('that the node cannot deliver is still available to the session agents', async () => {
    const { bearer } = await working(1);
    const { knobs } = stand.fleet.simulator;
    Object.assign(knobs, { failing: 500, path: '/api/webui/servicespools' });
    const { body } = await say({ workplaces: [uuidOf(0), uuidOf(1)], message: 'Hello' });
    knobs.failing = null;
    expect(body).toEqual({
      delivered: [uuidOf(1)],
      failed: [{ workplace_uuid: uuidOf(0), code: 'upstream_failed' }],
    });
    expect(itemsOf(await listen(bearer, 'wait=0'))).toHaveLength(1);
  });

  it('reaches an agent that waits at another process through the database', async () => {
    const { bearer } = await working(1);
    const answer = stand.world.portal.isolate()('GET /api/ssa/v7.0/messages?wait=25', {
      headers: { authorization: `Bearer ${bearer}` },
    });
    await say({ workplaces: [uuidOf(1)], message: 'From afar' });
    expect(itemsOf(await answer).map(({ message }) => message)).toEqual(['From afar']);
  });
});

describe('a log-off of a session', () => {
  it('is delivered to the session agent, also when the node does not list the session', async () => {
    const { bearer, session_id } = await working(1);
    const answer = listen(bearer);
    await expect.poll(waiting).toBe(1);
    const path = `${base}/spsessions/${stand.fleet.farm.id}/logoff/${session_id}`;
    expect((await stand.world.admin(`PATCH ${path}`)).body).toEqual({ result: 'gone' });
    expect(itemsOf(await answer)).toEqual([{ id: expect.any(String), kind: 'logoff' }]);
    expect((await stand.sessions()).map(({ session_uuid }) => session_uuid)).not.toContain(session_id);
  });

  it('finds its agent by the user name when the node reports another session identifier', async () => {
    const token = await stand.initialize(0);
    const given = { token, session_id: newId(), username: 'ADA' };
    const bearer: string = (await ssa('POST /register', { body: given })).body.result.token;
    const [session] = stand.fleet.simulator.state.sessions.all();
    const path = `${base}/spsessions/${stand.fleet.farm.id}`;
    expect((await stand.world.admin(`PATCH ${path}/disconnect/${session?.session_uuid}`)).status).toBe(202);
    expect(itemsOf(await listen(bearer, 'wait=0'))).toEqual([]);
    expect((await stand.world.admin(`PATCH ${path}/logoff/${session?.session_uuid}`)).status).toBe(202);
    expect(itemsOf(await listen(bearer, 'wait=0'))).toMatchObject([{ kind: 'logoff' }]);
  });
});

describe('expired agent data', () => {
  it('is deleted after its retention, and with workplaces that were deleted', async () => {
    const { db } = stand.world.portal;
    const { bearer } = await working(1);
    await say({ workplaces: [uuidOf(1)], message: 'Old news' });
    const countAfter = async (seconds: number) => {
      const now = addSeconds(stand.world.portal.deps.clock(), seconds);
      const signal = new AbortController().signal;
      const own = [sessionAgents, sessionMessages, workplaceAgents];
      for (const leftover of expiredRows(parametersFrom(null), now))
        if (own.some((table) => table === leftover.table)) await deleteExpired(db, leftover, signal);
      return Promise.all(own.map((table) => db.$count(table)));
    };
    const [agents, messages, workplaces] = await countAfter(3_500);
    expect([agents, messages]).toEqual([1, 1]);
    expect(await countAfter(3_700)).toEqual([1, 0, workplaces]);
    expect((await ssa('POST /ping', { bearer })).status).toBe(200);
    expect(await countAfter(86_500)).toEqual([0, 0, workplaces]);
    await db.update(workplaceAgents).set({ workplace_uuid: newId() }).where(isAt(1));
    expect(await countAfter(29 * 86_400)).toEqual([0, 0, workplaces]);
    expect(await countAfter(31 * 86_400)).toEqual([0, 0, (workplaces ?? 0) - 1]);
  });
});

describe('a waiting request of an agent', () => {
  it('ends with the connection of the client', async () => {
    const { bearer } = await working(1);
    const client = new AbortController();
    const answer = ssa('GET /messages?wait=25', { bearer, signal: client.signal });
    await expect.poll(waiting).toBe(1);
    client.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(waiting).toBe(0);
  });

  it('lasts no longer than the requested time, which is in seconds', async () => {
    const { bearer } = await working(1);
    expect(itemsOf(await listen(bearer, 'wait=1'))).toEqual([]);
    for (const query of ['wait=-1', 'wait=soon', 'after=1'])
      expect((await listen(bearer, query)).body).toEqual(refused('invalid_request'));
  });

  it('ends when the process stops', async () => {
    const { bearer } = await working(1);
    const answer = listen(bearer);
    await expect.poll(waiting).toBe(1);
    stand.world.portal.deps.notifier?.end();
    expect(itemsOf(await answer)).toEqual([]);
  });
});
