import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eq, sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { deleteExpired, expiredRows } from '../../../db/repositories/settings/clean-up.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { exportedChunks } from '../../../db/schema/exports/chunks.ts';
import { exportedFiles } from '../../../db/schema/exports/files.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { removeOldFiles } from '../../../functions/health/jobs/exports/removal.ts';
import { createStores } from '../../../functions/health/jobs/exports/stores.ts';
import { parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { addEvents, builtExport, obtainedFile, startExports } from '../../support/exports/exports.ts';
import { type S3Server, startS3 } from '../../support/exports/s3-server.ts';
import { type Ask, asker, base } from '../../support/factories.ts';
import { type Json, startPortal, type TestPortal } from '../../support/portal.ts';
import { programVariables } from '../../support/program-variables.ts';
import { requireService } from '../../support/services.ts';

let portal: TestPortal;
let s3: S3Server;
let token: string;
let admin: Ask;
const audit = `${base}/audit`;
const children: ChildProcess[] = [];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  s3 = await startS3();
  portal = await startPortal({ s3: s3.config });
  token = await portal.login();
  admin = asker(portal, token);
  await addEvents(portal.db, 30_000);
}, 60_000);
afterEach(async () => {
  s3.before = () => undefined;
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const stop of stops.splice(0)) await stop();
});
afterAll(async () => {
  await portal?.close();
  await s3?.stop();
});

async function startProcess(config?: S3Server['config']): Promise<ChildProcess> {
  const path = fileURLToPath(new URL('../../support/processes/export-process.ts', import.meta.url));
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...programVariables,
      DATABASE_URL: portal.database.sidecarUrl,
      ...(config && { S3: JSON.stringify(config) }),
    },
  });
  children.push(child);
  if (child.stdout) await once(child.stdout, 'data');
  return child;
}

const rowOf = async (id: string): Promise<Json> =>
  (await portal.db.select().from(exportedFiles).where(eq(exportedFiles.id, id)))[0];
const fileOf = (body: Json) => obtainedFile(portal, token, audit, body);
const linesOf = (text: string): number => text.split('\n').length - 1;

requireService('postgresql', findBinaries() !== undefined)('an export whose sidecar is killed', () => {
  it('is built by another one from the beginning, as one complete file', async () => {
    await portal.ownerDb.execute(sql`create function wait_for_test() returns trigger language plpgsql
      as $$ begin perform pg_advisory_xact_lock(77); return new; end $$`);
    await portal.ownerDb.execute(sql`create trigger third_chunk_waits before insert on exported_chunks
      for each row when (new.n = 2) execute function wait_for_test()`);
    const gate = new pg.Client({ connectionString: portal.database.ownerUrl });
    await gate.connect();
    await gate.query('select pg_advisory_lock(77)');
    const first = await startProcess();
    const { body } = await admin(`GET ${audit}/export?format=ndjson&event=test.Filled`);
    const waits = sql<boolean>`(select bool_or(not granted) from pg_locks
      where locktype = 'advisory' and objid = 77)`;
    const isStuck = async () => (await portal.db.select({ waits }).from(sql`(values (1)) as once`))[0]?.waits;
    await expect.poll(isStuck, { timeout: 30_000 }).toBe(true);
    const { file: lost } = await rowOf(body.export_id);
    expect(await portal.db.$count(exportedChunks, eq(exportedChunks.file, lost))).toBe(2);
    const running = await admin(`GET ${audit}/export?export_id=${body.export_id}`);
    expect([running.status, running.body.state]).toEqual([202, 'running']);
    expect((await fileOf({ export_id: body.export_id })).status).toBe(409);
    first.kill('SIGKILL');
    // The server notices the end of the first process only when the lock is free: until then it may still write its chunk.
    await gate.end();
    const left = sql<number>`(select count(*)::int from pg_locks
      where locktype = 'advisory' and objid = 77)`;
    const locks = async () => (await portal.db.select({ left }).from(sql`(values (1)) as once`))[0]?.left;
    await expect.poll(locks, { timeout: 30_000 }).toBe(0);
    await startProcess();
    const report = await builtExport(admin, audit, 'format=ndjson&event=test.Filled');
    expect(report).toMatchObject({ export_id: body.export_id, state: 'ready', rows: 30_000 });
    const { text, sha256 } = await fileOf({ export_id: body.export_id });
    expect([linesOf(text), sha256]).toEqual([30_000, report.sha256]);
    const [{ files } = { files: 0 }] = await portal.db
      .select({ files: sql<number>`count(distinct file)::int` })
      .from(exportedChunks);
    expect(files).toBe(1);
    expect(await portal.db.$count(exportedChunks, eq(exportedChunks.file, lost))).toBe(0);
    await portal.ownerDb.execute(sql`drop trigger third_chunk_waits on exported_chunks`);
  }, 90_000);

  it('leaves no partial upload in the object store', async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    s3.before = ({ query }) => {
      if (query.get('partNumber') !== '2') return undefined;
      reach();
      return new Promise(() => undefined);
    };
    const first = await startProcess(s3.config);
    const { body } = await admin(`GET ${audit}/export?format=json&event=test.Filled`);
    await reached;
    expect(s3.uploads()).toHaveLength(1);
    first.kill('SIGKILL');
    s3.before = () => undefined;
    await startProcess(s3.config);
    const report = await builtExport(admin, audit, 'format=json&event=test.Filled');
    expect(report).toMatchObject({ export_id: body.export_id, state: 'ready', rows: 30_000 });
    expect([s3.uploads(), s3.keys()]).toEqual([[], [`exports/${(await rowOf(body.export_id)).file}`]]);
    const { text, sha256 } = await fileOf({ export_id: body.export_id });
    expect([JSON.parse(text).length, sha256]).toEqual([30_000, report.sha256]);
  }, 90_000);
});

