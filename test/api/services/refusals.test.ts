import { and, eq, isNotNull } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dispatcherSessions } from '../../../db/schema/routing/dispatcher-sessions.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { addUser, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  create,
  type Member,
  pool,
  rulesPath,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { ageLists } from '../../support/fleet/rules.ts';
import { addBroker } from '../../support/openuds/site.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const groups = ['staff'];
const people = {
  alice: { south: { groups }, north: undefined },
  bob: { south: undefined, north: { groups } },
  both: { south: { groups }, north: { groups } },
  helper: { south: { groups, isStaff: true }, north: { groups } },
  idle: { south: { groups, state: 'I' as const }, north: { groups } },
  lonely: { south: {}, north: { groups } },
  new: { south: undefined, north: undefined },
} as const;
type Name = keyof typeof people;
type Side = 'south' | 'north';

const brokers = {} as Record<Side, Broker>;
const farms = {} as Record<Side, Json>;
const members = {} as Record<Name, Member>;
let site: Json;

beforeAll(async () => {
  // The lists of a busy machine are complete.
  const value = { name: 'aggregator.list_deadline_ms', value: 20_000, updated_at: new Date() };
  await world.portal.db.insert(systemParameters).values(value);
  site = await addSite(world.admin, { authenticators: [world.domain.id] });
  for (const side of ['south', 'north'] as const) {
    const users = Object.entries(people).flatMap(([name, at]) =>
      at[side] ? [{ name, groups: [], ...at[side] }] : [],
    );
    const pools = [{ name: `Office ${side}`, groups, desktops: 9 }];
    brokers[side] = await startOpenUds({ state: seededBroker({ users, pools }), wrongPasswordMs: 0 });
    ({ farm: farms[side] } = await addBroker({ ...world, site }, brokers[side]));
  }
  for (const name of Object.keys(people) as Name[]) members[name] = await addMember(world, [], '*', { name });
});
/** Makes the portal obtain new keys of users. */
const forgetKeys = () =>
  world.portal.db.delete(dispatcherSessions).where(isNotNull(dispatcherSessions.user_id));

beforeEach(async () => {
  await world.portal.settled();
  await world.portal.db.delete(serviceLists);
  await forgetKeys();
  for (const { knobs } of Object.values(brokers)) knobs.delayMs = 0;
  await world.portal.db.update(dispatchers).set({ circuit_failures: 0, circuit: 'closed' });
  for (const broker of Object.values(brokers)) broker.resetCalls();
});
afterAll(async () => {
  await world.portal.settled();
  for (const broker of Object.values(brokers)) await broker.close();
});

const client = () => `/aggregator/api/client/v7.0/${site.uri}`;
async function list({ ask }: Pick<Member, 'ask'>, query = '') {
  const answer = await ask(`GET ${client()}/servicesList/${query}`);
  await world.portal.settled();
  return answer;
}
const names = ({ body }: Json): string[] => body.services.map(({ name }: Json) => name);
const at = ({ body }: Json, side: Side): Json =>
  body.sites.find(({ farm_id }: Json) => farm_id === farms[side].id);
const asked = (side: Side) => brokers[side].calls.length;
const row = ({ user }: Member, side: Side) =>
  world.portal.db
    .select()
    .from(serviceLists)
    .where(and(eq(serviceLists.user_id, user.id), eq(serviceLists.farm_id, farms[side].id)));

