import pg from 'pg';
import { connectPg } from '../../../db/pg.ts';
import { createChunkStore } from '../../../db/repositories/exports/chunks.ts';
import { withExportCursor } from '../../../db/repositories/exports/cursors.ts';
import { exportQuery } from '../../../db/repositories/exports/sources.ts';
import { exportedFiles } from '../../../db/schema/exports/files.ts';
import { writeFile } from '../../../functions/health/jobs/exports/file.ts';
import { formats } from '../../../shared/exports/formats.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { ExportFigures } from './exports.ts';

/**
 * In a separate process with its own memory: the audit as a CSV file in the database, as a sidecar builds it, and `COPY`
 * of the same rows without storing them. The results are on standard output.
 */
const [, , databaseUrl = ''] = process.argv;
const { db, close } = connectPg({ url: databaseUrl, maxConnections: 2, statementTimeoutMs: 60_000 });
const figures: Omit<ExportFigures, 'ratio'> = { ...(await runExport()), copy_s: await runCopy() };
await close();
process.stdout.write(JSON.stringify(figures));

async function runExport() {
  const file = newId();
  const moment = new Date();
  await db.insert(exportedFiles).values({
    id: newId(),
    owner_id: newId(),
    subject: 'audit',
    format: 'csv',
    filters: {},
    fingerprint: file,
    state: 'running',
    file,
    created_at: moment,
    expires_at: moment,
  });
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const began = performance.now();
  const query = exportQuery('audit', {}, 10_000_000);
  const writer = await createChunkStore(db).begin(file, async () => undefined);
  const first = { ms: 0 };
  const { rows, bytes } = await withExportCursor({ url: databaseUrl, name: 'bench', query }, (cursor) =>
    writeFile({ cursor, members: query.members, format: formats.csv }, writer, async () => {
      first.ms ||= performance.now() - began;
    }),
  );
  await writer.finish();
  clearInterval(watch);
  return {
    rows,
    mb: bytes / 2 ** 20,
    first_rows_s: first.ms / 1_000,
    export_s: (performance.now() - began) / 1_000,
    memory_growth_mb: (most - before) / 2 ** 20,
  };
}

async function runCopy(): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const began = performance.now();
  await client.query('copy (select * from audit_events order by at, id) to stdout (format csv)');
  const seconds = (performance.now() - began) / 1_000;
  await client.end();
  return seconds;
}
