import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withTransaction } from '../../../db/client.ts';
import { isUnavailable } from '../../../db/errors.ts';
import { connectNeon } from '../../../db/neon.ts';
import { startNeonProxy } from '../../../shared/tooling/embedded/neon-proxy.ts';
import { freshDatabase } from '../../support/database/database.ts';
import type { Driver } from '../../support/database/neon-proxy.ts';
import { type Ask, asker, base } from '../../support/factories.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';

/** Each code with its meaning. */
const unavailable = {
  '57014': 'a statement was cancelled, or its time was over',
  '55P03': 'a lock was not to be had in time',
  '25006': 'the database is read-only',
  '25P03': 'a transaction was idle for too long',
  '53100': 'the disk is full',
  '53200': 'out of memory',
  '53300': 'too many connections',
  '57P01': 'the server is being shut down',
  '57P02': 'the server has crashed',
  '57P03': 'the server is starting',
  '08000': 'the connection failed',
  '08003': 'there is no connection',
  '08006': 'the connection was lost',
  '08P01': 'something in front of the database did not understand us',
  '40001': 'a transaction lost a race',
  '40P01': 'a deadlock',
} as const;

describe.each<Driver>(['pg', 'neon'])('a database that is unavailable, by the driver %s,', (driver) => {
  let portal: TestPortal;
  let admin: Ask;

  beforeAll(async () => {
    portal = await startPortal({ driver });
    admin = asker(portal, await portal.login());
    await portal.ownerDb.execute(sql`create table raised (code text)`);
    await portal.ownerDb.execute(sql`create function raise_it() returns trigger language plpgsql security definer as $$
      declare given text := (select code from raised);
      begin
        if given is not null then raise exception using errcode = given, message = 'raised by a test'; end if;
        return new;
      end $$`);
    await portal.ownerDb.execute(sql`create trigger raises before insert on tags
      for each row execute function raise_it()`);
  });
  afterAll(() => portal?.close());

  const raise = (code: string | null) =>
    portal.ownerDb.execute(sql`with cleared as (delete from raised) insert into raised values (${code})`);
  const create = (headers: Record<string, string> = {}) =>
    admin(`POST ${base}/tags`, { name: randomUUID() }, headers);

  it.each(Object.entries(unavailable))('returns 503 that may be retried: %s, %s', async (code) => {
    await raise(code);
    const headers = { 'idempotency-key': randomUUID() };
    for (const given of [{}, headers, { 'x-dry-run': 'true' }]) {
      const answer = await create(given);
      expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable', retryable: true } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await raise(null);
    expect((await create(headers)).status).toBe(201);
  });

  it('is distinguished from a programming error', async () => {
    await raise('22012');
    expect(await create()).toMatchObject({ status: 500, body: { code: 'internal' } });
    await raise(null);
  });
});

it('every SQLSTATE of connections, resources and operators may be retried', () => {
  const raised = (code: string) => isUnavailable(Object.assign(new Error(), { code }));
  expect(
    ['08001', '08004', '53000', '53400', '57000', '57P04', '57P05', '25P04'].filter(raised),
  ).toHaveLength(8);
  expect(['23505', '22P02', '25001', '25P02', '42501', '55006', 'AG001', '58030'].filter(raised)).toEqual([]);
});

it('a lost WebSocket within a transaction of Neon is reported as unavailable', async () => {
  const database = await freshDatabase();
  const errors: unknown[] = [];
  for (const isBusy of [true, false]) {
    const proxy = await startNeonProxy({ databaseUrl: database.url });
    const { db } = connectNeon({ url: database.url, proxy: proxy.url });
    await withTransaction(db, async (transaction) => {
      const running = isBusy ? transaction.execute(sql`select pg_sleep(30)`) : Promise.resolve();
      const failed = running.catch((error: unknown) => errors.push(error));
      await proxy.close();
      await failed;
      await transaction.execute(sql`select 1`);
    }).catch((error: unknown) => errors.push(error));
  }
  await database.drop();
  expect(errors.length).toBeGreaterThanOrEqual(2);
  expect(errors.filter((error) => !isUnavailable(error))).toEqual([]);
});