describe('a farm that has no account for the user', () => {
  it.each<[Name, string[], Side[]]>([
    ['alice', ['Office south'], ['north']],
    ['bob', ['Office north'], ['south']],
    ['both', ['Office north', 'Office south'], []],
    ['helper', ['Office north'], ['south']],
    ['idle', ['Office north'], ['south']],
    ['lonely', ['Office north'], ['south']],
    ['new', [], ['north', 'south']],
  ])('has answered, and the services of the others are listed for %s', async (name, services, refusing) => {
    const answer = await list(members[name]);
    expect([answer.status, names(answer)]).toEqual([200, services]);
    for (const side of ['north', 'south'] as const) {
      const refusal = refusing.includes(side) ? { reason: null } : null;
      expect(at(answer, side)).toMatchObject({ status: 'ok', refusal });
      expect(at(answer, side).error).toBeUndefined();
    }
  });

  it.each<[Name, string]>([
    ['bob', 'unknown'],
    ['helper', 'privileged_account'],
    ['idle', 'inactive'],
    ['lonely', 'no_groups'],
  ])('has its reason in the list of an administrator who may explain: %s', async (name, reason) => {
    await list(members[name]);
    const { body } = await world.admin(
      `GET ${client()}/servicesList/?explain=true&user_id=${members[name].user.id}`,
    );
    expect(at({ body }, 'south').refusal).toEqual({ reason });
    expect(at({ body }, 'north').refusal).toBeNull();
  });

  it('is called once in the time for which lists are fresh, and is no failure of its nodes', async () => {
    await list(members.bob);
    const before = asked('south');
    expect(before).toBeGreaterThan(0);
    expect(names(await list(members.bob))).toEqual(['Office north']);
    expect(asked('south')).toBe(before);
    const nodes = await world.portal.db.select().from(dispatchers);
    expect(nodes.map(({ circuit_failures }) => circuit_failures)).toEqual([0, 0]);
  });

  it('is called again for a refresh: an account that was created meanwhile has its services', async () => {
    expect(names(await list(members.new))).toEqual([]);
    const created = addUser(brokers.south.state, { name: 'new', groups });
    expect(names(await list(members.new))).toEqual([]);
    const refreshed = await list(members.new, '?refresh=true');
    expect([names(refreshed), at(refreshed, 'south').refusal]).toEqual([['Office south'], null]);
    brokers.south.state.users = brokers.south.state.users.filter((one) => one !== created);
  });

  it('is called again when the time has passed: an account that was created meanwhile has its services', async () => {
    await list(members.new);
    const created = addUser(brokers.south.state, { name: 'new', groups });
    await ageLists(world, members.new, 16);
    expect(names(await list(members.new))).toEqual(['Office south']);
    brokers.south.state.users = brokers.south.state.users.filter((one) => one !== created);
  });

  it('has no services left in the cache, also when it does not respond later', async () => {
    const { both } = members;
    expect(names(await list(both))).toEqual(['Office north', 'Office south']);
    const account = brokers.south.state.users.find(({ name }) => name === 'both');
    if (!account) throw new Error('the seed has the account');
    account.state = 'I';
    await forgetKeys();
    await ageLists(world, both, 16);
    expect(names(await list(both))).toEqual(['Office north']);
    expect(await row(both, 'south')).toMatchObject([{ services: [], refusal: 'inactive' }]);
    brokers.south.knobs.text = { path: /./, text: 'no JSON' };
    await ageLists(world, both, 16);
    const silent = await list(both);
    expect([names(silent), at(silent, 'south')]).toMatchObject([
      ['Office north'],
      { status: 'error', refusal: null, fetched_at: null },
    ]);
    delete brokers.south.knobs.text;
    account.state = 'A';
  });

  it.each(['pool', 'rule'])('has no services left after a connection to a %s was refused', async (kind) => {
    const { both } = members;
    const servicepool_uuid = brokers.south.state.pools[0]?.id;
    const rule = await create(world.admin, rulesPath, {
      ...{ name: unique('rule'), display_name: 'Office', site_id: site.id, users: [both.user.id] },
      ...{ enabled: kind === 'rule', members: [{ farm_id: farms.south.id, servicepool_uuid }] },
    });
    const id = kind === 'rule' ? rule.id : `${farms.south.id}.${servicepool_uuid}`;
    expect(at(await list(both), 'south').refusal).toBeNull();
    const account = brokers.south.state.users.find(({ name }) => name === 'both');
    if (!account) throw new Error('the seed has the account');
    account.state = 'I';
    await forgetKeys();
    expect((await both.ask(`GET ${client()}/connectionInfo/${id}`)).body.code).toBe('not_known_here');
    await world.portal.settled();
    const before = asked('south');
    const next = await list(both);
    expect([names(next), at(next, 'south').refusal]).toEqual([['Office north'], { reason: null }]);
    expect(asked('south')).toBe(before);
    account.state = 'A';
    await world.admin(`DELETE ${rulesPath}/${rule.id}`);
  });

  it('changes the validator of the list', async () => {
    const tagOf = async () => (await list(members.new)).headers.get('etag') ?? '';
    const refused = await tagOf();
    expect(await tagOf()).toBe(refused);
    const unchanged = await members.new.ask(`GET ${client()}/servicesList/`, undefined, {
      'if-none-match': refused,
    });
    expect(unchanged.status).toBe(304);
    await world.portal.db.update(serviceLists).set({ refusal: 'inactive' });
    const other = await tagOf();
    expect(other).not.toBe(refused);
    await world.portal.db.update(serviceLists).set({ refusal: null });
    expect([refused, other]).not.toContain(await tagOf());
  });

  it('refuses connections with a problem of its own, without the reason', async () => {
    const office = brokers.south.state.pools[0]?.id;
    for (const path of [
      `connectionInfo/${farms.south.id}.${office}`,
      `preconnectionInfo/${farms.south.id}.${office}`,
    ]) {
      const { status, body } = await members.idle.ask(`GET ${client()}/${path}`);
      expect([status, body.code, body.reason]).toEqual([403, 'not_known_here', undefined]);
      expect(JSON.stringify(body)).not.toContain('inactive');
    }
    const session_uuid = crypto.randomUUID();
    const renewed = (name: Name) => members[name].ask(`POST ${client()}/reconnect/`, { session_uuid });
    expect((await renewed('new')).body.code).toBe('not_known_here');
    expect((await renewed('alice')).body.code).toBe('not_found');
  });

  it('is named in the explanation of a rule, with the reason', async () => {
    const servicepool_uuid = brokers.south.state.pools[0]?.id;
    const rule = await create(world.admin, rulesPath, {
      ...{ name: unique('rule'), site_id: site.id },
      members: [{ farm_id: farms.south.id, servicepool_uuid }],
    });
    const explained = async () =>
      (await world.admin(`GET ${rulesPath}/${rule.id}/explain?user_id=${members.idle.user.id}`)).body
        .members[0];
    expect(await explained()).toMatchObject({ refusal: null, listed_at: null, outcome: 'chosen' });
    await list(members.idle);
    expect(await explained()).toMatchObject({
      ...{ refusal: 'inactive', outcome: 'excluded', entitled: false },
      obstacles: [{ step: 'entitlement', reason: 'not_known_here' }],
    });
    const { body } = await members.idle.ask(`GET ${client()}/connectionInfo/${rule.id}`);
    expect(body.code).toBe('not_known_here');
    // The last refusal is still named when the portal would ask again.
    await ageLists(world, members.idle, 3_600);
    expect(await explained()).toMatchObject({ refusal: 'inactive', outcome: 'chosen', entitled: null });
    await world.admin(`DELETE ${rulesPath}/${rule.id}`);
  });
});

describe('a farm of the other kind that refuses the user', () => {
  it('has answered if it accepts the portal itself, and has failed otherwise', async () => {
    const other = await addSite(world.admin, { authenticators: [world.domain.id] });
    const { simulator } = await addNode(world, await addFarm(world.admin, other), {
      pools: [pool('Office')],
    });
    const { ask } = members.alice;
    const ofOther = async () => {
      const { status, body } = await ask(
        `GET /aggregator/api/client/v7.0/${other.uri}/servicesList/?refresh=true`,
      );
      await world.portal.settled();
      return [status, body.sites[0].status, body.sites[0].refusal, body.services?.length];
    };
    simulator.knobs.unknownUsers = ['alice'];
    expect(await ofOther()).toEqual([200, 'ok', { reason: null }, 0]);
    simulator.knobs.unknownUsers = [];
    expect(await ofOther()).toEqual([200, 'ok', null, 1]);
    await forgetKeys();
    // The node accepts no token of the portal while its clock is wrong.
    simulator.knobs.clockSkewS = 3_600;
    expect(await ofOther()).toEqual([200, 'stale', null, 1]);
    await simulator.close();
  });
});
