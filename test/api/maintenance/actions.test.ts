import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addFarm,
  addMember,
  addNode,
  addSite,
  addTemplate,
  adminOf,
  audited,
  base,
  type Member,
  pool,
  useWorld,
} from '../../support/factories.ts';
import {
  inMinutes,
  journalOf,
  ordersTo,
  poolPath,
  poolRow,
  windows,
  workplacePath,
} from '../../support/fleet/maintenance.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import { rowsOf, syncAll } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
let site: Json;
let at: FarmWithNode;
const admin = adminOf(world);

beforeAll(async () => {
  member = await addMember(world, []);
});
beforeEach(async () => {
  const made = await siteWithFarms(world, [{ pools: [pool('Office'), pool('Lab')] }]);
  site = made.site;
  [at] = made.farms as [FarmWithNode];
  await syncAll(world.portal, at.farm);
  at.node.simulator.resetCalls();
});
afterEach(() => at.node.simulator.close());

const office = () => at.node.simulator.state.poolNamed('Office');
const path = () => poolPath(at.farm, office().uuid);
const client = (question: string) => `GET /aggregator/api/client/v7.0/${site.uri}/${question}`;
const services = async (): Promise<Json[]> => (await member.ask(client('servicesList/'))).body.services;
const serviceId = () => `${at.farm.id}.${office().uuid}`;

