import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atomically } from '../../../db/client.ts';
import { failExport } from '../../../db/repositories/exports/attempts.ts';
import { reportPortal } from '../../../db/repositories/monitoring/portals.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { exportedFiles } from '../../../db/schema/exports/files.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { addEvents, builtExport, listed, obtainedFile, startExports } from '../../support/exports/exports.ts';
import {
  addMember,
  addMonitoringRecord,
  addTag,
  adminOf,
  asker,
  base,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let token: string;
let stopExports: () => Promise<void>;
const admin = adminOf(world);
const audit = `${base}/audit`;
const obtain = (path: string, body?: Json, as = token) => obtainedFile(world.portal, as, path, body);

beforeAll(async () => {
  token = await world.portal.login();
  await addEvents(world.portal.db, 5_000);
  for (let n = 0; n < 3; n++) {
    await addTag(admin, { comments: `=${n}` });
    await addMonitoringRecord(admin, { details: { n, text: 'a "b"\nc' } });
  }
  const portal = {
    id: newId(),
    name: 'one',
    name_key: 'one',
    fqdn: 'one.test',
    portal_type: 'admin',
  } as const;
  const facts = {
    runtime: 'node',
    version: '7.0',
    build: '7.0.0',
    os: 'Linux',
    started_at: new Date(),
  } as const;
  await reportPortal(world.portal.db, { ...portal, ...facts, metrics: {} });
  stopExports = await startExports(world.portal.database.sidecarUrl);
});
afterAll(async () => {
  await stopExports?.();
});

const parse = (text: string): Json[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const byId = (a: Json, b: Json): number => (a.id < b.id ? -1 : 1);

describe('an export', () => {
  it.each([
    ['audit', 'object_type=site'],
    ['monitoring', ''],
    ['tags', 'source=manual'],
    ['appnodes/portals', 'search=one'],
  ])('of %s contains exactly the items of the list with these filters', async (name, filters) => {
    const path = `${base}/${name}`;
    const report = await builtExport(admin, path, `format=ndjson&${filters}`);
    expect(report).toMatchObject({ state: 'ready', format: 'ndjson', progress: 1 });
    const file = await obtain(path, { export_id: report.export_id });
    const items = await listed(admin, path, filters);
    expect(items.length).toBeGreaterThan(0);
    expect(parse(file.text).sort(byId)).toEqual(items.sort(byId));
    expect(report).toMatchObject({ rows: items.length, bytes: file.bytes.length, sha256: file.sha256 });
  });

  it('is a file with its name, length, type and digest', async () => {
    const report = await builtExport(admin, audit, 'event=test.Filled');
    const { status, headers, bytes, text } = await obtain(audit, { export_id: report.export_id });
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(/^attachment; filename="audit-\d{8}T\d{6}Z\.csv"$/),
      'content-length': String(bytes.length),
      'repr-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(text.split('\r\n')).toHaveLength(5_000 + 2);
    // Oldest first.
    expect(text.split('\r\n')[1]).toContain('"Object, the ""5000""th"');
  });

  it('is reused for an equal request within a minute, and built again after that', async () => {
    const first = await builtExport(admin, audit, 'user=fresh');
    const again = await admin(`GET ${audit}/export?user=fresh`);
    expect([again.status, again.body]).toEqual([200, first]);
    const { db } = world.portal;
    await db
      .update(exportedFiles)
      .set({ ended_at: sql`ended_at - interval '61 seconds'` })
      .where(eq(exportedFiles.id, first.export_id));
    expect((await builtExport(admin, audit, 'user=fresh')).export_id).not.toBe(first.export_id);
  });

  it('requested without an id is the newest file of the caller', async () => {
    await builtExport(admin, audit, 'user=older');
    const newest = await builtExport(admin, audit, 'user=newest&format=cef');
    const file = await obtain(audit);
    expect(file.sha256).toBe(newest.sha256);
    expect(file.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });
});

describe('a download', () => {
  it('resumes at any byte, across the chunks of the file', async () => {
    const report = await builtExport(admin, audit, 'format=ndjson&event=test.Filled');
    const whole = await obtain(audit, { export_id: report.export_id });
    expect(whole.bytes.length).toBeGreaterThan(5 * 262_144);
    for (const offset of [0, 1, 262_143, 262_144, 262_145, 2_000_000, report.bytes - 1, report.bytes]) {
      const rest = await obtain(audit, { export_id: report.export_id, offset });
      expect(rest.status).toBe(200);
      expect(rest.bytes.equals(whole.bytes.subarray(offset))).toBe(true);
      expect(rest.headers.get('content-length')).toBe(String(report.bytes - offset));
      expect(rest.headers.get('repr-digest')).toBe(whole.headers.get('repr-digest'));
    }
    const beyond = await obtain(audit, { export_id: report.export_id, offset: report.bytes + 1 });
    expect(beyond.status).toBe(422);
  });

  it('fails instead of ending early when the file is deleted meanwhile', async () => {
    const report = await builtExport(admin, audit, 'format=json&event=test.Filled');
    const { portal, databaseUrl: _, db } = world.portal;
    const request = new Request(`https://portal.test${audit}/export`, {
      method: 'POST',
      headers: { 'x-auth-token': token, 'content-type': 'application/json' },
      body: JSON.stringify({ export_id: report.export_id }),
    });
    const client = { ip: '127.0.0.1', secure: true, loopback: false };
    const response = await portal.fetch(request, { client, background: () => undefined });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    await db.execute(sql`delete from exported_chunks where n > 0
      and file = (select file from exported_files where id = ${report.export_id})`);
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow();
  });
});

describe('an export', () => {
  it('is audited when it is requested, built and downloaded', async () => {
    const { export_id } = await builtExport(admin, audit, 'user=watched');
    await obtain(audit, { export_id });
    await obtain(audit, { export_id, offset: 5 });
    const events = await world.portal.db
      .select({ event: auditEvents.event, details: auditEvents.details, by: auditEvents.user_name })
      .from(auditEvents)
      .where(eq(auditEvents.object_id, export_id))
      .orderBy(auditEvents.at, auditEvents.id);
    const obtained = { event: 'portal.ExportObtained', by: 'admin' };
    expect(events).toMatchObject([
      {
        event: 'portal.ExportOrdered',
        by: 'admin',
        details: { format: 'csv', filters: { user: 'watched' } },
      },
      {
        event: 'portal.ExportBuilt',
        by: 'system',
        details: { format: 'csv', ordered_by: expect.any(String), rows: expect.any(Number) },
      },
      { ...obtained, details: { format: 'csv', offset: 0 } },
      { ...obtained, details: { format: 'csv', offset: 5 } },
    ]);
  });

  it('of another user is 404, even with the same permissions', async () => {
    const { export_id } = await builtExport(admin, audit, 'user=mine');
    const other = await addMember(world, ['audit.export', 'audit.read']);
    expect((await obtain(audit, { export_id }, other.token)).status).toBe(404);
    expect((await obtain(audit, {}, other.token)).status).toBe(404);
    expect((await other.ask(`GET ${audit}/export?export_id=${export_id}`)).status).toBe(404);
  });

  it('that failed is reported with the reason, and can be requested again', async () => {
    const { export_id } = await builtExport(admin, audit, 'user=fails');
    await world.portal.db
      .update(exportedFiles)
      .set({ state: 'running' })
      .where(eq(exportedFiles.id, export_id));
    await atomically(world.portal.db, (h) => failExport(h, export_id, 'not_written', new Date()));
    const answer = await admin(`GET ${audit}/export?export_id=${export_id}`);
    expect([answer.status, answer.body.state, answer.body.reason]).toEqual([200, 'failed', 'not_written']);
    const refused = await obtain(audit, { export_id });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([409, 'invalid_state']);
    expect((await builtExport(admin, audit, 'user=fails')).export_id).not.toBe(export_id);
  });

  it('expires: it cannot be downloaded any more, and the error has the reason', async () => {
    const { export_id, expires_at } = await builtExport(admin, audit, 'user=expires');
    const keptMs = Date.parse(expires_at) - Date.now();
    expect(keptMs).toBeGreaterThan(23.9 * 3_600_000);
    expect(keptMs).toBeLessThanOrEqual(24 * 3_600_000);
    world.portal.advance(24 * 3_600 + 60);
    const later = await world.portal.login();
    for (const body of [{ export_id }, {}]) {
      const refused = await obtain(audit, body, later);
      expect([refused.status, JSON.parse(refused.text).code]).toEqual([410, 'expired']);
    }
    const answer = await asker(world.portal, later)(`GET ${audit}/export?export_id=${export_id}`);
    expect([answer.status, answer.body.code]).toEqual([410, 'expired']);
  });
});
