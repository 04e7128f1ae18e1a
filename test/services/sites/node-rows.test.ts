import { and, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetGauges } from '../../../db/repositories/monitoring/fleet-gauges.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { serviceLists } from '../../../db/schema/snapshot/service-lists.ts';
import { type ListKind, listKinds } from '../../../shared/remotes/dispatcher/rows.ts';
import { openSession } from '../../simulator/data/sessions.ts';
import { type Damage, damaged, damages, expectedCounts } from '../../support/damage.ts';
import { addMember, base, type Member, pool, useWorld } from '../../support/factories.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import { rowsOf, sync, syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
let site: Json;
let at: FarmWithNode;

beforeEach(async () => {
  member = await addMember(world, []);
  const pools = [pool('Office', { tags: ['blue', 'red'] }), pool('Lab'), pool('Hall'), pool('Desk')];
  const made = await siteWithFarms(world, [{ pools }]);
  site = made.site;
  at = made.farms[0] as FarmWithNode;
});
afterEach(() => at.node.simulator.close());

const state = () => at.node.simulator.state;
const knobs = () => at.node.simulator.knobs;
const sees = (kind: ListKind) => rowsOf(world.portal.db, at.farm, kind);
const farmRecord = async (): Promise<Json> => (await world.admin(`GET ${base}/farms/${at.farm.id}`)).body;
const records = (list: ListKind) =>
  world.portal.db
    .select()
    .from(monitoringRecords)
    .where(and(eq(monitoringRecords.object_id, at.farm.id), eq(monitoringRecords.code, 'snapshot_ignored')))
    .then((rows) => rows.filter(({ details }) => details.list === list));
