import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectPg } from '../../../db/pg.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { addEvents, builtExport, startExports } from '../../support/exports/exports.ts';
import { type S3Server, startS3 } from '../../support/exports/s3-server.ts';
import { type LocalPortal, startWorkers, workersVariables } from '../../support/workers/local-workers.ts';

const path = '/api/webui/aggregator/audit';
const password = 'correct horse battery staple';
let folder: string;
let database: FreshDatabase;
let s3: S3Server;
let portal: LocalPortal;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-workers-test-'));
  database = await freshDatabase();
  s3 = await startS3();
  portal = await startWorkers({
    ...(await workersVariables({ folder, databaseUrl: database.url, password })),
    S3_ENDPOINT: s3.config.endpoint,
    S3_BUCKET: s3.config.bucket,
    S3_REGION: s3.config.region,
    S3_ACCESS_KEY_ID: s3.config.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.config.secretAccessKey,
  });
  const body = { username: 'admin', password, authSmallName: 'builtin' };
  token = (await portal.send('POST /api/auth/v7.0/login', { body })).body.token;
  const connection = connectPg({ url: database.url });
  await addEvents(connection.db, 20_000);
  await connection.close();
});
afterAll(async () => {
  await portal?.stop();
  await s3?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function obtain(export_id: string, offset: number): Promise<Buffer> {
  const answer = await fetch(`${portal.url}${path}/export`, {
    method: 'POST',
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ export_id, offset }),
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

describe('an export in workerd', () => {
  it.each([
    ['database', 'event=test.Filled'],
    ['s3', 'object_type=site'],
  ])(
    'streams from any byte out of: %s',
    async (store, filters) => {
      const stop = await startExports(database.sidecarUrl, store === 's3' ? { s3: s3.config } : {});
      try {
        const ask = (route: string) => portal.send(route, { token });
        const report = await builtExport(ask, path, `format=ndjson&${filters}`);
        expect(report).toMatchObject({ state: 'ready', rows: 20_000 });
        const whole = await obtain(report.export_id, 0);
        expect(createHash('sha256').update(whole).digest('hex')).toBe(report.sha256);
        expect((await obtain(report.export_id, 1_000_001)).equals(whole.subarray(1_000_001))).toBe(true);
        expect(s3.keys()).toHaveLength(store === 's3' ? 1 : 0);
      } finally {
        await stop();
      }
    },
    60_000,
  );
});
