import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atomically, type Connection, type Db } from '../../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import { rowStatements } from '../../../db/repositories/records/statements.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { connectBy, type Driver } from '../../support/database/neon-proxy.ts';

const drivers: readonly Driver[] = ['pg', 'neon'];
const site = rowStatements(sites);

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

describe.each(drivers)('statements that are built once, by %s', (driver) => {
  let connection: Connection;
  let db: Db;
  beforeAll(async () => {
    connection = await connectBy(driver, { url: database.url });
    db = connection.db;
  });
  afterAll(() => connection.close());

  const siteBy = async (id: string) => (await db.select().from(sites).where(eq(sites.id, id)))[0];
  const eventBy = async (id: string) =>
    (await db.select().from(auditEvents).where(eq(auditEvents.id, id)))[0];
  const siteRow = () => {
    const id = newId();
    return { id, name: id, name_key: id, uri: id };
  };

  it.each([
    ['absent values', {}],
    ['values that are not defined', { comments: undefined, location: undefined }],
    ['null', { location: null, maintenance_template_id: null }],
    ['times', { created_at: new Date('2026-01-02T03:04:05.678Z') }],
    ['expressions', { comments: sql`upper('warm')`, created_at: new Date(0) }],
  ])('insert the same row as Drizzle: %s', async (_, values) => {
    const [own, drizzles] = [siteRow(), siteRow()];
    const given = { created_at: new Date(1e12), updated_at: new Date(1e12), ...values };
    await atomically(db, (h) => [
      site.insert(h, { ...own, ...given }),
      h.insert(sites).values({ ...drizzles, ...given } as never),
    ]);
    expect({ ...(await siteBy(own.id)), ...drizzles }).toEqual(await siteBy(drizzles.id));
  });

  it('insert null into columns that are encoded', async () => {
    const id = newId();
    const text = { level: 'info', message: id, message_key: id, at: new Date(0) };
    const record = rowStatements(monitoringRecords);
    await atomically(db, (h) => [record.insert(h, { ...text, id, acknowledged_at: null })]);
    const [row] = await db.select().from(monitoringRecords).where(eq(monitoringRecords.id, id));
    expect(row).toMatchObject({ ...text, acknowledged_at: null, details: {} });
  });

  it('update the given columns and the time', async () => {
    const row = siteRow();
    await atomically(db, (h) => [site.insert(h, { ...row, comments: 'cold', updated_at: new Date(0) })]);
    const before = await siteBy(row.id);
    const changes = { id: row.id, revision: 2, comments: 'warm', priority: undefined };
    await atomically(db, (h) => [site.lock(h, { id: row.id, revision: 1 }), site.update(h, changes)]);
    const after = await siteBy(row.id);
    expect(after).toEqual({ ...before, revision: 2, comments: 'warm', updated_at: after?.updated_at });
    expect(after?.updated_at.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('insert the same audit event as Drizzle', async () => {
    const event = { event: 'test.Written', category: 'config', level: 'info', result: 'success' } as const;
    const at = new Date('2026-01-02T03:04:05.678Z');
    const changes = [{ field: 'a', before: null, after: ['"', 1, { b: true }] }];
    const entries: Omit<AuditEntry, 'id'>[] = [
      { ...event, at },
      { ...event, at, changes, details: { c: [] }, count: 3, user_id: newId(), message: 'é', portal: null },
    ];
    for (const entry of entries) {
      const [own, drizzles] = [newId(), newId()];
      await atomically(db, (h) => [
        appendAudit(h, { ...entry, id: own }),
        h.insert(auditEvents).values({ ...entry, id: drizzles }),
      ]);
      expect({ ...(await eventBy(own)), id: drizzles }).toEqual(await eventBy(drizzles));
    }
  });
});

it('a statement that is built once belongs to the handle of its batch', async () => {
  const { db, close } = await connectBy('pg', { url: database.url });
  try {
    const row = { id: newId(), name: 'n', name_key: 'n', uri: 'n' };
    await expect(atomically(db, () => [site.insert(db, row)])).rejects.toThrow('not built on the handle');
  } finally {
    await close();
  }
});
