import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { enqueueJob } from '../../../db/repositories/jobs/outbox.ts';
import { exportedFiles } from '../../../db/schema/exports/files.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { createS3Store } from '../../../shared/remotes/object-store/s3.ts';
import { addEvents, builtExport, obtainedFile } from '../../support/exports/exports.ts';
import { hasSwift, type Swift, startSwift } from '../../support/exports/swift.ts';
import { type Ask, asker, base } from '../../support/factories.ts';
import { type Json, startPortal, type TestPortal } from '../../support/portal.ts';
import { type Sidecar, startSidecar } from '../../support/processes/sidecar-process.ts';
import { requireService } from '../../support/services.ts';

const audit = `${base}/audit`;
/** Rows that are more than two parts of 8 MiB. */
const rows = 30_000;

requireService('swift with its S3 interface', hasSwift)('an export in a Swift object store', () => {
  let swift: Swift;
  let portal: TestPortal;
  let token: string;
  let admin: Ask;
  let folder: string;
  const sidecars: Sidecar[] = [];

  beforeAll(async () => {
    swift = await startSwift();
    folder = await mkdtemp(join(tmpdir(), 'aggregator-swift-sidecar-'));
    portal = await startPortal({ s3: swift.config });
    token = await portal.login();
    admin = asker(portal, token);
    await addEvents(portal.db, rows);
  }, 120_000);
  afterEach(() => Promise.all(sidecars.splice(0).map((sidecar) => sidecar.kill())));
  afterAll(async () => {
    await portal?.close();
    await swift?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(secretAccessKey = swift.config.secretAccessKey): Promise<Sidecar> {
    const { endpoint, bucket, region, accessKeyId } = swift.config;
    const env = {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const sidecar = await startSidecar({ databaseUrl: portal.database.sidecarUrl, folder }, env);
    sidecars.push(sidecar);
    return sidecar;
  }
  const fileOf = (body: Json) => obtainedFile(portal, token, audit, body);

  it('is uploaded in parts, downloaded from any byte, and deleted when it has expired', async () => {
    await start();
    const report = await builtExport(admin, audit, 'format=ndjson&event=test.Filled');
    expect(report).toMatchObject({ state: 'ready', rows });
    expect(report.bytes).toBeGreaterThan(2 * 8 * 2 ** 20);
    expect([await swift.uploads(), (await swift.keys()).length]).toEqual([[], 1]);
    const whole = await fileOf({ export_id: report.export_id });
    expect([whole.status, whole.sha256, whole.bytes.length]).toEqual([200, report.sha256, report.bytes]);
    for (const offset of [1, 8 * 2 ** 20 - 1, 9_000_000, report.bytes - 1, report.bytes]) {
      const rest = await fileOf({ export_id: report.export_id, offset });
      expect(rest.bytes.equals(whole.bytes.subarray(offset))).toBe(true);
    }
    await portal.db
      .update(exportedFiles)
      .set({ expires_at: sql`now() - interval '1 second'` })
      .where(eq(exportedFiles.id, report.export_id));
    await enqueueJob(portal.db, { name: 'clean-up' }, {});
    await expect.poll(swift.keys, { timeout: 60_000, interval: 250 }).toEqual([]);
    expect((await fileOf({ export_id: report.export_id })).status).toBe(410);
  }, 180_000);

  it('that cannot be finished leaves nothing, and an empty one is a file as well', async () => {
    const store = createS3Store(swift.config);
    const noted: string[] = [];
    const writer = await store.begin('half', async (id) => void noted.push(id));
    await writer.append(Buffer.alloc(9_000_000));
    expect(await swift.uploads()).toEqual(['exports/half']);
    await store.remove('half', noted[0] ?? '');
    expect(await swift.uploads()).toEqual([]);
    await store.remove('half', noted[0] ?? '');
    const empty = await store.begin('empty', async () => undefined);
    await empty.finish();
    expect(await swift.keys()).toEqual(['exports/empty']);
    await store.remove('empty', null);
    await store.remove('empty', null);
    expect(await swift.keys()).toEqual([]);
    const absent = store.read({ file: 'empty', offset: 0, bytes: 1 });
    await expect(absent).rejects.toMatchObject({ code: 'expired' });
  }, 60_000);

  it('fails with a wrong secret, and reports the cause', async () => {
    const sidecar = await start('another secret');
    const { body } = await admin(`GET ${audit}/export?event=test.Filled&format=csv`);
    /** A job that waits for its next attempt need not be. */
    const hurried = async () => {
      await portal.sidecarDb.execute(sql`update pgboss.job set start_after = now() where state = 'retry'`);
      return (await admin(`GET ${audit}/export?export_id=${body.export_id}`)).body.state;
    };
    await expect.poll(hurried, { timeout: 90_000, interval: 500 }).toBe('failed');
    const journal = () =>
      portal.db
        .select({ code: monitoringRecords.code, details: monitoringRecords.details })
        .from(monitoringRecords)
        .where(eq(monitoringRecords.object_id, body.export_id));
    await expect
      .poll(journal, { timeout: 20_000 })
      .toEqual([{ code: 'job_failed', details: { error: 'The object store did not execute the request' } }]);
    // The response of the store is in the log of the sidecar, and not in the API.
    expect(sidecar.errors()).toContain('SignatureDoesNotMatch');
    expect([await swift.uploads(), await swift.keys()]).toEqual([[], []]);
    expect((await fileOf({ export_id: body.export_id })).status).toBe(409);
  }, 120_000);

  it('cannot be downloaded from a portal with a wrong secret', async () => {
    const store = createS3Store(swift.config);
    const writer = await store.begin('secret', async () => undefined);
    const content = Buffer.from('for us alone');
    await writer.append(content);
    await writer.finish();
    const wrong = createS3Store({ ...swift.config, secretAccessKey: 'another' });
    const refused = wrong.read({ file: 'secret', offset: 0, bytes: content.length });
    await expect(refused).rejects.toMatchObject({ code: 'upstream_failed' });
    const read = await store.read({ file: 'secret', offset: 4, bytes: content.length });
    expect(await new Response(read).text()).toBe('us alone');
    await store.remove('secret', null);
  }, 60_000);
});
