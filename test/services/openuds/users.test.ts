import { afterEach, describe, expect, it } from 'vitest';
import { addUser, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import type { Mode } from '../../simulator/openuds/state.ts';
import { type BrokerStand, brokerStand, refusalOf } from '../../support/openuds/stand.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(mode: Mode, names: string[]): Promise<{ broker: Broker; stand: BrokerStand }> {
  const users = names.map((name) => ({ name, groups: ['staff'] }));
  const state = seededBroker({ users, pools: [{ name: 'Office', groups: ['staff'] }] });
  const broker = await startOpenUds({ state, mode, wrongPasswordMs: 0 });
  const stand = brokerStand(broker);
  closing.push(broker.close, stand.close);
  return { broker, stand };
}

const listsOfUsers = ({ calls }: Broker) => calls.filter(({ path }) => path.endsWith('/users')).length;
const modes: Mode[] = ['3.6', '4.0', '5.0'];

describe.each(modes)('users of an OpenUDS %s broker', (mode) => {
  it.each([
    "o'neill",
    'say "hi"',
    'back\\slash',
    'a*c',
    'a?[b]',
    'юля',
    "' or name ne '",
  ])('are found by exactly their name: %s', async (login) => {
    const { broker, stand } = await start(mode, ['abc', login.toUpperCase(), login, 'ab[b]']);
    await stand.as(login);
    const [session] = [...broker.state.sessions.values()].slice(-1);
    expect(broker.state.users.find(({ id }) => id === session?.user)?.name).toBe(login);
    expect(broker.state.users.filter(({ name }) => name === login)).toHaveLength(1);
  });

  it('who are staff by now, inactive or deleted are refused, also right after a sign-in', async () => {
    const { broker, stand } = await start(mode, ['alice']);
    await stand.as('alice');
    const alice = broker.state.users.find(({ name }) => name === 'alice');
    if (!alice) throw new Error('the seed has alice');
    alice.isStaff = true;
    expect(await refusalOf(stand.as('alice'))).toBe('not_known_here:privileged_account');
    Object.assign(alice, { isStaff: false, state: 'I' });
    expect(await refusalOf(stand.as('alice'))).toBe('not_known_here:inactive');
    broker.state.users = broker.state.users.filter((one) => one !== alice);
    expect(await refusalOf(stand.as('alice'))).toBe('not_known_here:unknown');
    addUser(broker.state, { name: 'alice', groups: ['staff'] });
    await stand.as('alice');
  });
});

describe('the users of an OpenUDS 4.0 broker, whose list has no filter,', () => {
  it('are read once for several sign-ins, and again for a name that is not among them', async () => {
    const { broker, stand } = await start('4.0', ['alice', 'bob']);
    for (const name of ['alice', 'bob', 'alice']) await stand.as(name);
    expect(listsOfUsers(broker)).toBe(1);
    addUser(broker.state, { name: 'carol', groups: ['staff'] });
    await stand.as('carol');
    expect(listsOfUsers(broker)).toBe(2);
  });

  it('are found among 20,000', async () => {
    const { broker, stand } = await start('4.0', ['last']);
    for (let n = 0; n < 20_000; n++)
      broker.state.users.unshift({ ...userOf(broker), id: idOf(n), name: `user-${n}` });
    await stand.as('last');
    expect(listsOfUsers(broker)).toBe(1);
  });
});

const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function userOf({ state }: Broker) {
  const [user] = state.users;
  if (!user) throw new Error('the seed has a user');
  return user;
}

describe('the session of a user at an OpenUDS 5.0 broker', () => {
  it('that has ended leads to the login page, which is a refused key', async () => {
    const { broker, stand } = await start('5.0', ['alice']);
    const call = await stand.as('alice');
    expect(await stand.remote.services(call)).toMatchObject([{ name: 'Office' }]);
    broker.state.skewMs = 15 * 86_400_000;
    expect(await refusalOf(stand.remote.services(call))).toMatch(/^upstream_refused:/);
  });
});
