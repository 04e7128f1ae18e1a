import { and, eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { exportedChunks } from '../../../db/schema/exports/chunks.ts';
import { exportedFiles } from '../../../db/schema/exports/files.ts';
import { removeOldFiles } from '../../../functions/health/jobs/exports/removal.ts';
import { createStores } from '../../../functions/health/jobs/exports/stores.ts';
import { exportWorker } from '../../../functions/health/jobs/exports/worker.ts';
import { buildExport } from '../../../shared/exports/job.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { addEvents, builtExport, obtainedFile, startExports } from '../../support/exports/exports.ts';
import { type Ask, asker, base } from '../../support/factories.ts';
import { type Json, startPortal, type TestPortal } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

let portal: TestPortal;
let token: string;
let admin: Ask;
let gate: pg.Client;
/** Reads the wait events of every session. */
let watcher: Connection;
const audit = `${base}/audit`;
const stops: (() => Promise<void>)[] = [];
const log = createLog({ level: 'error' });
const { signal } = new AbortController();

beforeAll(async () => {
  portal = await startPortal();
  token = await portal.login();
  admin = asker(portal, token);
  await addEvents(portal.db, 5_000);
  await portal.ownerDb.execute(sql`create function wait_for_test() returns trigger language plpgsql
    as $$ begin perform pg_advisory_xact_lock(77); return new; end $$`);
  gate = new pg.Client({ connectionString: portal.database.ownerUrl });
  await gate.connect();
  watcher = connectPg({ url: portal.database.superuserUrl, maxConnections: 1 });
}, 60_000);
afterEach(async () => {
  await gate.query('select pg_advisory_unlock_all()');
  for (const stop of stops.splice(0)) await stop();
  await portal.ownerDb.execute(sql`drop trigger if exists waits on exported_chunks`);
  await portal.ownerDb.execute(sql`drop trigger if exists waits on exported_files`);
});
afterAll(async () => {
  await gate?.end();
  await watcher?.close();
  await portal?.close();
});

const yes = async (condition: ReturnType<typeof sql<boolean>>) =>
  (await watcher.db.select({ condition }).from(sql`(values (1)) as once`))[0]?.condition;
const isAtGate = () => yes(sql`exists(select 1 from pg_locks where locktype = 'advisory' and not granted)`);
const fileOf = (body: Json) => obtainedFile(portal, token, audit, body);
const countOfChunks = (file: string) => portal.db.$count(exportedChunks, eq(exportedChunks.file, file));
const rowOf = async (id: string): Promise<Json> =>
  (await portal.db.select().from(exportedFiles).where(eq(exportedFiles.id, id)))[0];

requireService('postgresql', findBinaries() !== undefined)('an attempt at an export', () => {
  it('that was replaced as dead but is alive does not affect the current one', async () => {
    const { sidecarDb: db, ownerDb, database } = portal;
    const { sidecarUrl: databaseUrl } = database;
    await ownerDb.execute(sql`create trigger waits before insert on exported_chunks
      for each row when (new.n = 2) execute function wait_for_test()`);
    await gate.query('select pg_advisory_lock(77)');
    stops.push(await startExports(databaseUrl));
    const { body } = await admin(`GET ${audit}/export?format=ndjson&event=test.Filled`);
    await expect.poll(isAtGate, { timeout: 30_000 }).toBe(true);
    const known = { current: () => parametersFrom(null) };
    const late = exportWorker({
      db,
      databaseUrl,
      stores: createStores(db, undefined),
      parameters: known,
      log,
    });
    const run = { id: body.export_id, kind: buildExport.name, attempt: 7, signal };
    await expect(late.work({ export_id: body.export_id }, run)).rejects.toThrow();
    expect(await countOfChunks((await rowOf(body.export_id)).file)).toBe(2);
    await gate.query('select pg_advisory_unlock(77)');
    const report = await builtExport(admin, audit, 'format=ndjson&event=test.Filled');
    expect(report).toMatchObject({ export_id: body.export_id, state: 'ready', rows: 5_000 });
    expect((await fileOf({ export_id: body.export_id })).sha256).toBe(report.sha256);
  }, 60_000);

  it('whose connection is lost during its final commit keeps the file that is then shown', async () => {
    await portal.ownerDb.execute(sql`create constraint trigger waits after update on exported_files deferrable initially deferred
      for each row when (new.state = 'ready') execute function wait_for_test()`);
    await gate.query('select pg_advisory_lock(77)');
    const proxy = await startFreezableProxy(portal.database.sidecarUrl);
    const stop = await startExports(proxy.url);
    stops.push(() => proxy.close());
    const { body } = await admin(`GET ${audit}/export?format=csv&event=test.Filled`);
    await expect.poll(isAtGate, { timeout: 30_000 }).toBe(true);
    const { file } = await rowOf(body.export_id);
    proxy.cut();
    proxy.restore();
    const asks = sql<boolean>`exists(select 1 from pg_stat_activity
      where query like '%from "exported_files"%for share' and wait_event_type = 'Lock')`;
    const hasLookedOrRemoved = async () => (await yes(asks)) || (await countOfChunks(file)) === 0;
    await expect.poll(hasLookedOrRemoved, { timeout: 20_000 }).toBe(true);
    await gate.query('select pg_advisory_unlock(77)');
    const report = await builtExport(admin, audit, 'format=csv&event=test.Filled');
    await stop();
    expect(report).toMatchObject({ export_id: body.export_id, state: 'ready', rows: 5_000 });
    expect((await fileOf({ export_id: body.export_id })).sha256).toBe(report.sha256);
  }, 60_000);
});

requireService('postgresql', findBinaries() !== undefined)('the file of an export', () => {
  it('is never served with a part missing, also while it is deleted', async () => {
    stops.push(await startExports(portal.database.sidecarUrl));
    const { export_id } = await builtExport(admin, audit, 'format=json&event=test.Filled');
    const { file } = await rowOf(export_id);
    await portal.db.delete(exportedChunks).where(and(eq(exportedChunks.file, file), eq(exportedChunks.n, 5)));
    await expect(fileOf({ export_id })).rejects.toThrow();
    await expect(fileOf({ export_id, offset: 4 * 262_144 + 1 })).rejects.toThrow();
    expect((await fileOf({ export_id, offset: 6 * 262_144 })).status).toBe(200);
  }, 60_000);

  it('is deleted when it has expired, also when older ones cannot be deleted', async () => {
    const { db } = portal;
    const old = (store: 's3' | 'database', hours: number) => ({
      id: newId(),
      owner_id: newId(),
      subject: 'audit' as const,
      format: 'csv' as const,
      filters: {},
      fingerprint: newId(),
      state: 'ready' as const,
      store,
      file: newId(),
      created_at: new Date(),
      expires_at: new Date(Date.now() - hours * 3_600_000),
    });
    const lost = Array.from({ length: 120 }, () => old('s3', 9));
    const removable = old('database', 1);
    await db.insert(exportedFiles).values([...lost, removable]);
    const quiet = createLog({ level: 'error' });
    await removeOldFiles({ db, stores: createStores(db, undefined), log: quiet }, signal);
    expect((await rowOf(removable.id)).file).toBeNull();
    expect((await rowOf(lost[0]?.id ?? '')).file).not.toBeNull();
  });
});
