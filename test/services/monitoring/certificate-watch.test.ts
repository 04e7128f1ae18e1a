import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { certificateJob } from '../../../functions/health/jobs/certificates.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { addNode } from '../../support/installation.ts';

let database: FreshDatabase;
let connections: Connection[];
let db: Connection['db'];
let id: string;

beforeAll(async () => {
  database = await freshDatabase();
  connections = [1, 2].map(() => connectPg({ url: database.sidecarUrl, maxConnections: 1 }));
  const [first] = connections;
  if (!first) throw new Error('no connection');
  db = first.db;
});
beforeEach(async () => {
  await db.delete(monitoringRecords);
  await db.delete(dispatchers);
  ({ id } = await addNode(db, { name: 'node' }));
});
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await database.drop();
});

const dayMs = 86_400_000;

/** The certificate in the last probe expires in this many days. */
async function endsIn(days: number): Promise<string> {
  const not_after = new Date(Date.now() + days * dayMs).toISOString();
  const certificate = { subject: 'CN=node', issuer: 'CN=authority', not_after };
  await db.update(dispatchers).set({ certificate }).where(eq(dispatchers.id, id));
  return not_after;
}

/** Moves the time: the same certificate, with an earlier expiry. */
async function wait(notAfter: string, days: number): Promise<string> {
  const nearer = new Date(Date.parse(notAfter) - days * dayMs).toISOString();
  const [row] = await db.select().from(dispatchers).where(eq(dispatchers.id, id));
  if (!row?.certificate) throw new Error('no certificate');
  const certificate = { ...row.certificate, not_after: nearer };
  const certificate_notice = row.certificate_notice && { ...row.certificate_notice, not_after: nearer };
  await db.update(dispatchers).set({ certificate, certificate_notice }).where(eq(dispatchers.id, id));
  return nearer;
}

/** A concurrent run of as many sidecars as there are connections. */
const round = () =>
  Promise.all(
    connections.map((one) => certificateJob(one.db, () => new Date()).round(new AbortController().signal)),
  );

const reported = async () =>
  (await db.select().from(monitoringRecords).orderBy(monitoringRecords.created_at)).map(
    ({ level, details }) => [level, details.days],
  );

describe('the certificate of a dispatcher', () => {
  it('is reported at 30, 14 and 3 days, once each, with any number of sidecars and runs', async () => {
    let notAfter = await endsIn(31);
    await round();
    expect(await reported()).toEqual([]);
    notAfter = await wait(notAfter, 2);
    await round();
    await round();
    expect(await reported()).toEqual([['warning', 30]]);
    notAfter = await wait(notAfter, 16);
    await round();
    await round();
    expect((await reported()).toSorted()).toEqual([
      ['warning', 14],
      ['warning', 30],
    ]);
    await wait(notAfter, 11);
    await round();
    await round();
    expect((await reported()).toSorted()).toEqual([
      ['error', 3],
      ['warning', 14],
      ['warning', 30],
    ]);
  });

  it('that is first seen close to or after its expiry is reported once', async () => {
    await endsIn(2);
    await round();
    expect(await reported()).toEqual([['error', 3]]);
    const over = await endsIn(-1);
    await round();
    const records = await db.select().from(monitoringRecords);
    const messages = records.map(({ message }) => message);
    expect(messages).toContain(`The certificate of dispatcher node expired on ${over}`);
    expect(records[0]).toMatchObject({
      source: 'dispatcher',
      object_type: 'dispatcher',
      object_id: id,
      code: 'certificate_ends',
    });
  });

  it('that replaces another is reported again, even if the records were deleted', async () => {
    await endsIn(20);
    await round();
    await db.delete(monitoringRecords);
    await round();
    expect(await reported()).toEqual([]);
    await endsIn(365);
    await round();
    expect(await reported()).toEqual([]);
    await endsIn(10);
    await round();
    expect(await reported()).toEqual([['warning', 14]]);
  });

  it('of a disabled node is ignored', async () => {
    await endsIn(2);
    await db.update(dispatchers).set({ enabled: false }).where(eq(dispatchers.id, id));
    await round();
    expect(await reported()).toEqual([]);
  });
});
