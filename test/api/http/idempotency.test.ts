import { eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { isExpiredKey } from '../../../db/repositories/jobs/idempotency-keys.ts';
import { deleteExpired } from '../../../db/repositories/settings/clean-up.ts';
import { idempotencyKeys } from '../../../db/schema/jobs/idempotency-keys.ts';
import {
  addGateway,
  addMember,
  addSite,
  adminOf,
  asker,
  audited,
  base,
  gatewayBody,
  siteBody,
  unique,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const sites = `${base}/sites`;
const keyed = (key: string) => ({ 'idempotency-key': key });
const many = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

describe.each(['pg', 'neon'] as const)('an Idempotency-Key by the driver %s', (driver) => {
  const world = useWorld({ driver });
  const admin = adminOf(world);
  const sitesNamed = async (name: unknown): Promise<number> =>
    (await admin(`GET ${sites}?search=${name}`)).body.items.length;
  const rowsOf = (key: string) =>
    world.portal.db.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key));

  it('executes twenty concurrent requests once, and each of them gets the same answer', async () => {
    const [key, body] = [unique('key'), siteBody()];
    const send = () => admin(`POST ${sites}`, body, keyed(key));
    const { result: answers, events } = await audited(world.portal, () => many(20, send));
    const outcomes = new Set(answers.map(({ status, body: { code } }) => code ?? status));
    expect([...outcomes].filter((outcome) => outcome !== 'idempotency_in_progress')).toEqual([201]);
    const made = answers.find(({ status }) => status === 201);
    const { result: again, events: further } = await audited(world.portal, send);
    for (const answer of [...answers.filter(({ status }) => status === 201), again]) {
      expect([answer.status, answer.body]).toEqual([201, made?.body]);
      for (const name of ['location', 'etag', 'content-type'])
        expect(answer.headers.get(name)).toBe(made?.headers.get(name));
    }
    expect([events.length, further.length, await sitesNamed(body.name)]).toEqual([1, 0, 1]);
  });

  it('changes an object once, and a repeated request does not undo a later deletion', async () => {
    const site = await addSite(admin);
    const key = unique('key');
    const patch = () => admin(`PATCH ${sites}/${site.id}`, { comments: 'once', priority: 2 }, keyed(key));
    const first = await patch();
    await admin(`PATCH ${sites}/${site.id}`, { comments: 'later' });
    const second = await patch();
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    const reordered = await admin(
      `PATCH ${sites}/${site.id}/`,
      { priority: 2, comments: 'once' },
      keyed(key),
    );
    expect(reordered.body).toEqual(first.body);
    const read = await admin(`GET ${sites}/${site.id}`);
    expect([read.body.comments, read.headers.get('etag')?.split('.')[0]]).toEqual(['later', '"3']);
  });

  it('returns the stored answer, also where its own effect would lead to a rejection', async () => {
    const path = `${sites}/${(await addSite(admin)).id}`;
    const { headers } = await admin(`GET ${path}`);
    const ifMatch = { 'if-match': headers.get('etag') ?? '' };
    const key = unique('key');
    const patch = (comments: string, own: string) =>
      admin(`PATCH ${path}`, { comments }, { ...keyed(own), ...ifMatch });
    const first = await patch('once', key);
    expect(first.status).toBe(200);
    expect([(await patch('once', key)).body, (await patch('once', key)).status]).toEqual([first.body, 200]);
    expect((await patch('twice', key)).body.code).toBe('idempotency_mismatch');
    expect((await patch('once', unique('key'))).status).toBe(412);
    await admin(`DELETE ${path}`);
    expect((await patch('once', key)).body).toEqual(first.body);
    expect((await patch('once', unique('key'))).status).toBe(404);
  });

  it('rejects a different request with the same key', async () => {
    const [key, body] = [unique('key'), siteBody()];
    const made = await admin(`POST ${sites}`, body, keyed(key));
    const others = [
      [`POST ${sites}`, siteBody()],
      [`POST ${base}/tags`, body],
      [`PATCH ${sites}/${made.body.id}`, body],
      [`POST ${sites}?x=1`, body],
    ] as const;
    for (const [route, sent] of others) {
      const answer = await admin(route, sent, keyed(key));
      expect([route, answer.status, answer.body.code]).toEqual([route, 422, 'idempotency_mismatch']);
    }
  });

  it('belongs to the user of the request', async () => {
    const members = [await addMember(world, ['sites.create']), await addMember(world, ['sites.create'])];
    const key = unique('key');
    const answers = await Promise.all(members.map(({ ask }) => ask(`POST ${sites}`, siteBody(), keyed(key))));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(await rowsOf(key)).toHaveLength(2);
    const [first] = members;
    await admin(`PATCH ${usersPath(world.domain)}/${first?.user.id}`, { roles: [] });
    expect((await first?.ask(`POST ${sites}`, siteBody(), keyed(key)))?.status).toBe(403);
  });

  it('replays an answer only to a caller with at least the permissions of the first request', async () => {
    const [site, other] = [await addSite(admin), await addSite(admin)];
    const scopes = (sites: Json[]) => ({ scope: { sites: sites.map(({ id }) => id) } });
    const { ask, role } = await addMember(world, ['sites.read', 'sites.update'], [site.id]);
    const become = (change: object) => admin(`PATCH ${base}/rbac/${role.id}`, change);
    const key = unique('key');
    const send = () => ask(`PATCH ${sites}/${site.id}`, { comments: 'mine' }, keyed(key));
    const first = await send();
    expect(first.status).toBe(200);
    await become(scopes([other]));
    const refused = await send();
    expect([refused.status, refused.body.code, refused.body.missing]).toEqual([
      403,
      'forbidden',
      ['sites.read', 'sites.update'],
    ]);
    expect(JSON.stringify(refused.body)).not.toContain(site.name);
    await become({ ...scopes([site]), permissions: ['sites.update'] });
    expect((await send()).body.missing).toEqual(['sites.read']);
    await become({ ...scopes([site, other]), permissions: ['sites.read', 'sites.update', 'farms.read'] });
    expect((await send()).body).toEqual(first.body);
  });

  it('stores no refusals', async () => {
    const [key, body] = [unique('key'), siteBody()];
    const twin = await addSite(admin, body);
    const send = () => admin(`POST ${sites}`, body, keyed(key));
    expect((await send()).body).toMatchObject({ code: 'already_exists', existing_id: twin.id });
    expect(await rowsOf(key)).toEqual([]);
    await admin(`DELETE ${sites}/${twin.id}`);
    expect((await send()).status).toBe(201);
  });

  it('stores answers sealed, and does not return a one-time secret again', async () => {
    const [key, body] = [unique('key'), gatewayBody()];
    const send = () => admin(`POST ${base}/gateways`, body, keyed(key));
    const made = (await send()).body;
    expect(made.token).toMatch(/^[\w-]{48}$/);
    expect((await send()).body).toEqual({ ...made, token: null, token_set: true });
    expect(JSON.stringify(await rowsOf(key))).not.toContain(body.name);
    const other = await addGateway(admin);
    const rotate = () =>
      admin(`PATCH ${base}/gateways/${other.id}`, { rotate_token: true }, keyed(unique('key')));
    expect((await rotate()).body.token).not.toBe((await rotate()).body.token);
  });

  it('never repeats a request that started and has no answer', async () => {
    const [key, body] = [unique('key'), siteBody()];
    const send = () => admin(`POST ${sites}`, body, keyed(key));
    await send();
    const leaseFor = (seconds: number) =>
      world.portal.db
        .update(idempotencyKeys)
        .set({ status: null, sealed_body: null, lease_until: new Date(Date.now() + seconds * 1000) })
        .where(eq(idempotencyKeys.key, key));
    await leaseFor(60);
    expect((await send()).body).toMatchObject({ code: 'idempotency_in_progress', retryable: false });
    await leaseFor(-1);
    expect((await send()).body).toMatchObject({ status: 409, code: 'outcome_unknown', retryable: false });
  });

  it('must be printable, not empty and not too long', async () => {
    for (const key of ['', 'é', 'x'.repeat(256)]) {
      const { status, body } = await admin(`POST ${sites}`, siteBody(), keyed(key));
      expect([status, body.errors?.[0]?.pointer]).toEqual([422, 'Idempotency-Key']);
    }
    const longest = await admin(`POST ${sites}`, siteBody(), keyed('x ~'.padEnd(255, 'y')));
    expect(longest.status).toBe(201);
    expect((await admin(`GET ${sites}`, undefined, keyed(''))).status).toBe(200);
  });

  it('leaves nothing of a write that was killed, and the next request takes effect once', async () => {
    const site = await addSite(admin);
    const key = unique('key');
    const patch = () => admin(`PATCH ${sites}/${site.id}`, { comments: 'at last' }, keyed(key));
    const holder = new pg.Client({ connectionString: world.portal.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from sites where id = $1 for update', [site.id]);
    const { result: killed, events } = await audited(world.portal, async () => {
      const pending = patch();
      await killWaiting(world.portal.db);
      const answer = await pending;
      await holder.query('rollback');
      return answer;
    });
    await holder.end();
    expect([killed.status, killed.body.code, events]).toEqual([503, 'database_unavailable', []]);
    expect([await rowsOf(key), (await admin(`GET ${sites}/${site.id}`)).body]).toEqual([[], site]);
    const { result: answers, events: written } = await audited(world.portal, async () => [
      await patch(),
      await patch(),
    ]);
    expect(answers.map(({ status, body }) => [status, body.comments])).toEqual([
      [200, 'at last'],
      [200, 'at last'],
    ]);
    expect(written).toHaveLength(1);
  });

  it('is new again after a day, and is then deleted', async () => {
    const [key, first, second] = [unique('key'), siteBody(), siteBody()];
    await admin(`POST ${sites}`, first, keyed(key));
    world.portal.advance(86_400 - 60);
    const late = asker(world.portal, await world.portal.login());
    expect((await late(`POST ${sites}`, second, keyed(key))).body.code).toBe('idempotency_mismatch');
    world.portal.advance(61);
    expect((await late(`POST ${sites}`, second, keyed(key))).status).toBe(201);
    expect((await late(`POST ${sites}`, second, keyed(key))).body.name).toBe(second.name);
    const { db, deps } = world.portal;
    await deleteExpired(
      db,
      { table: idempotencyKeys, where: isExpiredKey(deps.clock()) },
      new AbortController().signal,
    );
    const left: Json[] = await db.select({ key: idempotencyKeys.key }).from(idempotencyKeys);
    expect(left).toEqual([{ key }]);
    world.portal.advance(86_401);
    await deleteExpired(
      db,
      { table: idempotencyKeys, where: isExpiredKey(deps.clock()) },
      new AbortController().signal,
    );
    expect(await db.select({ n: sql`1` }).from(idempotencyKeys)).toEqual([]);
  });
});

/** Ends the connection that waits for a lock in this database as soon as there is one. */
async function killWaiting(db: Db): Promise<void> {
  const ended = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  // Outside the transaction that holds the lock, which would read one snapshot of the activity repeatedly.
  while (((await db.execute(ended)) as unknown as { rows: unknown[] }).rows.length === 0);
}
