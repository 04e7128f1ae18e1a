import { afterEach, describe, expect, it } from 'vitest';
import { addMetaPool, seededBroker } from '../../simulator/openuds/seed.ts';
import { type Broker, startOpenUds } from '../../simulator/openuds/start.ts';
import type { MetaPool, Mode } from '../../simulator/openuds/state.ts';
import { type BrokerStand, brokerStand, refusalOf } from '../../support/openuds/stand.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Transports = ('rdp' | 'spice' | 'tunnel' | 'html5')[];
type Started = { broker: Broker; stand: BrokerStand; meta: MetaPool };

/** A meta pool of two pools with these transports. */
async function start(
  mode: Mode,
  {
    first,
    second,
    grouping = 'none',
  }: { first: Transports; second: Transports; grouping?: MetaPool['grouping'] },
): Promise<Started> {
  const pools = [
    { name: 'North', groups: ['staff'], transports: first },
    { name: 'South', groups: ['staff'], transports: second },
  ];
  const state = seededBroker({ users: [{ name: 'alice', groups: ['staff'] }], pools });
  const meta = addMetaPool(state, { name: 'Anywhere', pools: ['North', 'South'], grouping });
  const broker = await startOpenUds({ state, mode, wrongPasswordMs: 0 });
  const stand = brokerStand(broker);
  closing.push(broker.close, stand.close);
  return { broker, stand, meta };
}

const modes: Mode[] = ['3.6', '4.0', '5.0'];
describe.each(modes)('a meta pool of an OpenUDS %s broker', (mode) => {
  it('stands for its pools, and is opened by the transport that the broker chooses', async () => {
    const { broker, stand, meta } = await start(mode, { first: ['spice'], second: ['spice'] });
    const call = await stand.as('alice');
    expect(await stand.remote.services(call)).toMatchObject([
      { uuid: meta.id, name: 'Anywhere', protocols: ['spice'], state: 'ready', sessions: [] },
    ]);
    expect(broker.state.desktops).toEqual([]);
    const found = await stand.remote.connectionInfo(call, meta.id, { protocol: 'spice' });
    expect(found).toMatchObject({ method: 'link', protocol: 'spice' });
    expect('link' in found && found.link).toMatch(/^udss(v2)?:\/\/vdi\.example\.com\//);
    expect(broker.state.desktops).toMatchObject([{ pool: meta.pools[0] }]);
  });

  it('has an unknown protocol where the transports of its pools have several', async () => {
    const { stand, meta } = await start(mode, { first: ['spice'], second: ['tunnel'] });
    const call = await stand.as('alice');
    expect(await stand.remote.services(call)).toMatchObject([{ protocols: ['unknown'] }]);
    expect(await stand.remote.connectionInfo(call, meta.id, {})).toMatchObject({ protocol: 'unknown' });
    const other = stand.remote.connectionInfo(call, meta.id, { protocol: 'rdp' });
    expect(await refusalOf(other)).toBe('service_in_preparation:protocol_not_offered');
  });

  it('is opened by a transport that all of its pools have, also directly', async () => {
    const given = { first: ['rdp', 'spice'], second: ['rdp'], grouping: 'common' } as const;
    const { stand, meta } = await start(mode, {
      ...given,
      first: [...given.first],
      second: [...given.second],
    });
    const call = await stand.as('alice');
    expect(await stand.remote.services(call)).toMatchObject([{ protocols: ['rdp'] }]);
    expect(await stand.remote.connectionInfo(call, meta.id, {})).toMatchObject({
      protocol: 'rdp',
      port: 3389,
    });
  });

  it('is opened by a label that transports of all of its pools have', async () => {
    const { broker, stand, meta } = await start(mode, {
      ...{ first: ['spice', 'rdp'], second: ['spice', 'tunnel'], grouping: 'label' },
    });
    for (const way of broker.state.transports) if (way.protocol === 'spice') way.label = 'at home';
    const call = await stand.as('alice');
    expect(await stand.remote.services(call)).toMatchObject([{ protocols: ['spice'] }]);
    await stand.remote.connectionInfo(call, meta.id, {});
    expect(broker.calls.at(-1)?.path).toMatch(/\/M[0-9a-f-]+\/LABEL%3Aat%20home\/udslink$/);
  });

  it('opens the page of the broker where that is what the broker chooses', async () => {
    const { broker, stand, meta } = await start(mode, { first: ['html5'], second: ['html5'] });
    const call = await stand.as('alice');
    const found = await stand.remote.connectionInfo(call, meta.id, {});
    const ticket = 'link' in found ? new URL(found.link).pathname.split('/').at(-1) : '';
    expect(broker.state.tickets.get(ticket ?? '')).toMatchObject({ username: 'alice', pool: meta.id });
  });

  it('has the sessions of all of its pools, to which a link leads again', async () => {
    const { broker, stand, meta } = await start(mode, { first: ['html5', 'spice'], second: ['tunnel'] });
    const call = await stand.as('alice');
    await stand.remote.connectionInfo(call, meta.id, {});
    const again = await stand.as('alice');
    const [desktop] = broker.state.desktops;
    const [service] = await stand.remote.services(again);
    expect(service?.sessions).toEqual([{ session_uuid: desktop?.id, state: 'active' }]);
    const { link } = await stand.remote.reconnect(again, desktop?.id ?? '');
    expect(link).toMatch(/^udss(v2)?:/);
    const spice = broker.state.transports.find(({ protocol }) => protocol === 'spice');
    expect(broker.calls.at(-1)?.path).toBe(`/uds/rest/connection/A${desktop?.id}/${spice?.id}/udslink`);
  });

  it('has its pools read once for several questions', async () => {
    const { broker, stand } = await start(mode, { first: ['spice'], second: ['spice'] });
    const call = await stand.as('alice');
    for (let n = 0; n < 3; n++) await stand.remote.services(call);
    expect(broker.calls.filter(({ path }) => path.startsWith('/uds/rest/metapools/'))).toHaveLength(1);
  });
});
