import { afterEach, describe, expect, it } from 'vitest';
import { addUser, seededBroker, type UserSeed } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import type { Mode } from '../../simulator/openuds/state.ts';
import { type BrokerStand, brokerStand, refusalOf } from '../../support/openuds/stand.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Options = { mode: Mode; ignoresCase: boolean; createsUsers: boolean };
const staff = (name: string): UserSeed => ({ name, groups: ['staff'], isStaff: true, isAdmin: true });

async function start({ mode, ignoresCase, createsUsers }: Options, users: UserSeed[]) {
  const state = seededBroker({ users, pools: [{ name: 'Web', groups: ['devs'], transports: ['html5'] }] });
  state.ignoresCase = ignoresCase;
  const broker = await startOpenUds({ state, mode, wrongPasswordMs: 0 });
  const stand = brokerStand({ ...broker, node: { identity: { createsUsers, domains: [] } } });
  closing.push(broker.close, stand.close);
  return { broker, stand };
}

const tickets = ({ calls }: Broker) => calls.filter(({ path }) => path.endsWith('tickets/create')).length;
const rowsOf = ({ state }: Broker) =>
  JSON.stringify(state.users.map((one) => [one.name, one.isStaff, [...one.groups]]));
/** Sessions of others than the account of the portal. */
const sessionsOf = ({ state }: Broker) => {
  const account = state.users.find(({ name }) => name === 'portal-svc')?.id;
  return [...state.sessions.values()].filter(({ user }) => user !== account).length;
};
const signIn = (stand: BrokerStand, name: string) => stand.as(name, { groups: ['devs'] });
/** Creates a user between the look-up of a name and the redemption of its ticket. */
const createMeanwhile = (broker: Broker, user: UserSeed): void => {
  broker.knobs.arriving = (path) => {
    if (!path.startsWith('/uds/page/ticket/')) return;
    delete broker.knobs.arriving;
    addUser(broker.state, user);
  };
};

const every: Options[] = [
  ...[true, false].flatMap((ignoresCase) =>
    [true, false].map((createsUsers): Options => ({ mode: '3.6', ignoresCase, createsUsers })),
  ),
  { mode: '4.0', ignoresCase: true, createsUsers: true },
  { mode: '5.0', ignoresCase: true, createsUsers: true },
];

describe.each(
  every,
)('names at an OpenUDS $mode broker (ignores case: $ignoresCase, users created: $createsUsers)', (options) => {
  it.each(['PORTAL-SVC', 'Root2', 'helper'])('of staff do not lead to their account: %s', async (name) => {
    const { broker, stand } = await start(options, [staff('root2'), { ...staff('Helper'), isAdmin: false }]);
    const before = rowsOf(broker);
    expect(await refusalOf(signIn(stand, name))).toBe('not_known_here:privileged_account');
    expect([tickets(broker), rowsOf(broker), sessionsOf(broker)]).toEqual([0, before, 0]);
  });

  it('that differ from one user by case mean this user, and create no second one', async () => {
    const { broker, stand } = await start(options, [{ name: 'erin', groups: ['devs'] }]);
    const call = await signIn(stand, 'Erin');
    expect((await stand.remote.services(call)).map(({ name }) => name)).toEqual(['Web']);
    const erin = broker.state.users.filter(({ name }) => name.toLowerCase() === 'erin');
    expect(erin.map(({ name }) => name)).toEqual(['erin']);
    expect([...broker.state.sessions.values()].at(-1)?.user).toBe(erin[0]?.id);
  });

  it.each([
    'pörtal-svc',
    'portal-svc ',
    'ＰＯＲＴＡＬ-svc',
  ])('that a database could take for another one are not created: %s', async (name) => {
    const { broker, stand } = await start(options, []);
    const before = rowsOf(broker);
    expect(await refusalOf(signIn(stand, name))).toBe('not_known_here:unknown');
    expect([tickets(broker), rowsOf(broker)]).toEqual([0, before]);
  });
});

describe.each(
  every.filter(({ createsUsers }) => createsUsers),
)('a new name at an OpenUDS $mode broker (ignores case: $ignoresCase)', (options) => {
  it('is created, and the key is that of the new user', async () => {
    const { broker, stand } = await start(options, []);
    const call = await signIn(stand, 'new');
    const made = broker.state.users.find(({ name }) => name === 'new');
    expect(JSON.parse(call.key).user).toMatchObject({ id: made?.id, name: 'new', groups: ['devs'] });
  });

  it('that becomes the name of staff before the ticket is redeemed gets no key', async () => {
    const { broker, stand } = await start(options, []);
    createMeanwhile(broker, staff('carol'));
    expect(await refusalOf(signIn(stand, 'carol'))).toBe('not_known_here:privileged_account');
    expect(sessionsOf(broker)).toBe(0);
  });

  it('that is like a new name of staff gets no key of staff', async () => {
    const { broker, stand } = await start(options, []);
    createMeanwhile(broker, staff('carol'));
    const outcome = await refusalOf(signIn(stand, 'Carol'));
    const open = [...broker.state.sessions.values()].map(({ user }) => user);
    expect(open).not.toContain(broker.state.users.find(({ name }) => name === 'carol')?.id);
    expect(outcome).toBe(options.ignoresCase ? 'not_known_here:unknown' : 'no refusal');
  });
});

describe.each(
  every,
)('a user of an OpenUDS $mode broker (ignores case: $ignoresCase, users created: $createsUsers)', (options) => {
  it('who is replaced by staff before the ticket is redeemed gets no key', async () => {
    const { broker, stand } = await start(options, [{ name: 'dave', groups: ['devs'] }]);
    createMeanwhile(broker, staff('dave'));
    broker.knobs.arriving = ((then) => (path: string) => {
      if (path.startsWith('/uds/page/ticket/'))
        broker.state.users = broker.state.users.filter(({ name }) => name !== 'dave');
      then?.(path);
    })(broker.knobs.arriving);
    expect(await refusalOf(signIn(stand, 'dave'))).toBe('not_known_here:unknown');
    expect(sessionsOf(broker)).toBe(0);
  });

  it('who was renamed gets no page, because another user may have the name now', async () => {
    const { broker, stand } = await start(options, [{ name: 'dave', groups: ['devs'] }]);
    const call = await signIn(stand, 'dave');
    const dave = broker.state.users.find(({ name }) => name === 'dave');
    if (dave) dave.name = 'david';
    addUser(broker.state, staff('dave'));
    const before = tickets(broker);
    const pool = broker.state.pools[0]?.id ?? '';
    expect(await refusalOf(stand.remote.connectionInfo(call, pool, {}))).toBe('not_known_here:unknown');
    expect(tickets(broker)).toBe(before);
  });
});