describe('the maintenance of a pool', () => {
  it('is sent to the node, and the snapshot, the audit and the journal show it at once', async () => {
    const order = { maintenance: true, message: 'Back at noon' };
    const { result, events } = await audited(world.portal, () => admin(`PATCH ${path()}`, order));
    expect(result.status).toBe(202);
    expect(result.body).toMatchObject({
      name: 'Office',
      maintenance: true,
      state: 'maintenance',
      farm_id: at.farm.id,
    });
    expect(office()).toMatchObject({ maintenance: true, maintenance_message: 'Back at noon' });
    expect(await poolRow(world.portal, office().uuid)).toMatchObject({
      maintenance: true,
      maintenance_message: 'Back at noon',
      touched_at: expect.any(Date),
    });
    expect(events).toMatchObject([
      {
        event: 'portal.WorkplaceAction',
        action: 'maintenance',
        object_type: 'servicespool',
        object_id: office().uuid,
        object_name: 'Office',
        changes: [{ field: 'maintenance', before: false, after: true }],
        details: { farm_id: at.farm.id, message: 'Back at noon' },
      },
    ]);
    expect((await admin(`PATCH ${path()}`, { maintenance: false })).body).toMatchObject({
      maintenance: false,
      state: 'ready',
    });
    expect(await poolRow(world.portal, office().uuid)).toMatchObject({
      maintenance: false,
      maintenance_message: null,
      maintenance_since: null,
    });
    expect(await journalOf(world.portal, office().uuid)).toEqual(['maintenance_began', 'maintenance_ended']);
    expect(ordersTo(at.node)).toEqual(['PATCH maintenance', 'PATCH maintenance']);
  });

  it('is pending when its template starts later, and can be cancelled', async () => {
    const template = await addTemplate(admin, { start_at: inMinutes(60) });
    const { status, body } = await admin(`PATCH ${path()}`, { maintenance: true, template_id: template.id });
    expect([status, body.maintenance, body.maintenance_template_id]).toEqual([202, false, template.id]);
    expect(ordersTo(at.node)).toEqual([]);
    expect(await windows(world.portal)).toMatchObject([{ object_name: 'Office', begun_at: null }]);
    const kept = await admin(`DELETE ${base}/maintenance/${template.id}`);
    expect([kept.status, kept.body.code]).toEqual([409, 'in_use']);
    const bulk = await admin(`PATCH ${base}/maintenance/bulk_destroy`, { ids: [template.id] });
    expect([bulk.status, bulk.body.failed_count]).toEqual([200, 1]);
    await admin(`PATCH ${path()}`, { maintenance: false });
    expect(await windows(world.portal)).toEqual([]);
    expect((await admin(`DELETE ${base}/maintenance/${template.id}`)).status).toBe(204);
  });

  it('has one begin and one end in the journal, although its template does not block sessions', async () => {
    const template = await addTemplate(admin, { block_new_sessions: false });
    const order = { maintenance: true, template_id: template.id };
    for (const body of [
      order,
      { ...order, message: 'Still' },
      { maintenance: false },
      { maintenance: false },
    ])
      expect((await admin(`PATCH ${path()}`, body)).status).toBe(202);
    expect(await journalOf(world.portal, office().uuid)).toEqual(['maintenance_began', 'maintenance_ended']);
  });

  it('costs three database round trips, one of them for the session, and one dispatcher call', async () => {
    await admin(`PATCH ${path()}`, { maintenance: true });
    await world.portal.settled();
    at.node.simulator.resetCalls();
    const before = world.portal.trips();
    await admin(`PATCH ${path()}`, { maintenance: false });
    expect([world.portal.trips() - before, at.node.simulator.calls.length]).toEqual([3, 1]);
  });

  it('is refused with an expired or unknown template', async () => {
    const over = await addTemplate(admin, { end_at: inMinutes(-1) });
    const late = await admin(`PATCH ${path()}`, { maintenance: true, template_id: over.id });
    expect([late.status, late.body.reason]).toEqual([409, 'template_over']);
    const none = await admin(`PATCH ${path()}`, { maintenance: true, template_id: at.farm.id });
    expect([none.status, none.body.errors[0].pointer]).toEqual([422, '/template_id']);
    const pointless = await admin(`PATCH ${path()}`, { maintenance: false, template_id: over.id });
    expect([pointless.status, pointless.body.errors[0].pointer]).toEqual([422, '/template_id']);
    expect(ordersTo(at.node)).toEqual([]);
  });

  it('is not stored when the node refuses it, except for an audit event', async () => {
    at.node.simulator.knobs.failing = 500;
    const { result, events } = await audited(world.portal, () =>
      admin(`PATCH ${path()}`, { maintenance: true }),
    );
    expect([result.status, result.body.code, result.body.farm]).toEqual([
      502,
      'upstream_failed',
      at.farm.name,
    ]);
    expect((await poolRow(world.portal, office().uuid)).maintenance).toBe(false);
    expect(events).toMatchObject([
      {
        event: 'portal.WorkplaceAction',
        action: 'maintenance',
        result: 'failure',
        object_id: office().uuid,
        user_name: 'admin',
        details: { maintenance: true, code: 'upstream_failed', dispatcher: at.node.dispatcher.name },
      },
    ]);
    expect(await journalOf(world.portal, office().uuid)).toEqual([]);
  });

  it('has no dry run, because only the node can decide', async () => {
    const dry = await admin(`PATCH ${path()}`, { maintenance: true }, { 'x-dry-run': 'true' });
    expect(dry.status).toBe(422);
    expect(ordersTo(at.node)).toEqual([]);
  });

  it('is for one farm within the sites of the caller', async () => {
    const other = (await siteWithFarms(world, [{ pools: [pool('Office')] }])).farms[0];
    if (!other) throw new Error('no farm');
    const body = { maintenance: true };
    expect((await admin(`PATCH ${poolPath(other.farm, office().uuid)}`, body)).status).toBe(404);
    const elsewhere = await addMember(world, ['servicespools.maintenance'], [(await addSite(admin)).id]);
    expect((await elsewhere.ask(`PATCH ${path()}`, body)).status).toBe(404);
    const reader = await addMember(world, ['servicespools.read']);
    expect((await reader.ask(`PATCH ${path()}`, body)).body.required_permission).toBe(
      'servicespools.maintenance',
    );
    const own = await addMember(world, ['servicespools.maintenance'], [site.id]);
    expect((await own.ask(`PATCH ${path()}`, body)).status).toBe(202);
    await other.node.simulator.close();
  });
});

describe('the maintenance of a workplace', () => {
  it('is sent to the node, and the workplace is no longer assigned', async () => {
    const [first, ...others] = office().members;
    if (!first) throw new Error('no workplace');
    const { result, events } = await audited(world.portal, () =>
      admin(`PATCH ${workplacePath(at.farm, office().uuid, first.uuid)}`, { maintenance: true }),
    );
    expect([result.status, result.body.uuid, result.body.maintenance, result.body.state]).toEqual([
      202,
      first.uuid,
      true,
      'maintenance',
    ]);
    expect(events).toMatchObject([
      { object_type: 'workplace', object_id: first.uuid, action: 'maintenance' },
    ]);
    const row = (await rowsOf(world.portal.db, at.farm, 'workplaces')).find(
      ({ uuid }) => uuid === first.uuid,
    );
    expect(row).toMatchObject({ maintenance: true, state: 'maintenance' });
    expect(await journalOf(world.portal, first.uuid)).toEqual(['maintenance_began']);
    await member.ask(client(`connectionInfo/${serviceId()}`));
    expect([first.session, others.filter(({ session }) => session).length]).toEqual([null, 1]);
  });

  it('is found under its own pool only', async () => {
    const [first] = office().members;
    const lab = at.node.simulator.state.poolNamed('Lab');
    const wrong = workplacePath(at.farm, lab.uuid, String(first?.uuid));
    expect((await admin(`PATCH ${wrong}`, { maintenance: true })).status).toBe(404);
    expect(ordersTo(at.node)).toEqual([]);
  });
});

