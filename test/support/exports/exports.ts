import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { Replica } from '../../../db/replica/replica.ts';
import { createStores } from '../../../functions/health/jobs/exports/stores.ts';
import { exportWorker, noteFailedExport } from '../../../functions/health/jobs/exports/worker.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import { outboxJob } from '../../../functions/health/jobs/queue/outbox.ts';
import { type FailedJob, startQueue } from '../../../functions/health/jobs/queue/queue.ts';
import { type Parameters, parametersFrom } from '../../../shared/kernel/system-parameters.ts';
import type { S3Config } from '../../../shared/remotes/object-store/s3-config.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import type { Ask } from '../factories.ts';
import { type Answer, baseUrl, type Json, type TestPortal } from '../portal.ts';

type ExportStandOptions = {
  s3?: S3Config | undefined;
  parameters?: Partial<Parameters>;
  replicaUrl?: string;
};

/** The export part of a sidecar, with the real queue. @returns a function that stops it */
export async function startExports(
  databaseUrl: string,
  { s3, parameters, replicaUrl: url }: ExportStandOptions = {},
): Promise<() => Promise<void>> {
  const log = createLog({ level: 'error' });
  const stopping = new AbortController();
  // Tests hold locks during their checks.
  const { db, close } = connectPg({
    url: databaseUrl,
    maxConnections: 4,
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 60_000,
  });
  const known = { current: () => ({ ...parametersFrom(null), ...parameters }) };
  const reading = url === undefined ? undefined : connectPg({ url, maxConnections: 1 });
  const replica = reading && url !== undefined ? { url, reads: new Replica(reading.db) } : undefined;
  const stores = createStores(db, s3);
  const worker = exportWorker({ db, databaseUrl, replica, stores, parameters: known, log });
  const noteFailure = (job: FailedJob) => noteFailedExport(db, job);
  const parts = {
    databaseUrl,
    log,
    stopping: stopping.signal,
    isLeader: () => true,
    pollingS: 1,
    noteFailure,
  };
  const queue = await startQueue(parts, [worker]);
  const outbox = runEvery(
    outboxJob(db, () => queue),
    log,
    stopping.signal,
  );
  return async () => {
    stopping.abort();
    await outbox;
    await queue.stop();
    await close();
    await reading?.close();
  };
}

/** Creates an export, or polls an existing one, until it has ended. */
export async function builtExport(ask: Ask, path: string, query = ''): Promise<Json> {
  const ordered = await ask(`GET ${path}/export?${query}`);
  if (ordered.status > 202) throw new Error(`${ordered.status} ${JSON.stringify(ordered.body)}`);
  for (let report = ordered; ; ) {
    if (report.status !== 202) return report.body;
    await new Promise((resolve) => setTimeout(resolve, 50));
    report = await ask(`GET ${path}/export?export_id=${ordered.body.export_id}`);
  }
}

export type Obtained = { status: number; headers: Headers; bytes: Buffer; text: string; sha256: string };

/** The file itself, byte for byte. */
export async function obtainedFile(
  { portal, settled }: TestPortal,
  token: string,
  path: string,
  body: Json = {},
): Promise<Obtained> {
  const request = new Request(`${baseUrl}${path}/export`, {
    method: 'POST',
    headers: { 'x-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const client = { ip: '127.0.0.1', secure: true, loopback: false };
  const response = await portal.fetch(request, { client, background: () => undefined });
  const bytes = Buffer.from(await response.arrayBuffer());
  await settled();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString(), sha256 };
}

/** Every item of a list, page by page. */
export async function listed(ask: Ask, path: string, query = ''): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor = ''; ; ) {
    const { body }: Answer = await ask(`GET ${path}?limit=500&${query}${cursor && `&cursor=${cursor}`}`);
    items.push(...body.items);
    if (body.next === null) return items;
    cursor = encodeURIComponent(body.next);
  }
}

/** Audit events of about 700 bytes each. */
export const addEvents = (db: Db, count: number, event = 'test.Filled'): Promise<unknown> =>
  db.execute(sql`
    insert into audit_events (id, at, event, category, level, result, user_name, user_id, domain, portal, source_ip,
      user_agent, request_id, method, path, object_type, object_id, object_name, action, changes, details, message)
    select gen_random_uuid(), now() - n * interval '1 second', ${event}, 'config', 'info', 'success', 'User-' || n,
      gen_random_uuid(), 'north', 'admin', '10.0.0.1', 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0',
      md5(n::text), 'POST', '/api/webui/aggregator/sites/{id}', 'site', md5('o' || n), 'Object, the "' || n || '"th',
      'update', '[{"field": "comments", "before": "cold", "after": "warm"}]', '{"attempt": 1}', 'event ' || n
    from generate_series(1, ${count}::int) as n`);
