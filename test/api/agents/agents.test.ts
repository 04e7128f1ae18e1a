import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { farmParts } from '../../../db/schema/snapshot/farm-parts.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { endSession, openSession } from '../../simulator/data/sessions.ts';
import { type AgentStand, inForm, refused, startAgentStand } from '../../support/agents.ts';
import { addMember, addSite, audited, base, unique, useStand } from '../../support/factories.ts';
import { sessionOf, workplaceOf } from '../../support/fleet/fleet.ts';
import { partOf, sync } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const stand = useStand(startAgentStand);

const agent: AgentStand['agent'] = (...call) => stand.agent(...call);
const interfacesOf = (n: number) => [
  { mac: workplaceOf(stand.fleet, 'Office', n).unique_id, ip: '10.9.9.9' },
];
const initialize = (token: string, id: unknown) =>
  agent('POST /initialize', { body: { type: 'managed', version: '4.0', token, id } });

describe('a workplace', () => {
  it('keeps the values that its agent reported when the node returns none, until the node returns them', async () => {
    const token = await stand.initialize(2);
    const { portal } = stand.world;
    await agent('POST /ready', { body: { token, ip: '10.7.7.7', port: 43910, secret: 'of the agent' } });
    const records = await stand.shown(2);
    expect(records).toMatchObject({
      ip: '10.7.7.7',
      agent_version: '4.0',
      agent_seen_at: expect.any(String),
    });
    const { agent_seen_at, agent_version, ip } = records;
    stand.fleet.simulator.state.workplaces.touch(workplaceOf(stand.fleet, 'Office', 2).uuid);
    await sync(portal, stand.fleet.farm, 'workplaces');
    expect(await stand.shown(2)).toMatchObject({ ip, agent_version, agent_seen_at });
    // The message is older than a day and is not returned any more.
    const isOne = eq(workplaces.uuid, workplaceOf(stand.fleet, 'Office', 2).uuid);
    const before = new Date(Date.now() - 25 * 3_600_000);
    await portal.db.update(workplaces).set({ agent_seen_at: before, touched_at: before }).where(isOne);
    stand.fleet.simulator.state.workplaces.touch(workplaceOf(stand.fleet, 'Office', 2).uuid);
    await sync(portal, stand.fleet.farm, 'workplaces');
    expect(await stand.shown(2)).toMatchObject({
      ip: workplaceOf(stand.fleet, 'Office', 2).ip,
      agent_version: '7.0.0',
      agent_seen_at: before.toISOString(),
    });
  });

  it('follows the life of its agent: registered, found, ready, in use, logged out', async () => {
    const token = await stand.register();
    expect(await agent('POST /test', { body: { type: 'managed', token } })).toMatchObject({
      status: 200,
      body: inForm({ result: 'ok' }),
    });
    const { body } = await initialize(token, interfacesOf(1));
    const own: string = body.result.own_token;
    const { unique_id, uuid } = workplaceOf(stand.fleet, 'Office', 1);
    expect(body).toEqual(
      inForm({
        result: { own_token: own, token: own, master_token: token, unique_id, os: null },
      }),
    );
    expect(await stand.shown(1)).toMatchObject({ agent_version: '4.0', agent_seen_at: expect.any(String) });

    const ready = { token: own, ip: '10.1.2.3', port: 43910, secret: 'of the agent' };
    expect((await agent('POST /ready', { body: ready })).status).toBe(200);
    expect((await stand.shown(1)).ip).toBe('10.1.2.3');
    expect((await agent('POST /ipchange', { body: { ...ready, ip: '10.1.2.4' } })).status).toBe(200);
    expect((await stand.shown(1)).ip).toBe('10.1.2.4');
    await agent('POST /version', { body: { token: own, version: '4.1', build: '7' } });
    expect((await stand.shown(1)).agent_version).toBe('4.1');

    const login = { token: own, username: 'CORP\\grace', session_type: 'RDP' };
    const { result } = (await agent('POST /login', { body: login })).body;
    expect(result).toEqual({
      ip: null,
      hostname: null,
      dead_line: null,
      deadline: null,
      max_idle: null,
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await stand.shown(1)).toMatchObject({ in_use: true, state: 'in_use' });
    const of = (all: Json[]) => all.filter(({ workplace_uuid }) => workplace_uuid === uuid);
    expect(of(await stand.sessions())).toMatchObject([
      {
        session_uuid: result.session_id,
        user: 'grace',
        domain: 'CORP',
        protocol: 'rdp',
        state: 'active',
        workplace_ip: '10.1.2.4',
      },
    ]);
    expect((await agent('POST /login', { body: login })).body.result.session_id).toBe(result.session_id);

    const logout = { token: own, session_id: result.session_id };
    expect((await agent('POST /logout', { body: logout })).body).toEqual(inForm({ result: 'ok' }));
    expect(await stand.shown(1)).toMatchObject({ in_use: false, in_use_since: null, state: 'ready' });
    expect(of(await stand.sessions())).toEqual([]);
    const records = (await stand.journal()).filter(({ details }) => details.workplace_uuid === uuid);
    expect(records.map(({ code }) => code)).toEqual([
      'agent_initialized',
      'agent_ready',
      'agent_address_changed',
      'session_begun',
      'session_begun',
      'session_ended',
    ]);
  });

  it('keeps the session that its dispatcher reports, and a log-out by user name ends it', async () => {
    const token = await stand.initialize(0);
    const known = sessionOf(stand.fleet).session_uuid;
    const { body } = await agent('POST /login', { body: { token, username: 'Ada' } });
    expect(body.result.session_id).toBe(known);
    await agent('POST /logout', { body: { token, username: 'somebody' } });
    expect((await stand.sessions()).map(({ session_uuid }) => session_uuid)).toContain(known);
    await agent('POST /logout', { body: { token, session_id: 'S-1-5', username: 'ada@corp.example.com' } });
    expect((await stand.sessions()).map(({ session_uuid }) => session_uuid)).not.toContain(known);
  });

  it('is logged in to and out of by GET, and HEAD has no effect', async () => {
    const token = await stand.initialize(2);
    const notify = (method: string, action: string) =>
      agent(`${method} /notify?action=${action}&token=${token}&username=linus&mac=x`);
    const of = async () => (await stand.sessions()).filter(({ user }) => user === 'linus').length;
    expect((await notify('HEAD', 'login')).status).toBe(200);
    expect(await of()).toBe(0);
    expect((await notify('GET', 'login')).body.result).toHaveProperty('session_id');
    expect(await of()).toBe(1);
    expect((await notify('GET', 'logout')).body).toEqual(inForm({ result: 'ok' }));
    expect(await of()).toBe(0);
    expect(JSON.stringify(stand.world.portal.log)).not.toContain(token);
  });

  it('costs two database round trips for each call', async () => {
    const token = await stand.initialize(2);
    const { portal } = stand.world;
    const before = portal.trips();
    await agent('POST /login', { body: { token, username: 'linus' } });
    expect(portal.trips() - before).toBe(2);
    await agent('POST /logout', { body: { token, username: 'linus' } });
    expect(portal.trips() - before).toBe(4);
  });
});

describe('a state reported by an agent', () => {
  it('is not overwritten by a sync that began earlier', async () => {
    const token = await stand.initialize(2);
    const { portal } = stand.world;
    const { dispatchers } = portal.deps;
    let reads = 0;
    const list: typeof dispatchers.list = async (...asked) => {
      const page = await dispatchers.list(...asked);
      await agent('POST /ipchange', { body: { token, ip: '10.7.7.7' } });
      reads += 1;
      await agent('POST /login', { body: { token, username: `late-${reads}` } });
      return page;
    };
    const deps = { ...portal.deps, dispatchers: { ...dispatchers, list } };
    // A full list is read: rows that the node omits would be deleted.
    await portal.db.update(farmParts).set({ as_of: null, etag: null, full_at: null });
    await sync(portal, stand.fleet.farm, 'workplaces', { deps });
    await sync(portal, stand.fleet.farm, 'spsessions', { deps });
    expect(await stand.shown(2)).toMatchObject({ ip: '10.7.7.7', in_use: true });
    const users = async () => (await stand.sessions()).map(({ user }) => user);
    expect(await users()).toContain('late-2');
    // It began before the sessions of the node were read, and the node did not list it.
    expect(await users()).not.toContain('late-1');
    await agent('POST /logout', { body: { token, username: 'late-2' } });
    await sync(portal, stand.fleet.farm, 'spsessions');
    expect(await users()).not.toContain('late-2');
  });

  it('is one session together with the one that the dispatcher reports, also in a sync of changes only', async () => {
    const { world, fleet } = stand;
    const { portal } = world;
    const workplace = workplaceOf(fleet, 'Office', 1);
    const person = { ...sessionOf(fleet).person, name: 'grace' };
    const token = await stand.initialize(1);
    await sync(portal, fleet.farm, 'spsessions');
    const { result } = (await agent('POST /login', { body: { token, username: 'CORP\\Grace' } })).body;
    await agent('POST /login', { body: { token, username: 'CORP\\linus' } });
    const here = async () =>
      (await stand.sessions())
        .filter(({ workplace_uuid }) => workplace_uuid === workplace.uuid)
        .map(({ session_uuid, user }) => [user, session_uuid === result.session_id]);
    await sync(portal, fleet.farm, 'spsessions');
    expect((await here()).toSorted()).toEqual([
      ['Grace', true],
      ['linus', false],
    ]);
    const session = openSession(fleet.simulator.state, workplace, { person, protocol: 'rdp' });
    await sync(portal, fleet.farm, 'spsessions');
    expect((await here()).toSorted()).toEqual([
      ['grace', false],
      ['linus', false],
    ]);
    expect((await partOf(portal.db, fleet.farm, 'spsessions'))?.is_incremental).toBe(true);
    endSession(fleet.simulator.state, session);
    await sync(portal, fleet.farm, 'spsessions');
    expect(await here()).toEqual([['linus', false]]);
    await agent('POST /logout', { body: { token, username: 'CORP\\linus' } });
  });

  it('may have a line break in the name of a user, whose session is handled like any other', async () => {
    const token = await stand.initialize(2);
    await agent('POST /login', { body: { token, username: 'CORP\\two\u2028lines' } });
    expect(await stand.sessions()).toContainEqual(
      expect.objectContaining({ user: 'two\u2028lines', domain: 'CORP' }),
    );
    await agent('POST /logout', { body: { token, username: 'CORP\\two\u2028lines' } });
  });

  it('is in the journal with its level and without extra text', async () => {
    const token = await stand.initialize(1);
    const lines: [unknown, string][] = [
      ['debug', 'never seen'],
      [10_000, 'never seen'],
      ['WARN', 'low on disk'],
      [20_000, 'never seen'],
      [30_000, 'logged in'],
      [40_000, 'clock is slow'],
      [50_000, 'no network'],
      [60_000, 'no disk'],
      [50, 'no way'],
      [null, 'plain\u001b[31m'],
      ['odd', 'x'.repeat(9_000)],
      ['constructor', 'of no object'],
      ['__proto__', 'of none either'],
    ];
    for (const [level, message] of lines)
      expect((await agent('POST /log', { body: { token, level, message } })).status).toBe(200);
    const records = (await stand.journal()).filter(({ code }) => code === 'agent_log');
    expect(records.map(({ level, message }) => [level, message])).toEqual([
      ['warning', 'low on disk'],
      ['info', 'logged in'],
      ['warning', 'clock is slow'],
      ['error', 'no network'],
      ['critical', 'no disk'],
      ['critical', 'no way'],
      ['info', 'plain\\u001b[31m'],
      ['info', 'x'.repeat(4_096)],
      ['info', 'of no object'],
      ['info', 'of none either'],
    ]);
    const { body } = await stand.world.admin(`GET ${base}/monitoring?code=agent_log&level=critical`);
    expect(body.items).toMatchObject([
      { source: 'farm', object_id: stand.fleet.farm.id },
      { source: 'farm', object_id: stand.fleet.farm.id },
    ]);
    expect((await agent('POST /ticket', { body: { token, ticket: 'once' } })).body).toEqual(
      inForm({ result: 'ok' }),
    );
  });

  it('does not make the next sync read the whole farm again', async () => {
    const token = await stand.initialize(1);
    const { uuid } = workplaceOf(stand.fleet, 'Office', 1);
    const { db } = stand.world.portal;
    const touched = async () =>
      (await db.select({ at: workplaces.touched_at }).from(workplaces).where(eq(workplaces.uuid, uuid)))[0]
        ?.at;
    const before = await touched();
    await agent('POST /log', { body: { token, level: 'info', message: 'still here' } });
    expect(await touched()).toEqual(before);
    await agent('POST /version', { body: { token, version: '4.2' } });
    expect(await touched()).not.toEqual(before);
  });
});

describe('a machine', () => {
  it('gets nulls when no workplace or more than one matches it', async () => {
    const token = await stand.register();
    const nulls = { own_token: null, token: null, master_token: null, unique_id: null, os: null };
    for (const id of [
      [],
      [{ mac: null, ip: '10.9.9.9' }, {}],
      [{ mac: '00:00:00:00:00:00' }],
      [{ mac: 'none' }],
      [interfacesOf(1)[0], interfacesOf(2)[0]],
    ])
      expect((await initialize(token, id)).body).toEqual(inForm({ result: nulls }));
  });

  it('is found by its MAC address in any notation, and among several matches by its IP address', async () => {
    const token = await stand.register();
    const [{ mac } = { mac: '' }] = interfacesOf(1);
    for (const spelled of [mac.toUpperCase(), mac.replaceAll(':', '-'), mac.replaceAll(':', '')])
      expect((await initialize(token, [{ mac: spelled }])).body.result.unique_id).toBe(mac);
    const { ip } = await stand.shown(2);
    const both = [
      { mac, ip: null },
      { ...interfacesOf(2)[0], ip },
    ];
    expect((await initialize(token, both)).body.result.unique_id).toBe(both[1]?.mac);
  });

  it('keeps the token of its workplace when it registers with that token', async () => {
    const own = await stand.initialize(1);
    expect((await initialize(own, [])).body.result).toMatchObject({ own_token: own, master_token: null });
    expect((await agent('POST /test', { body: { token: own } })).status).toBe(200);
  });

  it('is not treated as the original when it is a copy that presents the same token', async () => {
    const own = await stand.initialize(1);
    const before = await stand.shown(1);
    const nulls = { own_token: null, token: null, master_token: null, unique_id: null, os: null };
    const given = { type: 'managed', version: 'of the copy', token: own, id: interfacesOf(2) };
    expect((await agent('POST /initialize', { body: given })).body).toEqual(inForm({ result: nulls }));
    expect(await stand.shown(1)).toMatchObject({ agent_version: before.agent_version });
    const several = [{ mac: null }, ...interfacesOf(2), ...interfacesOf(1)];
    expect((await initialize(own, several)).body.result.own_token).toBe(own);
  });

  it('that registers again ends everything that belonged to the previous registration', async () => {
    const machine = unique('image');
    const former = await stand.register(machine);
    const own = await stand.initialize(1, former);
    await stand.register(machine.toUpperCase());
    for (const [token, ip] of [
      [former, '198.51.100.1'],
      [own, '198.51.100.2'],
    ])
      expect(await agent('POST /test', { body: { token }, ip: ip ?? '' })).toMatchObject({
        status: 401,
        body: refused('invalid_token'),
      });
  });

  it('is registered by an administrator with the right to change workplaces, within their sites', async () => {
    const { world, fleet } = stand;
    const elsewhere = await addSite(world.admin);
    const [here, there] = [
      await addMember(world, ['workplaces.update'], [fleet.site.id]),
      await addMember(world, ['workplaces.update'], [elsewhere.id]),
    ];
    const machine = unique('image');
    const register = async (ask: typeof here.ask) =>
      (await ask('POST /api/agent/v7.0/register', { hostname: machine, mac: null })).body.result;
    const { result: ours, events } = await audited(world.portal, () => register(here.ask));
    expect(events).toMatchObject([
      { event: 'portal.EntityAction', action: 'create', object_type: 'agent', object_name: machine },
    ]);
    const theirs = await register(there.ask);
    expect((await initialize(theirs, interfacesOf(1))).body.result.own_token).toBeNull();
    expect((await initialize(ours, interfacesOf(1))).body.result.own_token).toMatch(/^agat_/);
    const { ask } = await addMember(world, ['workplaces.read']);
    expect((await ask('POST /api/agent/v7.0/register', { hostname: machine })).status).toBe(403);
  });
});
