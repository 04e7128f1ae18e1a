import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  addFarm,
  addMember,
  addSite,
  adminOf,
  audited,
  base,
  create,
  goodPassword,
  resources,
  siteBody,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json, TestPortal } from '../../support/portal.ts';

const dry = { 'x-dry-run': 'true' };
const sites = `${base}/sites`;
const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

/** Rows and contents of every table; sessions are excluded, because their last use is written periodically. */
async function stateOf({ db }: TestPortal): Promise<unknown> {
  const tables = await db.execute(
    sql`select table_name as name from information_schema.tables
        where table_schema = 'public' and table_name <> 'login_sessions' order by 1`,
  );
  const parts = (tables as unknown as { rows: { name: string }[] }).rows.map(({ name }) =>
    sql.raw(
      `select '${name}' as name, count(*)::int as rows, coalesce(sum(hashtext(t::text)), 0)::text as sum from ${name} t`,
    ),
  );
  // Parallel plans return the parts in any order.
  const state = await db.execute(sql`${sql.join(parts, sql` union all `)} order by 1`);
  return (state as unknown as { rows: unknown }).rows;
}

describe.each(['pg', 'neon'] as const)('a dry run by the driver %s', (driver) => {
  const world = useWorld({ driver });
  const admin = adminOf(world);

  /** Sends a dry run that must change nothing. @returns the predicted result */
  async function wouldBe(route: string, body?: unknown, headers = {}): Promise<Json> {
    const before = await stateOf(world.portal);
    const answer = await admin(route, body, { ...dry, ...headers });
    await world.portal.settled();
    expect(await stateOf(world.portal)).toEqual(before);
    expect([route, answer.status, answer.body.dry_run]).toEqual([route, 200, true]);
    return answer.body.would;
  }

  describe.each(
    resources.map((resource) => [resource.type, resource] as const),
  )('of a %s', (type, resource) => {
    const [plain, value, fallback] = resource.plain;
    const eventOf = (action: string, { id, name }: Json) => [
      { event: 'portal.EntityAction', action, object_type: type, object_id: id, object_name: name },
    ];
    const add = (given: Json = {}): Promise<Json> =>
      create(admin, resource.path(world), { ...resource.body(world), ...given });

    it('returns the result of a creation, and creates nothing', async () => {
      const body = resource.body(world);
      const would = await wouldBe(`POST ${resource.path(world)}`, body);
      expect(would).toMatchObject({ status: 201, body: { name: body.name, [plain]: fallback } });
      expect(would.events).toMatchObject(eventOf('create', would.body));
      expect(would.events[0].changes).toContainEqual({ field: 'name', before: null, after: body.name });
      expect(JSON.stringify(would)).not.toContain(goodPassword);
      const { shownOnce } = resource;
      if (shownOnce) expect([would.body[shownOnce], would.body[`${shownOnce}_set`]]).toEqual([null, true]);
      expect((await admin(`POST ${resource.path(world)}`, body)).status).toBe(201);
    });

    it('returns the result of changes, and changes nothing', async () => {
      const made = await add();
      const one = `${resource.path(world)}/${made.id}`;
      for (const [verb, body] of [
        ['PATCH', { [plain]: value }],
        ['PUT', { ...made, [plain]: value }],
      ] as const) {
        const would = await wouldBe(`${verb} ${one}`, body);
        expect(would).toMatchObject({ status: 200, body: { id: made.id, [plain]: value } });
        expect(would.events).toMatchObject(eventOf('update', made));
        expect(would.events[0].changes).toEqual([{ field: plain, before: fallback, after: value }]);
      }
    });

    it('returns the result of deletions, and deletes nothing', async () => {
      const made = await add();
      const would = await wouldBe(`DELETE ${resource.path(world)}/${made.id}`);
      expect(would).toMatchObject({ status: 204, body: null, events: eventOf('delete', made) });
      if (!resource.bulkDestroy) return;
      const route = `${resource.bulkDestroyMethod ?? 'POST'} ${resource.path(world)}/bulk_destroy`;
      const bulk = await wouldBe(route, { ids: [made.id, unknownId] });
      expect(bulk.body).toMatchObject({ deleted_count: 1, deleted: [made.id], failed_count: 1 });
      expect(bulk.events).toMatchObject([{ action: 'bulk_destroy', object_type: type }]);
    });

    it('is refused like the write itself', async () => {
      const made = await add();
      const one = `${resource.path(world)}/${made.id}`;
      const before = await stateOf(world.portal);
      const attempts = [
        [`POST ${resource.path(world)}`, { ...resource.body(world), name: made.name }, {}, 'already_exists'],
        [`POST ${resource.path(world)}`, { ...resource.body(world), bogus: 1 }, {}, 'invalid_request'],
        [`PATCH ${one}`, { [plain]: value }, { 'if-match': '"7.x"' }, 'precondition_failed'],
        [`DELETE ${resource.path(world)}/${unknownId}`, undefined, {}, 'not_found'],
      ] as const;
      for (const [route, body, headers, code] of attempts)
        expect([route, (await admin(route, body, { ...dry, ...headers })).body.code]).toEqual([route, code]);
      expect(await stateOf(world.portal)).toEqual(before);
    });
  });

  it('of a write in conflict with a reference is refused, and an access refusal is audited', async () => {
    const site = await addSite(admin);
    const farm = await addFarm(admin, site);
    expect((await admin(`DELETE ${sites}/${site.id}`, undefined, dry)).body).toMatchObject({
      code: 'in_use',
      references: [{ type: 'farm', id: farm.id }],
    });
    const { ask } = await addMember(world, ['sites.read']);
    const { result, events } = await audited(world.portal, () => ask(`POST ${sites}`, siteBody(), dry));
    expect([result.status, events.map(({ event }) => event)]).toEqual([403, ['portal.AccessRefused']]);
  });

  it('of system parameters lists each parameter that would change', async () => {
    const would = await wouldBe(`PUT ${base}/tconfig`, { session: { idle_s: { value: 180 } } });
    expect(would.body.session.idle_s.value).toBe(180);
    expect(would.events).toMatchObject([
      {
        event: 'portal.SystemConfigChanged',
        object_name: 'session.idle_s',
        changes: [{ field: 'value', before: 1800, after: 180 }],
      },
    ]);
  });

  it('is ignored by reads, as a key is', async () => {
    const headers = { ...dry, 'idempotency-key': 'read' };
    const { status, body } = await world.admin(`GET ${sites}`, undefined, headers);
    expect([status, Array.isArray(body.items)]).toEqual([200, true]);
  });

  it('stores no Idempotency-Key', async () => {
    const [body, key] = [siteBody(), { 'idempotency-key': unique('key') }];
    await wouldBe(`POST ${sites}`, body, key);
    expect((await admin(`POST ${sites}`, body, key)).body).toMatchObject({ name: body.name });
  });

  it('needs the value true; false is a write, and operations without a dry run reject it', async () => {
    const site = await addSite(admin);
    const patch = (text: string) =>
      admin(`PATCH ${sites}/${site.id}`, { comments: text }, { 'x-dry-run': text });
    for (const text of ['yes', '1', 'TRUE', ''])
      expect([(await patch(text)).body.errors?.[0]?.pointer, text]).toEqual(['X-Dry-Run', text]);
    expect((await patch('false')).body.comments).toBe('false');
    const { ask, token } = await addMember(world, []);
    const passwords = { current: goodPassword, new: 'nine yellow windows close' };
    const refused = await ask('PUT /api/userinfo/password', passwords, dry);
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([422, 'X-Dry-Run']);
    expect((await world.portal.send('GET /api/userinfo', { token })).status).toBe(200);
  });
});
