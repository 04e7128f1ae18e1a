import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Call } from '../../../shared/remotes/dispatcher/port.ts';
import { addPool, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import type { Mode, Pool } from '../../simulator/openuds/state.ts';
import { type BrokerStand, brokerStand, refusalOf, traceparent } from '../../support/openuds/stand.ts';

const modes: Mode[] = ['3.6', '4.0', '5.0'];
/** Of the links for the client programs. */
const schemes: Record<Mode, string> = { '3.6': 'udss', '4.0': 'udss', '5.0': 'udssv2' };
const pools = [
  { name: 'Office', groups: ['staff'], desktops: 1, transports: ['rdp', 'html5'] as const },
  { name: 'Studio', groups: ['staff'], transports: ['spice', 'tunnel'] as const },
  { name: 'Web', groups: ['staff'], transports: ['html5'] as const },
  { name: 'Other', groups: ['devs'], transports: ['rdp'] as const },
];

describe.each(modes)('connections of an OpenUDS %s broker', (mode) => {
  let broker: Broker;
  let stand: BrokerStand;
  let call: Call;
  beforeAll(async () => {
    const users = [{ name: 'alice', groups: ['staff'] }];
    const seeds = pools.map((pool) => ({ ...pool, transports: [...pool.transports] }));
    broker = await startOpenUds({ state: seededBroker({ users, pools: seeds }), mode, wrongPasswordMs: 0 });
    stand = brokerStand(broker);
    call = await stand.as('alice');
  });
  beforeEach(() => broker.resetCalls());
  afterAll(async () => {
    await stand.close();
    await broker.close();
  });
  const pool = (name: string): Pool => {
    const found = broker.state.pools.find((one) => one.name === name);
    if (!found) throw new Error(`no pool ${name}`);
    return found;
  };
  const connect = (name: string, protocol?: string) =>
    stand.remote.connectionInfo(call, pool(name).id, { protocol });
  const questions = () => broker.calls.filter(({ path }) => /connection\/./.test(path)).length;
  const ownedBy = (name: string) =>
    broker.state.desktops.filter((one) => one.pool === pool(name).id && one.owner !== null).length;

  it('list the services of the user with their protocols and states, without an effect', async () => {
    const services = await stand.remote.services(call);
    expect(services.map(({ name, protocols, state }) => [name, protocols, state])).toEqual([
      ['Office', ['rdp'], 'ready'],
      ['Studio', ['spice', 'rdp'], 'ready'],
      ['Web', ['rdp'], 'ready'],
    ]);
    expect(services[0]?.uuid).toBe(pool('Office').id);
    expect(broker.state.desktops.every(({ owner }) => owner === null)).toBe(true);
    expect(questions()).toBe(0);
  });

  it('pass the identity of the request and its trace on', async () => {
    await connect('Studio');
    const passed = broker.calls.map(({ headers }) => [headers['x-request-id'], headers.traceparent]);
    expect(new Set(passed.map(String))).toEqual(new Set([`request,${traceparent}`]));
  });

  it('are judged from the list: a question would assign a desktop', async () => {
    const ready = await stand.remote.preconnectionInfo(call, pool('Studio').id, {});
    expect(ready).toMatchObject({ verdict: 'connect', ready: true, protocol: 'spice' });
    const without = await stand.remote.preconnectionInfo(call, pool('Office').id, { protocol: 'spice' });
    expect(without).toMatchObject({ verdict: 'abandon', reason_code: 'protocol_not_offered' });
    expect(await refusalOf(stand.remote.preconnectionInfo(call, pool('Other').id, {}))).toBe('not_found');
    expect(questions()).toBe(0);
  });

  it('by a direct transport have parameters, without the placeholder of a password', async () => {
    const found = await connect('Office');
    expect(found).toEqual({
      ...{ protocol: 'rdp', method: 'new', port: 3389, username: 'alice', domain: '', expires_in: 50 },
      host: expect.stringMatching(/^10\.0\./),
    });
    expect(questions()).toBe(1);
    expect(broker.calls.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['машина.рф.', 'xn--80aaxoh8d.xn--p1ai'],
    ['2001:DB8:0::5', '2001:db8::5'],
  ])('by a direct transport lead to the machine %s as %s', async (address, host) => {
    for (const desktop of broker.state.desktops) desktop.ip = address;
    expect(await connect('Office')).toMatchObject({ host });
  });

  it('by other transports are links to the public address, for the client program', async () => {
    const found = await connect('Studio');
    expect(found).toMatchObject({ method: 'link', protocol: 'spice', expires_in: 50 });
    const link = 'link' in found ? found.link : '';
    expect(link).toMatch(
      new RegExp(`^${schemes[mode]}://vdi[.]example[.]com/[A-Za-z0-9]{40}/[A-Za-z0-9]{32,48}$`),
    );
    const [, id = ''] = /\.com\/(\w+)\//.exec(link) ?? [];
    expect(broker.state.links.has(id)).toBe(true);
    expect(await connect('Studio', 'rdp')).toMatchObject({ method: 'link', protocol: 'rdp' });
  });

  it('by the browser are links to the page of a ticket for the pool', async () => {
    const found = await connect('Web');
    const link = new URL('link' in found ? found.link : '');
    expect(link.origin).toBe('https://vdi.example.com');
    const ticket = broker.state.tickets.get(link.pathname.split('/').at(-1) ?? '');
    expect(ticket).toMatchObject({ username: 'alice', pool: pool('Web').id });
    expect(questions()).toBe(0);
  });

  it('by the browser lead to the list of services where the broker would open another transport', async () => {
    addPool(broker.state, { name: 'Both', groups: ['staff'], transports: ['spice', 'html5'] });
    const web = broker.state.transports.find(({ type }) => type.startsWith('HTML5'));
    if (!web) throw new Error('the seed has a page');
    const { priority } = web;
    web.priority = 99;
    const found = await connect('Both', 'rdp');
    web.priority = priority;
    const link = new URL('link' in found ? found.link : '');
    expect(broker.state.tickets.get(link.pathname.split('/').at(-1) ?? '')).toMatchObject({ pool: null });
    expect(questions()).toBe(0);
    broker.state.pools = broker.state.pools.filter(({ name }) => name !== 'Both');
  });

  it('by the browser keep the groups that the user has now, and end with the account', async () => {
    const { state } = broker;
    const alice = state.users.find(({ name }) => name === 'alice');
    if (!alice) throw new Error('the seed has alice');
    const call = await stand.as('alice');
    const before = alice.groups;
    alice.groups = new Set([...before, ...state.groups.map(({ id }) => id)]);
    const found = await stand.remote.connectionInfo(call, pool('Web').id, {});
    const id = new URL('link' in found ? found.link : '').pathname.split('/').at(-1) ?? '';
    expect(new Set(state.tickets.get(id)?.groups)).toEqual(alice.groups);
    alice.isStaff = true;
    expect(await refusalOf(stand.remote.connectionInfo(call, pool('Web').id, {}))).toBe(
      'not_known_here:privileged_account',
    );
    Object.assign(alice, { isStaff: false, groups: before });
  });

  it('by transports for some networks follow the address of the user, where the node sends it', async () => {
    const direct = broker.state.transports.find(({ type }) => type === 'RDPTransport');
    if (!direct) throw new Error('the seed has a direct transport');
    Object.assign(direct, { networks: ['192.0.2.1'] });
    broker.state.isBehindProxy = true;
    const methodOf = async (of: BrokerStand) =>
      (await of.remote.connectionInfo(await of.as('alice'), pool('Office').id, {})).method;
    expect(await methodOf(stand)).toBe('link');
    expect(broker.calls.some(({ headers }) => 'x-forwarded-for' in headers)).toBe(false);
    const sending = brokerStand({ ...broker, node: { sendsClientAddress: true } });
    expect(await methodOf(sending)).toBe('new');
    const ofPortal = broker.calls.filter(({ path }) => /login|auths|transports|users/.test(path));
    expect(ofPortal.some(({ headers }) => 'x-forwarded-for' in headers)).toBe(false);
    await sending.close();
    Object.assign(direct, { networks: [] });
    broker.state.isBehindProxy = false;
  });

  it('of a protocol that the service does not have are refused before a question', async () => {
    expect(await refusalOf(connect('Office', 'spice'))).toBe('service_in_preparation:protocol_not_offered');
    expect(await refusalOf(connect('Other'))).toBe('not_found');
    expect(questions()).toBe(0);
  });

  it.each([1, 2, 3, 4] as const)('wait while the desktop is not ready, code %i', async (code) => {
    pool('Office').missing = code;
    const work = connect('Office');
    await expect(work).rejects.toMatchObject({
      code: 'service_in_preparation',
      members: { reason_code: 'preparing', percent: code * 25, retry_after_ms: 5_000 },
    });
    pool('Office').missing = 0;
  });

  it('give up where the service is full, which has no code', async () => {
    addPool(broker.state, { name: 'Full', groups: ['staff'], desktops: 1, maxDesktops: 1 });
    expect(await refusalOf(connect('Full'))).toBe('invalid_state:no_free_workplace');
  });

  it('are refused in maintenance and where access is closed, before a question', async () => {
    const [provider] = broker.state.providers;
    if (!provider) throw new Error('a broker has a provider');
    provider.maintenance = true;
    expect((await stand.remote.services(call)).map(({ state }) => state)).toContain('maintenance');
    expect(await refusalOf(connect('Office'))).toBe('service_in_preparation:maintenance');
    provider.maintenance = false;
    Object.assign(pool('Office').members, { fallbackAccess: 'DENY', calendar_message: 'Closed' });
    expect(await refusalOf(connect('Office'))).toBe('invalid_state:unavailable');
    expect(await stand.remote.preconnectionInfo(call, pool('Office').id, {})).toMatchObject({
      ...{ verdict: 'abandon', reason_code: 'unavailable', message: 'Closed' },
    });
    expect(questions()).toBe(0);
    Object.assign(pool('Office').members, { fallbackAccess: 'ALLOW', calendar_message: '' });
  });

  it('show the desktop in use as a session, to which a link leads again', async () => {
    await connect('Studio');
    const services = await stand.remote.services(call);
    const [session] = services.find(({ name }) => name === 'Studio')?.sessions ?? [];
    const { link } = await stand.remote.reconnect(call, session?.session_uuid ?? '');
    expect(link.startsWith(`${schemes[mode]}://vdi.example.com/`)).toBe(true);
    expect(ownedBy('Studio')).toBe(1);
    const foreign = '11111111-1111-4111-8111-111111111111';
    expect(await refusalOf(stand.remote.reconnect(call, foreign))).toBe('not_found');
  });

  it('are refused where the broker answers 200 without a result', async () => {
    broker.knobs.text = { path: /connection\/./, text: '{"result":"","date":1}' };
    expect(await refusalOf(connect('Office'))).toBe('invalid_state:refused_by_dispatcher');
    expect(await refusalOf(connect('Studio'))).toBe('invalid_state:refused_by_dispatcher');
    delete broker.knobs.text;
  });
});

describe('a question about a connection', () => {
  const start = async (transport: 'rdp' | 'spice') => {
    const pool = { name: 'Office', groups: ['staff'], transports: [transport] };
    const state = seededBroker({ users: [{ name: 'alice', groups: ['staff'] }], pools: [pool] });
    const broker = await startOpenUds({ state, mode: '4.0', wrongPasswordMs: 0 });
    const stand = brokerStand(broker);
    const call = await stand.as('alice');
    const connect = () => stand.remote.connectionInfo(call, state.pools[0]?.id ?? '', {});
    const close = () => Promise.all([stand.close(), broker.close()]);
    return { broker, connect, close, owned: () => state.desktops.filter(({ owner }) => owner !== null) };
  };

  it.each([
    ['a server error', 'rdp', { text: 'Gateway timeout', status: 504 }],
    ['a page', 'spice', { text: '<html></html>' }],
    ['parameters without an address', 'rdp', { text: '{"result":{"ip":""}}' }],
  ] as const)('that is answered with %s may have assigned a desktop', async (_title, transport, text) => {
    const { broker, connect, close } = await start(transport);
    broker.knobs.text = { path: /connection\/./, ...text };
    expect(await refusalOf(connect())).toBe('upstream_unavailable:outcome_unknown');
    await close();
  });

  it('may have assigned a desktop if nothing can be read after it', async () => {
    const { broker, connect, close } = await start('rdp');
    broker.knobs.text = { path: /connection\/./, text: '{"result":"","error":"wait","retryable":"1"}' };
    broker.knobs.unanswered = /rest\/servicespools\/./;
    expect(await refusalOf(connect())).toBe('upstream_unavailable:outcome_unknown');
    await close();
  });

  it('is not asked before the port of the transport is known', async () => {
    const { broker, connect, close, owned } = await start('rdp');
    broker.knobs.unanswered = /transports\/./;
    expect(await refusalOf(connect())).toBe('upstream_failed:unreachable');
    expect(owned()).toEqual([]);
    await close();
  });
});

describe.each(modes)('the account of the portal on an OpenUDS %s broker', (mode) => {
  it.each([
    ['an administrator', { isAdmin: true, isStaff: true }, '*', [true, true, true]],
    ['staff', { isStaff: true }, '*', [true, false, undefined]],
    ['a user', {}, '*', [false, undefined, undefined]],
    ['an administrator at another address', { isAdmin: true }, '192.0.2.9', [false, undefined, undefined]],
  ])('that is %s has the rights that the test shows', async (_title, role, trusted, expected) => {
    const users = [{ name: 'account', ...role }];
    const state = seededBroker({ users, pools: [] });
    state.trustedAdmins = trusted;
    const broker = await startOpenUds({ state, mode, wrongPasswordMs: 0 });
    const account = { domain: 'corp', name: 'account', password: 'sealed' };
    const stand = brokerStand({ ...broker, password: () => 'secret-1', node: { account } });
    const rights = await stand.remote.accountRights?.(await stand.own());
    expect(rights?.map(({ isGranted }) => isGranted)).toEqual(expected);
    expect(state.tickets.size).toBe(0);
    await stand.close();
    await broker.close();
  });
});

describe('the version of an OpenUDS broker', () => {
  it.each(modes)('%s is reported by the health check, without a key', async (mode) => {
    const broker = await startOpenUds({ state: seededBroker({ users: [], pools: [] }), mode });
    const stand = brokerStand(broker);
    const health = await stand.remote.health({ ...(await stand.own()), healthKey: '' });
    expect(health).toMatchObject({ status: 'pass', version: `${mode}.0` });
    await stand.close();
    await broker.close();
  });
});
