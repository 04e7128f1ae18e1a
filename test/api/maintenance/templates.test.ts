import { describe, expect, it } from 'vitest';
import {
  addFarm,
  addMember,
  addSite,
  addTemplate,
  adminOf,
  base,
  siteBody,
  unique,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const path = `${base}/maintenance`;
const unknownId = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
const world = useWorld();
const admin = adminOf(world);

const body = (given: object = {}) => ({ name: unique('template'), message: 'Back at noon', ...given });
const pointers = (problem: Json): string[] => problem.errors?.map(({ pointer }: Json) => pointer);

describe('maintenance templates', () => {
  it('have every property in their answers, with defaults', async () => {
    const given = body();
    const made = (await admin(`POST ${path}`, given)).body;
    expect(made).toEqual({
      ...given,
      id: made.id,
      title: '',
      start_at: null,
      end_at: null,
      warn_minutes: 10,
      block_new_sessions: true,
      disconnect_sessions: false,
      logoff_sessions: false,
      created_at: made.created_at,
      updated_at: made.created_at,
    });
  });

  it('return times in UTC with milliseconds, and accept them back', async () => {
    const made = await addTemplate(admin, {
      start_at: '2030-01-01T10:00:00+03:00',
      end_at: '2030-01-01T10:00:00.5Z',
      warn_minutes: 0,
    });
    expect([made.start_at, made.end_at]).toEqual(['2030-01-01T07:00:00.000Z', '2030-01-01T10:00:00.500Z']);
    const { status, body: again } = await admin(`PUT ${path}/${made.id}`, made);
    expect([status, again]).toEqual([200, { ...made, updated_at: again.updated_at }]);
    const emptied = await admin(`PATCH ${path}/${made.id}`, { end_at: null });
    expect(emptied.body).toMatchObject({ start_at: made.start_at, end_at: null });
  });

  it('end after they start, whichever of the two a write contains', async () => {
    const [start_at, end_at] = ['2030-01-01T10:00:00.000Z', '2030-01-01T12:00:00.000Z'];
    const made = await addTemplate(admin, { start_at, end_at });
    const one = `${path}/${made.id}`;
    const attempts = [
      await admin(`POST ${path}`, body({ start_at: end_at, end_at: start_at })),
      await admin(`POST ${path}`, body({ start_at, end_at: start_at })),
      await admin(`PUT ${one}`, { ...made, end_at: start_at }),
      await admin(`PATCH ${one}`, { end_at: '2030-01-01T09:59:59.999Z' }),
      await admin(`PATCH ${one}`, { start_at: '2030-01-01T12:00:00.000Z' }),
    ];
    for (const { status, body: problem } of attempts)
      expect([status, pointers(problem)]).toEqual([422, ['/end_at']]);
    expect((await admin(`GET ${one}`)).body).toEqual(made);
    const later = { start_at: '2030-02-01T10:00:00.000Z', end_at: '2030-02-01T10:00:00.001Z' };
    expect((await admin(`PATCH ${one}`, later)).body).toMatchObject(later);
    expect((await admin(`POST ${path}`, body({ end_at }))).status).toBe(201);
  });

  it.each([
    [{ message: undefined }, '/message'],
    [{ message: '  ' }, '/message'],
    [{ message: 'x'.repeat(1025) }, '/message'],
    [{ warn_minutes: -1 }, '/warn_minutes'],
    [{ warn_minutes: 1441 }, '/warn_minutes'],
    [{ start_at: 'tomorrow' }, '/start_at'],
    [{ start_at: '2030-02-30T10:00:00Z' }, '/start_at'],
    [{ start_at: '0000-06-01T00:00:00Z' }, '/start_at'],
    [{ end_at: '9999-12-31T23:59:59-23:00' }, '/end_at'],
    [{ end_at: 1_900_000_000 }, '/end_at'],
  ])('reject %j', async (given, pointer) => {
    const { status, body: problem } = await admin(`POST ${path}`, body(given));
    expect([status, pointers(problem)]).toEqual([422, [pointer]]);
  });

  it('accept a message of 1,024 characters and a warning of a day', async () => {
    const made = await addTemplate(admin, { message: 'ё'.repeat(1024), warn_minutes: 1440 });
    expect([made.message.length, made.warn_minutes]).toEqual([1024, 1440]);
  });

  it('cannot be deleted while sites and farms refer to them, and the conflict lists these', async () => {
    const template = await addTemplate(admin);
    const site = await addSite(admin, { maintenance_template_id: template.id });
    const farm = await addFarm(admin, site, { maintenance_template_id: template.id });
    const { status, body: problem } = await admin(`DELETE ${path}/${template.id}`);
    expect([status, problem.code]).toEqual([409, 'in_use']);
    expect(problem.references).toEqual([
      { type: 'site', id: site.id, name: site.name },
      { type: 'farm', id: farm.id, name: farm.name },
    ]);
    const bulk = () => admin(`PATCH ${path}/bulk_destroy`, { ids: [template.id] });
    expect((await bulk()).body).toMatchObject({ deleted_count: 0, failed: [{ code: 'in_use' }] });
    await admin(`PATCH ${base}/sites/${site.id}`, { maintenance_template_id: null });
    expect((await bulk()).body).toMatchObject({ deleted_count: 0, failed: [{ code: 'in_use' }] });
    await admin(`PATCH ${base}/farms/${farm.id}`, { maintenance_template_id: null });
    expect((await bulk()).body).toMatchObject({ deleted_count: 1, deleted: [template.id] });
  });

  it('must exist when sites and farms refer to them', async () => {
    const given = { maintenance_template_id: unknownId };
    const farm = { name: unique('farm'), site_id: world.site.id };
    const attempts = [
      await admin(`POST ${base}/sites`, siteBody(given)),
      await admin(`PATCH ${base}/sites/${world.site.id}`, given),
      await admin(`POST ${base}/farms`, { ...farm, ...given }),
      await admin(`PATCH ${base}/farms/${world.farm.id}`, given),
    ];
    for (const { status, body: problem } of attempts)
      expect([status, problem.errors]).toMatchObject([
        422,
        [{ pointer: '/maintenance_template_id', code: 'not_found' }],
      ]);
  });

  it('are all deleted in bulk, except those in use', async () => {
    const used = await addTemplate(admin);
    await addSite(admin, { maintenance_template_id: used.id });
    await addTemplate(admin);
    const { body: result } = await admin(`PATCH ${path}/bulk_destroy`, { all: true });
    expect(result.deleted_count).toBeGreaterThanOrEqual(1);
    expect(result.failed.map(({ id }: Json) => id)).toContain(used.id);
    const left = (await admin(`GET ${path}?limit=500`)).body.items.map(({ id }: Json) => id);
    expect(left.sort()).toEqual(result.failed.map(({ id }: Json) => id).sort());
  });

  it('are read with a limited scope and written with the scope of all sites only', async () => {
    const made = await addTemplate(admin);
    const rights = ['maintenance.read', 'maintenance.create', 'maintenance.update', 'maintenance.delete'];
    const narrow = (await addMember(world, rights, [world.site.id])).ask;
    const reader = (await addMember(world, ['maintenance.read'])).ask;
    for (const ask of [narrow, reader]) {
      expect((await ask(`GET ${path}/${made.id}`)).status).toBe(200);
      const writes = [
        await ask(`POST ${path}`, body()),
        await ask(`PUT ${path}/${made.id}`, made),
        await ask(`PATCH ${path}/${made.id}`, { title: 'x' }),
        await ask(`DELETE ${path}/${made.id}`),
        await ask(`PATCH ${path}/bulk_destroy`, { all: true }),
      ];
      expect(writes.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    }
  });
});
