import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atomically, type Connection, dryRun } from '../../../db/client.ts';
import { forgetNotice, workChannel } from '../../../db/postgres/work-notice.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { countRefusal } from '../../../db/repositories/audit/refusals.ts';
import { enqueueJob } from '../../../db/repositories/jobs/outbox.ts';
import { must } from '../../../db/repositories/records/statements.ts';
import { EmptyPayload } from '../../../shared/kernel/job-kinds.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { auditEntry } from '../../support/audit/audit.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { connectBy } from '../../support/database/neon-proxy.ts';
import { requireService } from '../../support/services.ts';

const kind = { name: 'clean-up', payload: EmptyPayload, tries: 3, timeLimitS: 900, atOnce: 1 };

let database: FreshDatabase;
let listener: pg.Client;
let notices: string[] = [];

/** The notifications since the last call. The mark arrives after all of them. */
async function heard(): Promise<number> {
  const mark = `mark ${Math.random()}`;
  await listener.query('select pg_notify($1, $2)', [workChannel, mark]);
  await expect.poll(() => notices).toContain(mark);
  return notices.splice(0).filter((payload) => payload === '').length;
}

requireService('postgresql', findBinaries() !== undefined)('a notification of work', () => {
  beforeAll(async () => {
    database = await freshDatabase();
    listener = new pg.Client({ connectionString: database.superuserUrl });
    listener.on('notification', ({ payload = '' }) => notices.push(payload));
    await listener.connect();
    await listener.query(`listen ${workChannel}`);
  });
  beforeEach(() => {
    notices = [];
    forgetNotice();
  });
  afterAll(async () => {
    await listener.end();
    await database.drop();
  });

  describe.each(['pg', 'neon'] as const)('with the driver %s', (driver) => {
    let connection: Connection;
    beforeAll(async () => {
      connection = await connectBy(driver, { url: database.url });
    });
    afterAll(() => connection.close());

    it.each([
      ['an audit event', () => atomically(connection.db, (h) => [appendAudit(h, auditEntry(1))])],
      ['a job', () => atomically(connection.db, (h) => [enqueueJob(h, kind, {})])],
      ['a refusal', () => countRefusal(connection.db, `${driver} ${Math.random()}`, auditEntry(1))],
    ])('is sent with %s, by the role of the portal', async (_, write) => {
      await write();
      expect(await heard()).toBe(1);
    });

    it('is sent once for many writes of a process', async () => {
      for (let n = 0; n < 10; n++)
        await atomically(connection.db, (h) => [appendAudit(h, auditEntry(n)), enqueueJob(h, kind, {})]);
      expect(await heard()).toBe(1);
    });

    it('is sent by the next write after a rollback', async () => {
      const refused = atomically(connection.db, (h) => [
        appendAudit(h, auditEntry(1)),
        must(h, sql`false`, 'invalid_state'),
      ]);
      await expect(refused).rejects.toThrow();
      await dryRun(connection.db, async (h) => void (await appendAudit(h, auditEntry(2))));
      expect(await heard()).toBe(0);
      await atomically(connection.db, (h) => [appendAudit(h, auditEntry(3))]);
      expect(await heard()).toBe(1);
    });

    it('is not replaced by a refusal that is only counted', async () => {
      const subject = `${driver} counted`;
      const at = new Date();
      await countRefusal(connection.db, subject, { ...auditEntry(1), at });
      expect(await heard()).toBe(1);
      forgetNotice();
      await countRefusal(connection.db, subject, { ...auditEntry(2), at });
      expect(await heard()).toBe(0);
      await atomically(connection.db, (h) => [appendAudit(h, auditEntry(3))]);
      expect(await heard()).toBe(1);
    });
  });
});