describe('a maintenance as users see it', () => {
  const connection = () => member.ask(client(`connectionInfo/${serviceId()}`));
  const readiness = () => member.ask(client(`preconnectionInfo/${serviceId()}`));

  it('of a pool is its own message, or the current message of its template', async () => {
    const template = await addTemplate(admin, { message: 'New disks' });
    expect((await services()).map(({ maintenance }) => maintenance)).toEqual([false, false]);
    await world.portal.settled();
    await admin(`PATCH ${path()}`, { maintenance: true, template_id: template.id });
    const seen = async () => (await services()).find(({ name }) => name === 'Office');
    expect(await seen()).toMatchObject({
      maintenance: true,
      maintenance_message: 'New disks',
      state: 'maintenance',
    });
    await admin(`PATCH ${base}/maintenance/${template.id}`, { message: 'Newer disks' });
    expect((await seen()).maintenance_message).toBe('Newer disks');
    expect((await readiness()).body).toMatchObject({
      verdict: 'abandon',
      reason_code: 'maintenance',
      message: 'Newer disks',
    });
    const { status, body } = await connection();
    expect([status, body.code, body.reason, body.detail]).toEqual([
      409,
      'invalid_state',
      'maintenance',
      'Newer disks',
    ]);
    await admin(`PATCH ${path()}`, {
      maintenance: true,
      template_id: template.id,
      message: 'Only this pool',
    });
    expect((await seen()).maintenance_message).toBe('Only this pool');
  });

  it.each([
    'farm',
    'site',
  ] as const)('of a %s shows their existing services there, with its message', async (type) => {
    const template = await addTemplate(admin, { message: `The ${type} moves` });
    await services();
    await world.portal.settled();
    const object = type === 'farm' ? at.farm : site;
    const flag = { maintenance: true, maintenance_template_id: template.id };
    await admin(`PATCH ${base}/${type}s/${object.id}`, flag);
    at.node.simulator.resetCalls();
    const shown = {
      maintenance: true,
      state: 'maintenance',
      maintenance_message: `The ${type} moves`,
      sessions: [],
    };
    expect(await services()).toMatchObject([
      { name: 'Lab', ...shown },
      { name: 'Office', ...shown },
    ]);
    expect((await readiness()).body).toMatchObject({
      reason_code: 'maintenance',
      message: `The ${type} moves`,
    });
    const { status, body } = await connection();
    expect([status, body.reason, body.detail]).toEqual([409, 'maintenance', `The ${type} moves`]);
    expect(at.node.simulator.calls).toEqual([]);
  });

  it('of a farm is invisible before its template starts, after it ends, and when it blocks no one', async () => {
    const templates = [
      await addTemplate(admin, { start_at: inMinutes(60) }),
      await addTemplate(admin, { end_at: inMinutes(-1) }),
      await addTemplate(admin, { block_new_sessions: false }),
    ];
    for (const { id } of templates) {
      await admin(`PATCH ${base}/farms/${at.farm.id}`, { maintenance: true, maintenance_template_id: id });
      expect((await services()).map(({ state }) => state)).toEqual(['ready', 'ready']);
      expect((await readiness()).body.verdict).toBe('connect');
    }
  });

  it('through a rule selects another member, with the reason when there is none', async () => {
    const other = await addFarm(admin, site);
    const node = await addNode(world, other, { pools: [pool('Office')] });
    await syncAll(world.portal, other);
    const second = { farm: other, node };
    const rule = await addRule(world, site, [memberOf(at, 'Office'), memberOf(second, 'Office')]);
    const info = () => member.ask(client(`connectionInfo/${rule.id}`));
    await admin(`PATCH ${path()}`, { maintenance: true, message: 'Not here' });
    const led = await info();
    expect([led.status, led.body.farm_id]).toEqual([200, other.id]);
    await admin(`PATCH ${poolPath(other, uuidOf(second, 'Office'))}`, {
      maintenance: true,
      message: 'Nor here',
    });
    const { status, body } = await info();
    expect([status, body.reason]).toEqual([409, 'maintenance']);
    expect(['Not here', 'Nor here']).toContain(body.detail);
    const shown = (await services()).find(({ id }) => id === rule.id);
    expect(shown).toMatchObject({
      maintenance: true,
      state: 'maintenance',
      maintenance_message: body.detail,
    });
    await node.simulator.close();
  });
});
