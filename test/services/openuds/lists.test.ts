import { afterEach, describe, expect, it } from 'vitest';
import type { ListKind } from '../../../shared/remotes/dispatcher/rows.ts';
import { addDesktop, addPool, type BrokerSeed, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import type { Mode } from '../../simulator/openuds/state.ts';
import { type BrokerStand, brokerStand, refusalOf } from '../../support/openuds/stand.ts';

const modes: Mode[] = ['3.6', '4.0', '5.0'];
const seed: BrokerSeed = {
  users: [
    { name: 'alice', groups: ['staff'] },
    { name: 'bob@home', groups: ['staff'] },
  ],
  pools: [{ name: 'Office', groups: ['staff'], desktops: 3, cached: 1, tags: ['lab'], hasOsManager: true }],
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(mode: Mode, given: BrokerSeed = seed): Promise<{ broker: Broker; stand: BrokerStand }> {
  const broker = await startOpenUds({ state: seededBroker(given), mode, wrongPasswordMs: 0 });
  const stand = brokerStand(broker);
  closing.push(broker.close, stand.close);
  return { broker, stand };
}

const rowsOf = async <K extends ListKind>(stand: BrokerStand, kind: K) => {
  const page = await stand.remote.list(await stand.own(), kind, { limit: 1_000 });
  return page?.rows.map(({ row }) => row) ?? [];
};
const lists = ['servicespools', 'workplaces', 'spsessions', 'tags'] as const;

describe.each(modes)('lists of an OpenUDS %s broker', (mode) => {
  it('have the pools with protocols, states and tags', async () => {
    const { broker, stand } = await start(mode);
    const [pool] = broker.state.pools;
    expect(await rowsOf(stand, 'servicespools')).toEqual([
      {
        ...{ uuid: pool?.id, name: 'Office', short_name: 'Office', comments: '', state: 'active' },
        ...{ visible: true, maintenance: false, protocols: ['rdp'], initial_srvs: 0, cache_l1_srvs: 0 },
        ...{ cache_l2_srvs: 0, max_srvs: 0, workplaces_count: 4, in_use_count: null },
        ...{ in_preparation_count: 0, usage_percent: null, restrained: false, tags: ['lab'] },
      },
    ]);
    expect(await rowsOf(stand, 'tags')).toEqual([{ uuid: expect.any(String), name: 'lab' }]);
  });

  it('have the desktops with and without an owner, whose name may contain the separator', async () => {
    const { broker, stand } = await start(mode);
    const [first, second, third] = broker.state.desktops;
    const [alice, bob] = broker.state.users;
    if (!first || !second || !third || !alice || !bob) throw new Error('the seed has them');
    Object.assign(first, { owner: alice.id, inUse: true, inUseAt: 1_800_000_000, source: '192.0.2.7' });
    first.sourceHost = 'laptop';
    Object.assign(second, { owner: bob.id, ip: '', actorVersion: '4.0.1', name: '' });
    third.osState = 'P';
    const rows = new Map((await rowsOf(stand, 'workplaces')).map((row) => [row.uuid, row]));
    expect(rows.size).toBe(4);
    expect(rows.get(first.id)).toMatchObject({
      ...{ owner: { domain: 'corp', name: 'alice' }, state: 'in_use', machine_state: 'unknown' },
      ...{ in_use_since: '2027-01-15T08:00:00.000Z', client_ip: '192.0.2.7', agent_version: null },
      ...{ maintenance: false, tags: [], servicepool_name: 'Office', client_host: 'laptop' },
    });
    expect(rows.get(second.id)).toMatchObject({
      ...{ owner: { domain: 'corp', name: 'bob@home' }, state: 'ready', ip: null, hostname: null },
      ...{ name: second.uniqueId, agent_version: '4.0.1', in_use_since: null },
    });
    expect(rows.get(third.id)?.state).toBe('preparing');
  });

  it('leave out desktops that were removed, and show failed ones', async () => {
    const { broker, stand } = await start(mode);
    const [pool] = broker.state.pools;
    if (!pool) throw new Error('the seed has a pool');
    const failed = addDesktop(broker.state, pool, { state: 'E', name: '', uniqueId: '' });
    addDesktop(broker.state, pool, { state: 'S' });
    const removing = addDesktop(broker.state, pool, { state: 'R' });
    const rows = await rowsOf(stand, 'workplaces');
    expect(rows.length).toBe(6);
    expect(rows.find(({ uuid }) => uuid === failed.id)).toMatchObject({ state: 'error', name: failed.id });
    expect(rows.find(({ uuid }) => uuid === removing.id)?.state).toBe('removing');
  });

  it('derive sessions from desktops in use', async () => {
    const { broker, stand } = await start(mode);
    const [first] = broker.state.desktops;
    const [alice] = broker.state.users;
    Object.assign(first ?? {}, { owner: alice?.id, inUse: true, inUseAt: 1_800_000_000 });
    expect(await rowsOf(stand, 'spsessions')).toEqual([
      expect.objectContaining({
        ...{ session_uuid: first?.id, workplace_uuid: first?.id, user: 'alice', domain: 'corp' },
        ...{ state: 'active', protocol: 'rdp', started_at: '2027-01-15T08:00:00.000Z' },
      }),
    ]);
    expect((await rowsOf(stand, 'servicespools'))[0]).toMatchObject({ in_use_count: 1, usage_percent: 25 });
    Object.assign(broker.state.pools[0]?.members ?? {}, { max_srvs: 10 });
    expect((await rowsOf(stand, 'servicespools'))[0]?.usage_percent).toBe(10);
    Object.assign(first ?? {}, { state: 'R' });
    expect(await rowsOf(stand, 'spsessions')).toEqual([]);
  });

  it('need one request for the pools and two for each pool in a round, one at a time', async () => {
    const { broker, stand } = await start(mode);
    addPool(broker.state, { name: 'Second', groups: ['staff'], desktops: 2 });
    const own = await stand.own();
    const read = async () => {
      for (const kind of lists) await stand.remote.list(own, kind, { limit: 1_000 });
    };
    await read();
    broker.resetCalls();
    await read();
    const asked = broker.calls.filter(({ path }) => !path.endsWith('auth/auths'));
    expect(asked.length).toBe(1 + 2 * 2);
    broker.resetCalls();
    broker.knobs.delayMs = 5;
    await Promise.all(lists.map((kind) => stand.remote.list(own, kind, { limit: 1_000 })));
    expect(broker.maxInFlight).toBe(1);
  });

  it('of an account that is not an administrator any more are refused: they would be empty', async () => {
    const { broker, stand } = await start(mode);
    const own = await stand.own();
    const account = broker.state.users.find(({ isAdmin }) => isAdmin);
    if (account) account.isAdmin = false;
    for (const kind of lists) {
      const work = stand.remote.list(own, kind, { limit: 1_000 });
      expect(await refusalOf(work)).toBe('upstream_refused:forbidden');
    }
  });

  it('of a broker without pools are empty', async () => {
    const { stand } = await start(mode, { users: [], pools: [] });
    for (const kind of lists) expect(await rowsOf(stand, kind)).toEqual([]);
  });

  it('have a validator of their content', async () => {
    const { broker, stand } = await start(mode);
    const own = await stand.own();
    for (const kind of lists) {
      const etag = (await stand.remote.list(own, kind, { limit: 1_000 }))?.etag;
      expect(await stand.remote.list(own, kind, { limit: 1_000, etag })).toBeNull();
    }
    const before = (await stand.remote.list(own, 'workplaces', { limit: 1_000 }))?.etag;
    const [first] = broker.state.desktops;
    if (first) first.state = 'E';
    expect(await stand.remote.list(own, 'workplaces', { limit: 1_000, etag: before })).not.toBeNull();
  });

  it('have the settings of the pool as policies, without secrets', async () => {
    const { broker, stand } = await start(mode);
    const policies = await stand.remote.policies(await stand.own(), broker.state.pools[0]?.id ?? '');
    const names = policies.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['onLogout', 'idle', 'allowClipboard']));
    expect(names).not.toContain('fixedPassword');
    expect(policies.every(({ inherited }) => inherited)).toBe(true);
  });
});