const person = () => ({ domain: world.domain.small_name as string, name: member.user.name as string });
const client = (path: string) => member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/${path}`);

/** Only the identity of the row. */
const bare = (list: string, { uuid, session_uuid, name }: Json) => {
  if (list === 'tags') return { name };
  return list === 'spsessions' ? { session_uuid } : { uuid };
};

describe('rows of nodes', () => {
  it.each([
    ['WIN_10-042.Пример.', 'win_10-042.xn--e1afmkfd'],
    ['[2001:DB8:0::5]', '2001:db8::5'],
    ['Golden image (new)', 'Golden image (new)'],
    ['0012', '0012'],
    [null, null],
  ])('have the host name %j in the spelling of hosts: %j', async (hostname, spelled) => {
    knobs().alter = (list, row) => (list === 'workplaces' ? { ...row, hostname } : row);
    await sync(world.portal, at.farm, 'workplaces');
    const { body } = await world.admin(`GET ${base}/workplaces?farm_id=${at.farm.id}&limit=1`);
    expect(body.items[0].hostname).toBe(spelled);
    expect(await records('workplaces')).toEqual([]);
  });

  it('need only their identity', async () => {
    const { members } = state().poolNamed('Office');
    const [first] = members;
    if (!first) throw new Error('no workplace');
    openSession(state(), first, { person: person(), protocol: 'rdp' });
    knobs().alter = bare;
    await syncAll(world.portal, at.farm);
    const lists = ['servicespools', 'workplaces', 'spsessions'] as const;
    const shown = await Promise.all(
      lists.map((list) => world.admin(`GET ${base}/${list}?farm_id=${at.farm.id}`)),
    );
    expect(shown.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(shown.map(({ body }) => body.items.length)).toEqual([4, 12, 1]);
    expect(shown[0]?.body.items[0]).toMatchObject({
      ...{
        name: null,
        state: 'unknown',
        maintenance: null,
        protocols: null,
        usage_percent: null,
        tags: null,
      },
      ...{ visible: null, in_use_count: null },
    });
    expect(shown[1]?.body.items[0]).toMatchObject({
      ...{
        name: null,
        state: 'unknown',
        machine_state: 'unknown',
        in_use: null,
        owner: null,
        servicepool_uuid: null,
      },
    });
    expect(shown[2]?.body.items[0]).toMatchObject({
      ...{ user: null, state: 'unknown', started_at: null, last_seen_at: null, workplace_uuid: null },
    });
    expect((await sees('tags')).map(({ name }) => name).sort()).toEqual(['blue', 'red']);
    expect((await farmRecord()).ignored).toEqual([]);
  });

  it('may have a tag without an identifier, which is matched by name and deleted when it is gone', async () => {
    knobs().alter = (_list, { name }) => ({ name });
    await sync(world.portal, at.farm, 'tags');
    const before = await sees('tags');
    await sync(world.portal, at.farm, 'tags');
    expect(await sees('tags')).toEqual(before);
    knobs().incremental = false;
    for (const tag of state()
      .tags.all()
      .filter(({ name }) => name === 'red'))
      state().tags.remove(tag.uuid);
    // The first read shows that the node reports no changes; the next one reads the whole list.
    await sync(world.portal, at.farm, 'tags');
    await sync(world.portal, at.farm, 'tags');
    expect((await sees('tags')).map(({ name }) => name)).toEqual(['blue']);
  });

  it('a session without last_seen_at is kept', async () => {
    const [first] = state().poolNamed('Office').members;
    if (!first) throw new Error('no workplace');
    openSession(state(), first, { person: person(), protocol: 'rdp' });
    knobs().alter = (_list, { last_seen_at: _, ...row }) => row;
    await sync(world.portal, at.farm, 'spsessions');
    const { body } = await world.admin(`GET ${base}/spsessions?farm_id=${at.farm.id}`);
    expect(body.items).toMatchObject([{ user: member.user.name, state: 'active', last_seen_at: null }]);
  });

  it('of a list without any valid row leave a record with list and property', async () => {
    await sync(world.portal, at.farm, 'workplaces');
    knobs().incremental = false;
    knobs().etags = false;
    knobs().alter = (_list, { uuid: _, ...row }) => row;
    await sync(world.portal, at.farm, 'workplaces');
    expect(await sync(world.portal, at.farm, 'workplaces')).toBe('failed');
    expect(await sees('workplaces')).toHaveLength(12);
    const ignored = [{ member: 'uuid', reason: 'missing', count: 12 }];
    expect(await records('workplaces')).toMatchObject([
      {
        details: { list: 'workplaces', count: 12, ignored },
        state: 'open',
        message: expect.stringContaining('uuid'),
      },
    ]);
    expect(await farmRecord()).toMatchObject({
      ignored: [{ list: 'workplaces', ...ignored[0] }],
      last_sync_error: 'upstream_failed:wrong_shape',
    });
  });

  it('have one record for each farm and list, renewed when it changes', async () => {
    const [first, second] = state().poolNamed('Office').members;
    if (!first || !second) throw new Error('no workplaces');
    const wrong = new Set([first.uuid]);
    knobs().alter = (_list, row) => (wrong.has(String(row.uuid)) ? { ...row, ip: 'x'.repeat(300) } : row);
    const counts = async () =>
      (await records('workplaces')).map(({ details, state: is }) => [details.count, is]);
    const touched = async (uuid: string) => {
      state().workplaces.touch(uuid);
      await sync(world.portal, at.farm, 'workplaces');
    };
    await sync(world.portal, at.farm, 'workplaces');
    expect(await sees('workplaces')).toHaveLength(12);
    expect((await sees('workplaces')).find(({ uuid }) => uuid === first.uuid)).toMatchObject({ ip: null });
    const [made] = await records('workplaces');
    expect(made).toMatchObject({
      ...{ level: 'warning', state: 'open', object_type: 'farm', revision: 1 },
      details: {
        list: 'workplaces',
        count: 1,
        ignored: [{ member: 'ip', reason: 'out_of_range', count: 1 }],
      },
    });
    // Other rows change: the ignored values stay, and so does the record.
    await touched(second.uuid);
    expect(await records('workplaces')).toEqual([made]);
    wrong.add(second.uuid);
    await touched(second.uuid);
    expect(await counts()).toEqual([[2, 'open']]);
    const scrape = await gauge();
    expect(scrape).toEqual([[{ list: 'workplaces', member: 'ip', reason: 'out_of_range' }, 2]]);
    wrong.clear();
    for (const { uuid } of [first, second]) await touched(uuid);
    expect(await counts()).toEqual([[0, 'closed']]);
    expect((await farmRecord()).ignored).toEqual([]);
    wrong.add(first.uuid);
    await touched(first.uuid);
    expect(await counts()).toEqual([[1, 'open']]);
  });

  it('of a service in an unknown state allow no connection, directly or through a rule', async () => {
    const office = uuidOf(at, 'Office');
    const rule = await addRule(world, site, [memberOf(at, 'Lab')]);
    for (const list of ['servicespools', 'services']) {
      await world.portal.db.delete(serviceLists);
      knobs().alter = (name, { state: told, ...row }) => (name === list ? row : { ...row, state: told });
      knobs().incremental = false;
      knobs().etags = false;
      for (let n = 0; n < 2; n++) await sync(world.portal, at.farm, 'servicespools');
      const { body } = await client('servicesList/');
      await world.portal.settled();
      expect(body.services.map((one: Json) => one.state)).toEqual(Array(4).fill('unavailable'));
      for (const id of [`${at.farm.id}.${office}`, rule.id]) {
        const verdict = await client(`preconnectionInfo/${id}`);
        expect(verdict.body).toMatchObject({
          verdict: 'abandon',
          reason_code: 'state_unknown',
          state: 'unknown',
        });
        const connection = await client(`connectionInfo/${id}`);
        expect([connection.status, connection.body.reason]).toEqual([409, 'state_unknown']);
      }
    }
  });

  it('may omit whether a workplace is in use; then it is not wiped', async () => {
    const [first] = state().poolNamed('Office').members;
    knobs().alter = (_list, { in_use: _, ...row }) => row;
    await syncAll(world.portal, at.farm);
    const path = `workplaces/${at.farm.id}/refresh/${uuidOf(at, 'Office')}/${first?.uuid}`;
    const refused = await world.admin(`PATCH ${base}/${path}`, {});
    expect([refused.status, refused.body.reason]).toEqual([409, 'use_unknown']);
    expect((await world.admin(`PATCH ${base}/${path}`, { force: true })).status).toBe(202);
  });
});

/** Labels except the farm, and values, of the metrics of ignored values at the farm. */
async function gauge(): Promise<unknown[]> {
  const { ignored } = await fleetGauges(world.portal.db, { bindAccount: [], provider: [] });
  return ignored
    .filter(({ farm }) => farm === at.farm.name)
    .map(({ farm: _, count, ...labels }) => [labels, count]);
}

describe('missing or wrong optional properties', () => {
  /** Flags that are only in the lists of the node: it would connect all the same. */
  const marked = (list: string, row: Json): Json => {
    const isOf = (name: string) => [row.uuid, row.servicepool_uuid].includes(uuidOf(at, name));
    if (list === 'servicespools' && isOf('Lab')) return { ...row, maintenance: true };
    if (list === 'services' && isOf('Hall')) return { ...row, state: 'maintenance' };
    if (list === 'workplaces' && isOf('Desk')) return { ...row, owner: person(), maintenance: true };
    return row;
  };
  const rowsIn = { servicespools: 4, workplaces: 12, spsessions: 1, tags: 2 };

  /** The pools that the portal would connect the user to; the state of the lists is read again. */
  async function connectable(plan: readonly Damage[]): Promise<string[]> {
    const sent: Record<string, number> = {};
    knobs().alter = (list, row) => {
      // The whole list is read each time, always in the same order.
      const rows = list === 'services' ? 'servicespools' : list;
      const number = sent[list] ?? 0;
      sent[list] = (number + 1) % rowsIn[rows];
      return damaged(plan, list, number, marked(list, row));
    };
    await world.portal.db.delete(serviceLists);
    for (const kind of listKinds) expect(await sync(world.portal, at.farm, kind)).toBe('synced');
    await client('servicesList/');
    await world.portal.settled();
    const names = ['Office', 'Lab', 'Hall', 'Desk'];
    const verdicts = await Promise.all(
      names.map((name) => client(`preconnectionInfo/${at.farm.id}.${uuidOf(at, name)}`)),
    );
    return names.filter((_, n) => verdicts[n]?.body.verdict === 'connect');
  }

  it('fail no sync, make nothing connectable, and leave the count exact', async () => {
    const [first] = state().poolNamed('Office').members;
    if (!first) throw new Error('no workplace');
    openSession(state(), first, { person: { domain: 'elsewhere', name: 'ada' }, protocol: 'rdp' });
    Object.assign(knobs(), { incremental: false, etags: false });
    for (let n = 0; n < 2; n++) await syncAll(world.portal, at.farm);
    expect(await connectable([])).toEqual(['Office']);
    const law = fc.asyncProperty(damages, async (plan) => {
      expect(['Office']).toEqual(expect.arrayContaining(await connectable(plan)));
      const found: Json[] = (await farmRecord()).ignored;
      const counts: Record<string, number> = {};
      for (const { list, member: name, count } of found)
        counts[`${list} ${name}`] = (counts[`${list} ${name}`] ?? 0) + count;
      expect(counts).toEqual(expectedCounts(plan, rowsIn));
      for (const list of listKinds) expect(await sees(list)).toHaveLength(rowsIn[list]);
    });
    await fc.assert(law, { numRuns: 25 });
  });
});