requireService('postgresql', findBinaries() !== undefined)('an export in an object store', () => {
  it('is uploaded in parts, and downloaded from any byte', async () => {
    stops.push(await startExports(portal.database.sidecarUrl, { s3: s3.config }));
    s3.requests.splice(0);
    const report = await builtExport(admin, audit, 'format=ndjson&object_type=site');
    expect(report.bytes).toBeGreaterThan(16 * 2 ** 20);
    const parts = s3.requests.filter(({ query }) => query.has('partNumber'));
    expect(parts.map(({ bytes }) => bytes).reduce((a, b) => a + b)).toBe(report.bytes);
    expect(parts.slice(0, -1).every(({ bytes }) => bytes === 8 * 2 ** 20)).toBe(true);
    const whole = await fileOf({ export_id: report.export_id });
    expect(whole.sha256).toBe(report.sha256);
    for (const offset of [1, 9_000_000, report.bytes]) {
      const rest = await fileOf({ export_id: report.export_id, offset });
      expect(rest.bytes.equals(whole.bytes.subarray(offset))).toBe(true);
    }
  }, 60_000);

  it('is retried by the job when the store fails for long, and leaves nothing of the failed attempt', async () => {
    stops.push(await startExports(portal.database.sidecarUrl, { s3: s3.config }));
    const before = s3.keys().length;
    let failures = 0;
    s3.before = ({ query }) => (query.get('partNumber') === '2' && failures++ < 4 ? 503 : undefined);
    const report = await builtExport(admin, audit, 'format=csv&object_type=site');
    expect(report).toMatchObject({ state: 'ready', rows: 30_000 });
    expect(failures).toBeGreaterThanOrEqual(5);
    expect([s3.uploads(), s3.keys().length]).toEqual([[], before + 1]);
  }, 60_000);

  it('that the store has lost or cannot return is refused with a clear error', async () => {
    stops.push(await startExports(portal.database.sidecarUrl, { s3: s3.config }));
    const { export_id } = await builtExport(admin, audit, 'user=nobody');
    s3.before = () => 500;
    const broken = await fileOf({ export_id });
    expect([broken.status, JSON.parse(broken.text)]).toMatchObject([502, { code: 'upstream_failed' }]);
    s3.before = () => 404;
    expect((await fileOf({ export_id })).status).toBe(410);
  }, 60_000);
});

requireService('postgresql', findBinaries() !== undefined)('the clean-up of exports', () => {
  it('deletes files that expired or failed, in either store, and the exports a month later', async () => {
    const stop = await startExports(portal.database.sidecarUrl);
    const inDatabase = await builtExport(admin, audit, 'user=old');
    await stop();
    stops.push(await startExports(portal.database.sidecarUrl, { s3: s3.config }));
    const inStore = await builtExport(admin, audit, 'user=older');
    const kept = await builtExport(admin, audit, 'user=kept');
    const { db } = portal;
    for (const { export_id } of [inDatabase, inStore])
      await db
        .update(exportedFiles)
        .set({ expires_at: sql`now() - interval '1 second'` })
        .where(eq(exportedFiles.id, export_id));
    const { signal } = new AbortController();
    await removeOldFiles(
      { db, stores: createStores(db, s3.config), log: createLog({ level: 'error' }) },
      signal,
    );
    for (const { export_id } of [inDatabase, inStore])
      expect(await rowOf(export_id)).toMatchObject({ file: null });
    const files = (await db.select({ file: exportedFiles.file }).from(exportedFiles)).map(({ file }) => file);
    expect(s3.keys().every((key) => files.includes(key.replace('exports/', '')))).toBe(true);
    expect((await fileOf({ export_id: kept.export_id })).status).toBe(200);
    const chunks = () =>
      db.$count(exportedChunks, sql`file not in (select file from exported_files where file is not null)`);
    expect(await chunks()).toBe(0);
    await db
      .insert(exportedChunks)
      .values({ file: inDatabase.export_id, n: 0, bytes: Buffer.from('orphan') });
    await db
      .update(exportedFiles)
      .set({ expires_at: sql`now() - interval '31 days'` })
      .where(eq(exportedFiles.id, inStore.export_id));
    for (const leftover of expiredRows(parametersFrom(null), new Date()))
      await deleteExpired(portal.sidecarDb, leftover, signal);
    expect(await chunks()).toBe(0);
    expect([await rowOf(inStore.export_id), (await rowOf(inDatabase.export_id)).state]).toEqual([
      undefined,
      'ready',
    ]);
  }, 60_000);

  it('is not needed for an export with too many rows, which fails with a journal entry', async () => {
    stops.push(await startExports(portal.database.sidecarUrl, { parameters: { 'export.max_rows': 29_999 } }));
    const report = await builtExport(admin, audit, 'event=test.Filled&format=cef');
    expect(report).toMatchObject({ state: 'failed', reason: 'too_many_rows' });
    const events = await portal.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.object_id, report.export_id));
    expect(events.map(({ event, result }) => [event, result])).toEqual([
      ['portal.ExportOrdered', 'success'],
      ['portal.ExportBuilt', 'failure'],
    ]);
    const journal = await portal.db
      .select({ code: monitoringRecords.code })
      .from(monitoringRecords)
      .where(eq(monitoringRecords.object_id, report.export_id));
    expect(journal).toEqual([{ code: 'export_too_long' }]);
    const fewer = await builtExport(admin, audit, 'event=test.Filled&to=2000-01-01T00:00:00Z');
    expect(fewer).toMatchObject({ state: 'ready', rows: 0 });
  }, 60_000);
});