describe('a list of an OpenUDS broker with 10,000 desktops', () => {
  it('is read in one answer of more than 5 MiB', async () => {
    const { stand } = await start('3.6', {
      users: [],
      pools: [{ name: 'Large', groups: ['staff'], desktops: 10_000 }],
    });
    const rows = await rowsOf(stand, 'workplaces');
    expect(rows.length).toBe(10_000);
    expect(new Set(rows.map(({ uuid }) => uuid)).size).toBe(10_000);
  });
});

describe('a list of an OpenUDS broker that cannot be read', () => {
  it.each([
    ['an object', '{"error":"x"}', 'upstream_failed:not_json'],
    ['an array of numbers', '[1,2]', 'upstream_failed:not_json'],
    ['an array that ends early', '[{"id":"x"}', 'upstream_failed:not_json'],
    ['a row that ends early', '[{"id":"x"', 'upstream_failed:not_json'],
    ['two arrays', '[][]', 'upstream_failed:not_json'],
    ['no text', '', 'upstream_failed:not_json'],
    ['a row beyond the limit', `[{"id":"${'x'.repeat(300_000)}"}]`, 'upstream_failed:too_large'],
  ])('is refused: %s', async (_title, text, expected) => {
    const { broker, stand } = await start('3.6');
    const own = await stand.own();
    broker.knobs.text = { path: /servicespools$/, text };
    expect(await refusalOf(stand.remote.list(own, 'servicespools', { limit: 1_000 }))).toBe(expected);
  });
});
