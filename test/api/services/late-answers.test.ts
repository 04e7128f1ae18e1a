import { isNotNull } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import { addMember, addSite, type Member, useWorld } from '../../support/factories.ts';
import { addBroker } from '../../support/openuds/site.ts';
import { baseUrl, type Json } from '../../support/portal.ts';

const world = useWorld();
/** Milliseconds. The first list of a user takes several answers of the broker, each longer than the deadline. */
const [deadlineMs, answerMs, limitMs] = [100, 150, 500];
let broker: Broker;
let site: Json;
let alice: Member;
const db = () => world.portal.db;

beforeAll(async () => {
  site = await addSite(world.admin, { authenticators: [world.domain.id] });
  const groups = ['staff'];
  const state = seededBroker({ users: [{ name: 'alice', groups }], pools: [{ name: 'Office', groups }] });
  broker = await startOpenUds({ state, workers: 8 });
  await addBroker({ ...world, site }, broker);
  alice = await addMember(world, [], '*', { name: 'alice' });
  const value = { name: 'aggregator.list_deadline_ms', value: deadlineMs, updated_at: new Date() };
  await db().insert(systemParameters).values(value);
});
beforeEach(async () => {
  await world.portal.settled();
  await db().delete(serviceLists);
  await db().delete(dispatcherSessions).where(isNotNull(dispatcherSessions.user_id));
  await db().update(dispatchers).set({ circuit_failures: 0, circuit: 'closed', timeout_ms: 5_000 });
  broker.knobs.delayMs = answerMs;
  broker.resetCalls();
});
afterAll(async () => {
  await world.portal.settled();
  await broker.close();
});

const path = () => `/aggregator/api/client/v7.0/${site.uri}/servicesList/`;
const list = () => alice.ask(`GET ${path()}`);
const tickets = () => broker.calls.filter(({ path }) => path.endsWith('/tickets/create')).length;
const failures = async () => (await db().select().from(dispatchers))[0]?.circuit_failures;

describe('a farm that answers after the deadline of the list', () => {
  it('has its list in the next request, which does not call it again', async () => {
    const first = await list();
    expect([first.status, first.body.sites[0]]).toMatchObject([503, { status: 'timeout' }]);
    await world.portal.settled();
    const before = broker.calls.length;
    const next = await list();
    expect([next.status, next.body.services?.map(({ name }: Json) => name)]).toEqual([200, ['Office']]);
    expect(next.body.sites[0]).toMatchObject({ status: 'ok', refusal: null });
    expect(broker.calls.length).toBe(before);
  });

  it('is no failure of its nodes', async () => {
    for (let n = 0; n < 3; n++) await list();
    await world.portal.settled();
    expect(await failures()).toBe(0);
  });

  it('is called once for the requests that come meanwhile', async () => {
    await list();
    await list();
    await world.portal.settled();
    expect(tickets()).toBe(1);
  });

  it('fails if one answer takes longer than the time limit of a call', async () => {
    await db().update(dispatchers).set({ timeout_ms: limitMs });
    broker.knobs.delayMs = limitMs * 2;
    expect((await list()).status).toBe(503);
    await world.portal.settled();
    expect(await failures()).toBe(1);
    expect(await db().select().from(serviceLists)).toEqual([]);
  });

  it('does not delay a response that waits for its background', async () => {
    broker.knobs.delayMs = 0;
    await list();
    await world.portal.settled();
    await db().delete(serviceLists);
    broker.knobs.delayMs = answerMs;
    const running: Promise<unknown>[] = [];
    const headers = { 'x-auth-token': alice.token };
    const { status } = await world.portal.portal.fetch(new Request(`${baseUrl}${path()}`, { headers }), {
      client: { ip: '127.0.0.1', secure: true, loopback: false },
      background: (work) => void running.push(work),
      stopsWithResponse: true,
    });
    for (let work = running.shift(); work; work = running.shift()) await work;
    expect(status).toBe(503);
    expect(await db().select().from(serviceLists)).toEqual([]);
    // Joins the call, which ends with it.
    await list();
  });

  it('is refused in the next request if it has no account for the user', async () => {
    const [account] = broker.state.users.splice(0, 1);
    expect((await list()).status).toBe(503);
    await world.portal.settled();
    const { status, body } = await list();
    expect([status, body.sites[0].refusal]).toEqual([200, { reason: null }]);
    if (account) broker.state.users.unshift(account);
  });
});
