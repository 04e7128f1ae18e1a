import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { exportedFiles } from '../../../db/schema/exports/files.ts';
import { jobOutbox } from '../../../db/schema/jobs/outbox.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { addMember, adminOf, audited, base, useWorld } from '../../support/factories.ts';

/** No sidecar runs here: requested exports stay pending. */
const world = useWorld();
const admin = adminOf(world);
const audit = `${base}/audit`;
const order = async (query: string) => (await admin(`GET ${audit}/export?${query}`)).body.export_id;

describe('the request of an export', () => {
  it('creates one export, one event and one job for concurrent equal requests', async () => {
    const asked = await Promise.all(
      Array.from({ length: 10 }, () => admin(`GET ${audit}/export?object_type=race`)),
    );
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([202]));
    const [id, ...more] = new Set(asked.map(({ body }) => body.export_id));
    expect(more).toEqual([]);
    const { db } = world.portal;
    expect(await db.$count(jobOutbox, eq(jobOutbox.id, id))).toBe(1);
    const events = await db.select().from(auditEvents).where(eq(auditEvents.object_id, id));
    expect(events).toMatchObject([
      {
        event: 'portal.ExportOrdered',
        user_name: 'admin',
        object_name: 'audit',
        details: { format: 'csv', filters: { object_type: 'race' } },
      },
    ]);
  });

  it('creates another export for another format, filter or caller', async () => {
    const other = await addMember(world, ['audit.export', 'tags.export']);
    const ids = [
      await order('user=a'),
      await order('user=a&format=json'),
      await order('user=b'),
      (await other.ask(`GET ${audit}/export?user=a`)).body.export_id,
    ];
    expect(new Set(ids).size).toBe(4);
    expect(await order('format=csv&user=a')).toBe(ids[0]);
    expect((await admin(`GET ${base}/tags/export`)).status).toBe(202);
  });

  it('is read by its id, which starts nothing, by its owner only', async () => {
    const id = await order('user=told');
    const written = await audited(world.portal, () => admin(`GET ${audit}/export?export_id=${id}`));
    expect(written).toMatchObject({
      result: {
        status: 202,
        body: { export_id: id, state: 'pending', format: 'csv', progress: 0, expires_at: expect.any(String) },
      },
      events: [],
    });
    const other = await addMember(world, ['audit.export', 'tags.export']);
    for (const [ask, path, given] of [
      [other.ask, audit, id],
      [admin, `${base}/tags`, id],
      [admin, audit, newId()],
    ] as const) {
      expect((await ask(`GET ${path}/export?export_id=${given}`)).status).toBe(404);
      expect((await ask(`POST ${path}/export`, { export_id: given })).status).toBe(404);
    }
  });

  it('is validated by HEAD, which creates nothing', async () => {
    const count = () => world.portal.db.$count(exportedFiles);
    const before = await count();
    expect((await admin(`HEAD ${audit}/export?user=nobody`)).status).toBe(202);
    expect((await admin(`HEAD ${audit}/export?format=xml`)).status).toBe(422);
    expect(await count()).toBe(before);
  });

  it('takes two database round trips', async () => {
    await admin(`GET ${base}/sites`);
    await world.portal.settled();
    const before = world.portal.trips();
    await order('user=trips');
    await world.portal.settled();
    expect(world.portal.trips() - before).toBe(2);
  });

  it.each([
    'format=xml',
    'format=cef&x=1',
    'export_id=1',
    'limit=5',
    'from=yesterday',
  ])('is rejected for %s', async (query) => {
    const { status, body } = await admin(`GET ${audit}/export?${query}`);
    expect([status, body.code]).toEqual([422, 'invalid_request']);
  });

  it('allows CEF for the audit only', async () => {
    for (const path of ['tags', 'monitoring', 'appnodes/portals'])
      expect((await admin(`GET ${base}/${path}/export?format=cef`)).status).toBe(422);
  });
});

describe('an export', () => {
  it.each([
    ['audit', 'audit'],
    ['monitoring', 'monitoring'],
    ['tags', 'tags'],
    ['appnodes/portals', 'portals'],
  ])('of %s needs its own permission for all sites', async (path, resource) => {
    const reader = await addMember(world, [`${resource}.read`]);
    const narrow = await addMember(world, [`${resource}.export`], [world.site.id]);
    const wide = await addMember(world, [`${resource}.export`]);
    for (const [{ ask }, ordered, obtained] of [
      [reader, 403, 403],
      [narrow, 403, 403],
      [wide, 202, 409],
    ] as const) {
      expect((await ask(`GET ${base}/${path}/export`)).status).toBe(ordered);
      expect((await ask(`POST ${base}/${path}/export`)).status).toBe(obtained);
    }
  });

  it('that is being built is refused with a Retry-After header', async () => {
    const id = await order('user=waits');
    for (const body of [{ export_id: id }, {}, undefined]) {
      const answer = await admin(`POST ${audit}/export`, body);
      expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([409, 'export_pending', true]);
      expect(answer.headers.get('retry-after')).toBe('2');
    }
    const none = await addMember(world, ['audit.export']);
    expect((await none.ask(`POST ${audit}/export`)).status).toBe(404);
  });

  it('cannot be guessed by id, nor downloaded with an invalid offset', async () => {
    const dry = await admin(`POST ${audit}/export`, {}, { 'x-dry-run': 'true' });
    expect(dry.status).toBe(422);
    for (const offset of [-1, 1.5, '1'])
      expect((await admin(`POST ${audit}/export`, { offset })).status).toBe(422);
  });
});

describe('the list of own exports', () => {
  const own = async (ask: typeof admin) => (await ask(`GET ${base}/exports`)).body.items;

  it('has the exports of the caller, the newest first, with their filters', async () => {
    const member = await addMember(world, ['audit.export', 'tags.export']);
    const first = (await member.ask(`GET ${audit}/export?user=first&result=failure`)).body.export_id;
    const second = (await member.ask(`GET ${base}/tags/export?format=json`)).body.export_id;
    expect(await own(member.ask)).toEqual([
      expect.objectContaining({ export_id: second, object_type: 'tag', format: 'json', filters: {} }),
      expect.objectContaining({
        export_id: first,
        object_type: 'audit',
        state: 'pending',
        filters: { user: 'first', result: 'failure' },
        ordered_at: expect.any(String),
      }),
    ]);
    const ids = (await own(admin)).map(({ export_id }: { export_id: string }) => export_id);
    expect(ids).not.toContain(first);
  });

  it('has no exports that are expired, or that the caller may no longer download', async () => {
    const member = await addMember(world, ['audit.export', 'tags.export']);
    const expired = (await member.ask(`GET ${audit}/export?user=expired`)).body.export_id;
    const kept = (await member.ask(`GET ${base}/tags/export`)).body.export_id;
    const { db } = world.portal;
    await db
      .update(exportedFiles)
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where(eq(exportedFiles.id, expired));
    const foreign = (await member.ask(`GET ${audit}/export?user=foreign`)).body.export_id;
    await db.update(exportedFiles).set({ subject: 'portals' }).where(eq(exportedFiles.id, foreign));
    expect(await own(member.ask)).toEqual([expect.objectContaining({ export_id: kept })]);
    const reader = await addMember(world, ['audit.read']);
    expect(await own(reader.ask)).toEqual([]);
  });
});
