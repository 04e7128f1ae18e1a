import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSession } from '../../simulator/data/sessions.ts';
import { addSessionAgent, messagesLeft } from '../../support/agents.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import {
  addDispatcher,
  addFarm,
  addNode,
  addSite,
  addTemplate,
  audited,
  base,
  pool,
  type SimulatedNode,
  unique,
  useWorld,
} from '../../support/factories.ts';
import {
  endLeases,
  forgetMaintenance,
  inMinutes,
  journalOf,
  ordersTo,
  poolPath,
  poolRow,
  round,
  setCircuit,
  windows,
  workplacePath,
} from '../../support/fleet/maintenance.ts';
import { rowsOf, syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

describe.each<Driver>(['pg', 'neon'])('a window of maintenance, by the driver %s', (driver) => {
  const world = useWorld({ driver });
  let site: Json;
  let farm: Json;
  let node: SimulatedNode;

  beforeEach(async () => {
    site = await addSite(world.admin);
    farm = await addFarm(world.admin, site);
    node = await addNode(world, farm, { pools: [pool('Office'), pool('Lab')] });
    for (const [name, n] of [
      ['Office', 0],
      ['Office', 1],
      ['Lab', 0],
    ] as const)
      work(name, n);
    await syncAll(world.portal, farm);
    node.simulator.resetCalls();
  });
  afterEach(async () => {
    await node.simulator.close();
    await forgetMaintenance(world.portal);
  });

  const state = () => node.simulator.state;
  const office = () => state().poolNamed('Office');
  const workplace = (name: string, n: number) => {
    const found = state().poolNamed(name).members[n];
    if (!found) throw new Error('no such workplace');
    return found;
  };
  /** A user has a session there. */
  const work = (name: string, n: number) =>
    openSession(state(), workplace(name, n), {
      person: { domain: 'CORP', name: unique('user') },
      protocol: 'rdp',
    });
  /** A run of the job at that time; the clock of the node is equal, or it would reject tokens. */
  const later = (minutes: number, given: Parameters<typeof round>[2] = {}) => {
    node.simulator.knobs.clockSkewS = minutes * 60;
    return round(world.portal, minutes, given);
  };
  const template = (given: object = {}) =>
    addTemplate(world.admin, { start_at: inMinutes(60), end_at: inMinutes(120), warn_minutes: 15, ...given });
  const order = async (given: object = {}) => {
    const { id } = await template(given);
    const { status } = await world.admin(`PATCH ${poolPath(farm, office().uuid)}`, {
      maintenance: true,
      template_id: id,
    });
    expect(status).toBe(202);
  };
  const messages = () => state().messages.map(({ workplace_uuid }) => workplace_uuid);
  const sessionStates = () => office().members.map(({ session }) => session?.state ?? null);

  it('warns, blocks, ends sessions and ends itself, each at its time', async () => {
    await order({ logoff_sessions: true, title: 'Disks', message: 'Save your work' });
    await later(0);
    expect([ordersTo(node), messages()]).toEqual([[], []]);

    await later(50);
    expect(state().messages).toMatchObject(
      [0, 1].map((n) => ({
        workplace_uuid: workplace('Office', n).uuid,
        title: 'Disks',
        message: 'Save your work',
        level: 'warning',
      })),
    );
    expect([office().maintenance, sessionStates()]).toEqual([false, ['active', 'active', null]]);
    expect(await journalOf(world.portal, office().uuid)).toEqual([]);

    const { events } = await audited(world.portal, () => later(61));
    expect(office()).toMatchObject({ maintenance: true, maintenance_message: 'Save your work' });
    expect(sessionStates()).toEqual([null, null, null]);
    expect(workplace('Lab', 0).session?.state).toBe('active');
    expect(await poolRow(world.portal, office().uuid)).toMatchObject({
      maintenance: true,
      touched_at: expect.any(Date),
    });
    expect(await rowsOf(world.portal.db, farm, 'spsessions')).toHaveLength(1);
    expect(events.map(({ user_name, action }) => [user_name, action])).toEqual([
      ['system', 'maintenance'],
      ['system', 'logoff'],
      ['system', 'logoff'],
    ]);

    await later(121);
    expect(office()).toMatchObject({ maintenance: false, maintenance_message: null });
    expect(await poolRow(world.portal, office().uuid)).toMatchObject({
      maintenance: false,
      maintenance_template_id: null,
      maintenance_since: null,
    });
    expect(await journalOf(world.portal, office().uuid)).toEqual(['maintenance_began', 'maintenance_ended']);
    expect(await windows(world.portal)).toEqual([]);
    expect(ordersTo(node)).toEqual([
      'POST message',
      'PATCH maintenance',
      'PATCH logoff',
      'PATCH logoff',
      'PATCH maintenance',
    ]);
  });

  it('executes each of these once, with any number of sidecars and runs', async () => {
    await order({ disconnect_sessions: true });
    for (const minutes of [50, 61, 121]) {
      await Promise.all([1, 2, 3].map(() => later(minutes)));
      await later(minutes);
    }
    expect(ordersTo(node)).toEqual([
      'POST message',
      'PATCH maintenance',
      'PATCH disconnect',
      'PATCH disconnect',
      'PATCH maintenance',
    ]);
    expect(sessionStates()).toEqual(['disconnected', 'disconnected', null]);
    expect(await journalOf(world.portal, office().uuid)).toEqual(['maintenance_began', 'maintenance_ended']);
  });

  it('is taken over from a killed sidecar when its lease has expired', async () => {
    await order({ logoff_sessions: true });
    const { dispatchers } = world.portal.deps;
    let ended = 0;
    const killed: Promise<never> = new Promise(() => undefined);
    // It receives no further response after the first session.
    const endSession: typeof dispatchers.endSession = async (...asked) =>
      ended++ === 0 ? dispatchers.endSession(...asked) : killed;
    const dying = later(61, { dispatchers: { ...dispatchers, endSession } });
    await expect.poll(() => ended).toBeGreaterThanOrEqual(2);
    await expect.poll(() => sessionStates().filter((one) => one === null).length).toBe(2);
    await later(61);
    expect(sessionStates().filter((one) => one === null)).toHaveLength(2);
    await endLeases(world.portal);
    await later(61);
    expect(sessionStates()).toEqual([null, null, null]);
    await expect(Promise.race([dying, Promise.resolve('dead')])).resolves.toBe('dead');
  });

  it('is not warned of twice: a message may have been delivered before the failure', async () => {
    await order();
    const { dispatchers } = world.portal.deps;
    let sent = 0;
    // The node has the message, but the response does not arrive.
    const sendMessage: typeof dispatchers.sendMessage = async (...asked) => {
      await dispatchers.sendMessage(...asked);
      sent++;
      return new Promise(() => undefined);
    };
    void later(50, { dispatchers: { ...dispatchers, sendMessage } });
    await expect.poll(() => sent).toBe(1);
    await endLeases(world.portal);
    await later(51);
    expect(messages()).toHaveLength(2);
    await world.admin(`PATCH ${poolPath(farm, office().uuid)}`, { maintenance: false });

    await order();
    node.simulator.resetCalls();
    node.simulator.knobs.reset = true;
    await later(50);
    node.simulator.knobs.reset = false;
    await endLeases(world.portal);
    await later(51);
    expect([ordersTo(node).length, messages().length]).toEqual([1, 2]);
  });

  it('is warned of as soon as a node is available', async () => {
    await order();
    await setCircuit(world.portal, node, 'open');
    const { events } = await audited(world.portal, async () => {
      await later(50);
      await endLeases(world.portal);
      await later(51);
    });
    expect(messages()).toEqual([]);
    // One event for any number of attempts.
    expect(events).toMatchObject([{ action: 'message', result: 'failure', user_name: 'system' }]);
    await setCircuit(world.portal, node, 'closed');
    await endLeases(world.portal);
    await Promise.all([later(52), later(52)]);
    expect(messages()).toHaveLength(2);
  });

  it('is sent once through registered session agents, and through the node to all others', async () => {
    const at = (n: number) => workplace('Office', n).uuid;
    await addSessionAgent(world.portal, farm, at(0), inMinutes(50));
    await order();
    await setCircuit(world.portal, node, 'open');
    await later(50);
    expect(await messagesLeft(world.portal, at(0))).toMatchObject([
      { kind: 'message', message: 'Back at noon' },
    ]);
    expect(messages()).toEqual([]);
    await setCircuit(world.portal, node, 'closed');
    await endLeases(world.portal);
    await later(50);
    expect(await messagesLeft(world.portal, at(0))).toHaveLength(1);
    expect(messages()).toEqual([at(1)]);
  });

  it('can be cancelled while the node is being called, and stays cancelled', async () => {
    await order();
    const { dispatchers } = world.portal.deps;
    const maintainPool: typeof dispatchers.maintainPool = async (...asked) => {
      await world.admin(`PATCH ${poolPath(farm, office().uuid)}`, { maintenance: false });
      return dispatchers.maintainPool(...asked);
    };
    await later(61, { dispatchers: { ...dispatchers, maintainPool } });
    expect(ordersTo(node).filter((one) => one === 'PATCH maintenance').length).toBeGreaterThanOrEqual(3);
    expect([office().maintenance, await windows(world.portal)]).toEqual([false, []]);
    expect((await poolRow(world.portal, office().uuid)).maintenance).toBe(false);
  });

  it('is retried when a node does not answer, and ends only after the node has confirmed', async () => {
    await order();
    node.simulator.knobs.reset = true;
    await later(61);
    expect(office().maintenance).toBe(false);
    expect((await windows(world.portal))[0]?.begun_at).not.toBeNull();
    node.simulator.knobs.reset = false;
    await endLeases(world.portal);
    await later(61);
    expect(office().maintenance).toBe(true);
    node.simulator.knobs.reset = true;
    await later(121);
    expect(await journalOf(world.portal, office().uuid)).toEqual(['maintenance_began']);
    node.simulator.knobs.reset = false;
    await endLeases(world.portal);
    await later(121);
    expect([office().maintenance, await windows(world.portal)]).toEqual([false, []]);
  });

  it('is deleted when it was cancelled, and one that passed unobserved changes nothing', async () => {
    await order();
    await world.admin(`PATCH ${poolPath(farm, office().uuid)}`, { maintenance: false });
    node.simulator.resetCalls();
    await later(61);
    await order();
    await later(121);
    expect([ordersTo(node), await windows(world.portal)]).toEqual([[], []]);
    expect((await poolRow(world.portal, office().uuid)).maintenance_template_id).toBeNull();
  });

  it('of a workplace affects its user only', async () => {
    const { uuid } = workplace('Office', 1);
    const { id } = await template({ disconnect_sessions: true });
    const path = workplacePath(farm, office().uuid, uuid);
    await world.admin(`PATCH ${path}`, { maintenance: true, template_id: id, message: 'Only you' });
    await later(50);
    expect(state().messages).toMatchObject([{ workplace_uuid: uuid, message: 'Only you' }]);
    await later(61);
    expect(office().members.map(({ maintenance }) => maintenance)).toEqual([false, true, false]);
    expect(sessionStates()).toEqual(['active', 'disconnected', null]);
    await later(121);
    expect(workplace('Office', 1).maintenance).toBe(false);
    expect(await journalOf(world.portal, uuid)).toEqual(['maintenance_began', 'maintenance_ended']);
  });

  it('of a farm affects all its pools, and resets the flag with an audited write', async () => {
    const { id } = await template({ logoff_sessions: true });
    const path = `${base}/farms/${farm.id}`;
    const before = (await world.admin(`PATCH ${path}`, { maintenance: true, maintenance_template_id: id }))
      .headers;
    await Promise.all([later(50), later(50)]);
    expect(messages()).toHaveLength(3);
    await Promise.all([later(61), later(61)]);
    expect(state().sessions.all()).toEqual([]);
    expect(office().maintenance).toBe(false);
    const { events } = await audited(world.portal, () => Promise.all([later(121), later(121)]));
    const after = await world.admin(`GET ${path}`);
    expect(after.body.maintenance).toBe(false);
    expect(after.headers.get('etag')).not.toBe(before.get('etag'));
    expect(events).toMatchObject([
      {
        event: 'portal.EntityAction',
        user_name: 'system',
        object_id: farm.id,
        changes: [{ field: 'maintenance', before: true, after: false }],
      },
    ]);
    expect(await journalOf(world.portal, farm.id)).toEqual(['maintenance_began', 'maintenance_ended']);
  });

  it('of a site affects each farm of it, although one is unavailable', async () => {
    const dead = await addFarm(world.admin, site);
    await addDispatcher(world.admin, dead, { url: 'https://127.0.0.1:1' });
    const { id } = await template({ logoff_sessions: true });
    const path = `${base}/sites/${site.id}`;
    await world.admin(`PATCH ${path}`, { maintenance: true, maintenance_template_id: id });
    for (const minutes of [50, 61]) await later(minutes);
    expect([messages().length, state().sessions.all()]).toEqual([3, []]);
    await later(121);
    expect((await world.admin(`GET ${path}`)).body.maintenance).toBe(false);
    expect(await journalOf(world.portal, site.id)).toEqual(['maintenance_began', 'maintenance_ended']);
  });

  it.each(['farm', 'site'] as const)('of a %s without a template is in the journal too', async (type) => {
    const { id } = type === 'farm' ? farm : site;
    const path = `${base}/${type}s/${id}`;
    await world.admin(`PATCH ${path}`, { maintenance: true });
    await Promise.all([later(0), later(0)]);
    await later(6_000);
    expect(await journalOf(world.portal, id)).toEqual(['maintenance_began']);
    expect(await windows(world.portal)).toMatchObject([{ object_type: type, template_id: null }]);
    await world.admin(`PATCH ${path}`, { maintenance: false });
    await Promise.all([later(6_001), later(6_001)]);
    expect(await journalOf(world.portal, id)).toEqual(['maintenance_began', 'maintenance_ended']);
    expect([ordersTo(node), sessionStates()]).toEqual([[], ['active', 'active', null]]);
  });

  it('of a farm ends when an administrator resets the flag', async () => {
    const { id } = await template({ end_at: null });
    const path = `${base}/farms/${farm.id}`;
    await world.admin(`PATCH ${path}`, { maintenance: true, maintenance_template_id: id });
    await later(61);
    await later(6_000);
    expect(await windows(world.portal)).toHaveLength(1);
    await world.admin(`PATCH ${path}`, { maintenance: false });
    await later(6_001);
    expect([await windows(world.portal), await journalOf(world.portal, farm.id)]).toEqual([
      [],
      ['maintenance_began', 'maintenance_ended'],
    ]);
  });
});
