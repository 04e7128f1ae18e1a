import { describe, expect, it } from 'vitest';
import {
  addMember,
  addMonitoringRecord,
  adminOf,
  audited,
  base,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/monitoring`;
const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const world = useWorld();
const admin = adminOf(world);

const ids = (items: readonly Json[]): string[] => items.map(({ id }) => id);
const list = async (query: Record<string, string | number>): Promise<Json> =>
  (await admin(`GET ${path}?${new URLSearchParams(query as Record<string, string>)}`)).body;

describe('monitoring records', () => {
  it('have every property in their answers, with defaults and the current time', async () => {
    const before = Date.now();
    const answer = await admin(`POST ${path}`, { level: 'warning', message: ' The backup was slow ' });
    const made = answer.body;
    expect(answer.headers.get('location')).toBe(`${path}/${made.id}`);
    expect(made).toEqual({
      id: made.id,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      level: 'warning',
      source: 'portal',
      object_type: null,
      object_id: null,
      object_name: null,
      code: '',
      message: 'The backup was slow',
      details: {},
      state: 'open',
      acknowledged_by: null,
      acknowledged_at: null,
      created_at: made.created_at,
      updated_at: made.created_at,
    });
    expect(Date.parse(made.at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(made.at)).toBeLessThanOrEqual(Date.now());
    const read = await admin(`GET ${path}/${made.id}`);
    expect([read.body, read.headers.get('etag')]).toEqual([made, answer.headers.get('etag')]);
  });

  it('accept by PUT the result of GET without a change', async () => {
    const made = await addMonitoringRecord(admin, {
      at: '2026-03-01T12:00:00.123456+02:00',
      level: 'critical',
      source: 'gateway',
      object_type: 'gateway',
      object_id: 'gw-1',
      object_name: 'Gateway 1',
      code: 'gateway_gone',
      message: 'Gone\nsince noon',
      details: { since: null, tries: [1, 2], deep: { 'a/b': 'ё' } },
      state: 'acknowledged',
    });
    expect([made.at, made.acknowledged_by]).toEqual(['2026-03-01T10:00:00.123Z', 'admin']);
    expect(made.details).toEqual({ since: null, tries: [1, 2], deep: { 'a/b': 'ё' } });
    const { status, body } = await admin(`PUT ${path}/${made.id}`, made);
    expect([status, body]).toEqual([200, { ...made, updated_at: body.updated_at }]);
  });

  it('are reset by PUT without properties and PATCH with null, the time to now', async () => {
    const made = await addMonitoringRecord(admin, { at: '2001-01-01T00:00:00Z', source: 'jobs', code: 'x' });
    const patched = await admin(`PATCH ${path}/${made.id}`, { at: null, source: null });
    expect(patched.body).toMatchObject({ source: 'portal', code: 'x', message: made.message });
    expect(Date.parse(patched.body.at)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
    const replaced = await admin(`PUT ${path}/${made.id}`, { level: 'error', message: 'y' });
    expect(replaced.body).toMatchObject({ level: 'error', message: 'y', code: '' });
    expect((await admin(`PATCH ${path}/${made.id}`, { details: { a: 1, b: { c: 2 } } })).status).toBe(200);
    const merged = await admin(`PATCH ${path}/${made.id}`, { details: { a: null, b: { d: 3 } } });
    expect(merged.body.details).toEqual({ b: { c: 2, d: 3 } });
  });

  it.each([
    [{ level: undefined }, '/level'],
    [{ level: 'fatal' }, '/level'],
    [{ source: 'moon' }, '/source'],
    [{ state: 'done' }, '/state'],
    [{ message: undefined }, '/message'],
    [{ message: ' ' }, '/message'],
    [{ message: 'x'.repeat(4097) }, '/message'],
    [{ at: 'yesterday' }, '/at'],
    [{ at: '2026-02-30T00:00:00Z' }, '/at'],
    [{ details: [] }, '/details'],
    [{ details: { a: '\0' } }, '/details/a'],
    [{ code: 'x'.repeat(129) }, '/code'],
    [{ severity: 1 }, '/severity'],
  ])('reject %j', async (given, pointer) => {
    const { status, body } = await admin(`POST ${path}`, { level: 'info', message: 'm', ...given });
    expect([status, body.errors?.map((error: Json) => error.pointer)]).toEqual([422, [pointer]]);
  });

  it('have the user and the time of their acknowledgement until they are reopened', async () => {
    const other = await addMember(world, ['monitoring.update', 'monitoring.read']);
    const made = await addMonitoringRecord(admin);
    const one = `${path}/${made.id}`;
    const forged = { acknowledged_by: 'somebody', acknowledged_at: '2001-01-01T00:00:00.000Z' };
    expect((await admin(`PATCH ${one}`, forged)).body).toMatchObject({
      acknowledged_by: null,
      acknowledged_at: null,
    });
    const acknowledged = (await other.ask(`PATCH ${one}`, { state: 'acknowledged' })).body;
    expect(acknowledged.acknowledged_by).toBe(other.user.name);
    expect(Date.parse(acknowledged.acknowledged_at)).toBeGreaterThanOrEqual(Date.parse(made.created_at));
    const { acknowledged_by, acknowledged_at } = acknowledged;
    const later = [
      await admin(`PATCH ${one}`, { code: 'noted' }),
      await admin(`PUT ${one}`, { ...acknowledged, code: 'again' }),
      await admin(`PATCH ${one}`, { state: 'closed' }),
    ];
    for (const { body } of later) expect(body).toMatchObject({ acknowledged_by, acknowledged_at });
    expect((await admin(`PATCH ${one}`, { state: 'acknowledged' })).body.acknowledged_by).toBe('admin');
    expect((await admin(`PATCH ${one}`, { state: 'open' })).body).toMatchObject({
      acknowledged_by: null,
      acknowledged_at: null,
    });
    expect((await admin(`PATCH ${one}`, { state: 'closed' })).body.acknowledged_by).toBeNull();
  });

  it('write one audit event per write', async () => {
    const { result: made, events } = await audited(world.portal, () => addMonitoringRecord(admin));
    const object = { event: 'portal.EntityAction', object_type: 'monitoring_record', object_id: made.id };
    expect(events).toMatchObject([{ ...object, action: 'create' }]);
    const one = `${path}/${made.id}`;
    const update = await audited(world.portal, () => admin(`PATCH ${one}`, { state: 'closed' }));
    const change = { field: 'state', before: 'open', after: 'closed' };
    expect(update.events).toMatchObject([{ ...object, action: 'update', changes: [change] }]);
    const removal = await audited(world.portal, () => admin(`DELETE ${one}`));
    expect(removal.events).toMatchObject([{ ...object, action: 'delete' }]);
    const refused = await audited(world.portal, () => admin(`DELETE ${one}`));
    expect([refused.result.status, refused.events]).toEqual([404, []]);
  });

  it('support If-Match', async () => {
    const made = await addMonitoringRecord(admin);
    const stale = { 'if-match': '"2.x"' };
    expect((await admin(`PATCH ${path}/${made.id}`, { code: 'x' }, stale)).status).toBe(412);
    expect((await admin(`DELETE ${path}/${made.id}`, undefined, stale)).status).toBe(412);
    expect((await admin(`DELETE ${path}/${made.id}`, undefined, { 'if-match': '"1.x"' })).status).toBe(204);
  });
});

describe('the monitoring journal', () => {
  /** Records of one code, a minute apart; the last is the newest. */
  async function addSeries(code: string, count: number, given: (n: number) => object = () => ({})) {
    const made: Json[] = [];
    for (let n = 0; n < count; n++) {
      const at = new Date(Date.UTC(2026, 5, 1, 12, n)).toISOString();
      made.push(await addMonitoringRecord(admin, { at, code, ...given(n) }));
    }
    return made;
  }

  it('is sorted newest first by default, page by page, each record once', async () => {
    const code = unique('series');
    // Records of the same time have different ids.
    const made = await addSeries(code, 7, (n) => (n === 3 ? { at: '2026-06-01T12:02:00.000Z' } : {}));
    const walk = async (query: Record<string, string | number>) => {
      const found: string[] = [];
      let page = await list({ code, ...query });
      for (; page.next; page = await list({ code, ...query, cursor: page.next }))
        found.push(...ids(page.items));
      return [...found, ...ids(page.items)];
    };
    expect(await walk({ limit: 3 })).toEqual(ids(made).reverse());
    expect(await walk({ limit: 2, sort: 'at' })).toEqual(ids(made));
    expect((await list({ code, count: 'exact', limit: 1 })).total).toBe(7);
    expect((await list({ sort: 'name' })).errors).toMatchObject([{ pointer: '?sort' }]);
  });

  it('is filtered by each of its filters, and by several together', async () => {
    const code = unique('filtered');
    const made = await addSeries(code, 4, (n) => ({
      level: ['info', 'warning', 'error', 'critical'][n],
      source: n < 2 ? 'site' : 'jobs',
      state: n === 0 ? 'closed' : 'open',
      object_type: n % 2 ? 'farm' : 'site',
      object_id: `object-${n}`,
    }));
    const at = (n: number): string => made[n].at;
    const found = async (query: Record<string, string>) =>
      ids((await list({ code, ...query })).items).map((id) => ids(made).indexOf(id));
    expect(await found({})).toEqual([3, 2, 1, 0]);
    expect(await found({ level: 'warning' })).toEqual([1]);
    expect(await found({ source: 'jobs' })).toEqual([3, 2]);
    expect(await found({ state: 'closed' })).toEqual([0]);
    expect(await found({ object_type: 'farm' })).toEqual([3, 1]);
    expect(await found({ object_id: 'object-2' })).toEqual([2]);
    expect(await found({ from: at(1) })).toEqual([3, 2, 1]);
    expect(await found({ to: at(1) })).toEqual([1, 0]);
    expect(await found({ from: at(1), to: '2026-06-01T15:02:00+03:00' })).toEqual([2, 1]);
    expect(await found({ object_type: 'farm', source: 'jobs', state: 'open' })).toEqual([3]);
    expect((await list({ code: unique('none') })).items).toEqual([]);
    for (const name of ['level', 'source', 'state', 'from', 'to'])
      expect((await list({ [name]: 'nonsense' })).errors).toMatchObject([{ pointer: `?${name}` }]);
  });

  it('is searched by any part of a message, without regard to case', async () => {
    const word = unique('Слово');
    const made = await addMonitoringRecord(admin, { message: `50%_ of ${word} \\ ended` });
    const found = async (search: string) => ids((await list({ search })).items);
    expect(await found(word.toUpperCase())).toEqual([made.id]);
    expect(await found(`50%_ OF ${word}`)).toEqual([made.id]);
    expect(await found(`50__ of ${word}`)).toEqual([]);
    await admin(`PATCH ${path}/${made.id}`, { message: 'Other words' });
    expect(await found(word)).toEqual([]);
  });

  it('is deleted by ids or completely, with one audit event', async () => {
    const [first, second, third] = await addSeries(unique('destroyed'), 3);
    const destroy = (body: unknown) => admin(`PATCH ${path}/bulk_destroy`, body);
    const { result, events } = await audited(world.portal, () =>
      destroy({ ids: [first.id, second.id, unknownId] }),
    );
    expect(result.body).toMatchObject({ deleted_count: 2, failed: [{ id: unknownId, code: 'not_found' }] });
    expect(events).toMatchObject([{ action: 'bulk_destroy', object_type: 'monitoring_record', count: 2 }]);
    expect((await destroy({})).status).toBe(422);
    expect((await admin(`GET ${path}/${third.id}`)).status).toBe(200);
    expect((await destroy({ all: true })).body.failed_count).toBe(0);
    expect(await list({ count: 'exact' })).toEqual({ items: [], next: null, total: 0 });
    expect((await admin(`POST ${path}/bulk_destroy`, { all: true })).status).toBe(405);
  });

  it('takes two database round trips to read and three to write', async () => {
    const made = await addMonitoringRecord(admin);
    const trips = async (work: () => Promise<unknown>) => {
      await world.portal.settled();
      const before = world.portal.trips();
      await work();
      await world.portal.settled();
      return world.portal.trips() - before;
    };
    expect(await trips(() => list({ search: 'a', count: 'exact' }))).toBeLessThanOrEqual(2);
    expect(await trips(() => admin(`PATCH ${path}/${made.id}`, { state: 'closed' }))).toBeLessThanOrEqual(3);
    expect(await trips(() => addMonitoringRecord(admin))).toBeLessThanOrEqual(3);
  });

  it('is read with a limited scope and written with the scope of all sites only', async () => {
    const made = await addMonitoringRecord(admin);
    const rights = ['read', 'create', 'update', 'delete'].map((action) => `monitoring.${action}`);
    const { ask } = await addMember(world, rights, [world.site.id]);
    expect((await ask(`GET ${path}/${made.id}`)).body).toEqual(made);
    const writes = [
      await ask(`POST ${path}`, { level: 'info', message: 'mine' }),
      await ask(`PATCH ${path}/${made.id}`, { state: 'closed' }),
      await ask(`PATCH ${path}/bulk_destroy`, { all: true }),
    ];
    expect(writes.map(({ status }) => status)).toEqual([403, 403, 403]);
    const stranger = (await addMember(world, ['sites.read'])).ask;
    expect((await stranger(`GET ${path}`)).body.required_permission).toBe('monitoring.read');
  });
});
