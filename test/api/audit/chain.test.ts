import { createHash } from 'node:crypto';
import { asc, eq, isNull, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atomically, type Connection, type Db } from '../../../db/client.ts';
import { sealAudit } from '../../../db/repositories/audit/chain.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { must } from '../../../db/repositories/records/statements.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { sealJob } from '../../../functions/health/jobs/audit/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { sealAll, verdictOf } from '../../support/audit/audit.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { connectBy, type Driver } from '../../support/database/neon-proxy.ts';
import { signingKeysOf } from '../../support/identity/signing-keys.ts';

const entry = (n: number) => ({
  id: newId(),
  at: new Date(Date.UTC(2026, 0, 1) + n * 1000),
  event: 'portal.EntityAction',
  category: 'config' as const,
  level: 'info' as const,
  result: 'success' as const,
  user_name: `Zoë "${n}"\\ 日本`,
  changes: [{ field: 'comments', before: null, after: { b: 1.5, a: ['ü', null] } }],
  details: { z: 1, aa: { y: true } },
});

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const chain = (db: Db) => db.select().from(auditEvents).orderBy(asc(auditEvents.seq));
const whole = { from: 1, to: Number.MAX_SAFE_INTEGER, limit: 100_000 };

/** Statements that the owner of the tables can run. */
async function tamper(db: Db, change: (h: Db) => Promise<unknown>): Promise<void> {
  await db.execute(sql`alter table audit_events disable trigger user`);
  await change(db);
  await db.execute(sql`alter table audit_events enable trigger user`);
}

describe.each<Driver>(['pg', 'neon'])('the chain of audit hashes, by the driver %s', (driver) => {
  let database: FreshDatabase;
  let first: Connection;
  let second: Connection;
  let owner: Connection;

  beforeEach(async () => {
    database = await freshDatabase();
    first = await connectBy(driver, { url: database.sidecarUrl });
    second = await connectBy(driver, { url: database.sidecarUrl });
    owner = await connectBy(driver, { url: database.ownerUrl });
  });
  afterEach(async () => {
    await Promise.all([first.close(), second.close(), owner.close()]);
    await database.drop();
  });

  const write = async (count: number, from = 0): Promise<void> => {
    for (let n = 0; n < count; n++) await atomically(first.db, (h) => [appendAudit(h, entry(from + n))]);
  };

  it('can be verified with SHA-256 and the stored texts only', async () => {
    await write(5);
    expect(await sealAll(first.db, 2)).toBe(5);
    let previous = '0'.repeat(64);
    for (const [at, event] of (await chain(first.db)).entries()) {
      expect([event.seq, event.prev_hash]).toEqual([at + 1, previous]);
      expect(event.hash).toBe(sha256(previous + event.sealed_text));
      expect(JSON.parse(event.sealed_text ?? '')).toMatchObject({
        id: event.id,
        seq: at + 1,
        at: event.at.toISOString(),
        user: event.user_name,
        changes: event.changes,
        details: event.details,
        domain: null,
      });
      previous = event.hash ?? '';
    }
  });

  it('has no gap and no fork while writers commit and roll back and two sealers run', async () => {
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; n < 25; n++) {
        const work = atomically(writer % 2 ? first.db : second.db, (h) => [
          appendAudit(h, entry(n)),
          must(h, sql`${n % 5 !== 0}`, 'invalid_state'),
        ]);
        await work.catch(() => undefined);
      }
    });
    const written = Promise.all(writers);
    let isWriting = true;
    void written.finally(() => {
      isWriting = false;
    });
    const sealers = [first.db, second.db].map(async (db) => {
      while (isWriting) await sealAudit(db, 7);
    });
    await Promise.all([written, ...sealers]);
    await Promise.all([sealAll(first.db, 3), sealAll(second.db, 3)]);
    const rows = await chain(first.db);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(120);
    expect(await verdictOf(first.db, whole)).toEqual({ checked: 120, sealedTo: 120, broken: null });
  });

  it('orders waiting events by their time, whatever order they were written in', async () => {
    for (const n of [3, 1, 2]) await write(1, n);
    await sealAll(first.db);
    const rows = await chain(first.db);
    expect(rows.map(({ at }) => at.getUTCSeconds())).toEqual([1, 2, 3]);
  });

  it('is sealed up to the last event by a run of the job, and stays unsealed when the job is stopped', async () => {
    await first.db.insert(auditEvents).values(Array.from({ length: 520 }, (_, n) => entry(n)));
    const keys = await signingKeysOf();
    const { round } = sealJob(first.db, keys, () => new Date());
    await round(AbortSignal.abort());
    expect(await first.db.$count(auditEvents, isNull(auditEvents.seq))).toBe(520);
    await round(new AbortController().signal);
    expect(await verdictOf(first.db, whole)).toEqual({ checked: 520, sealedTo: 520, broken: null });
  });

  it('is empty and valid before the first event', async () => {
    expect(await verdictOf(first.db, whole)).toEqual({ checked: 0, sealedTo: 0, broken: null });
    await write(1);
    expect(await sealAudit(first.db, 0)).toBe(0);
    expect(await verdictOf(first.db, whole)).toEqual({ checked: 0, sealedTo: 0, broken: null });
  });

  it('is verified in sections, whatever the time zone of the database session', async () => {
    await write(10);
    await sealAll(first.db);
    await owner.db.execute(
      sql.raw(`alter database ${new URL(database.url).pathname.slice(1)} set timezone to 'Asia/Tokyo'`),
    );
    const third = await connectBy(driver, { url: database.sidecarUrl });
    const verdict = (from: number, to: number, limit = 100) => verdictOf(third.db, { from, to, limit });
    expect(await verdict(1, 10, 4)).toEqual({ checked: 4, sealedTo: 10, broken: null });
    expect(await verdict(5, 10, 4)).toEqual({ checked: 4, sealedTo: 10, broken: null });
    expect(await verdict(9, 99, 4)).toEqual({ checked: 2, sealedTo: 10, broken: null });
    expect(await verdict(11, 99, 4)).toEqual({ checked: 0, sealedTo: 10, broken: null });
    await third.close();
  });

  it('shows which event was changed, for every changed column', async () => {
    await write(4);
    await sealAll(first.db);
    const [, , third] = await chain(first.db);
    if (!third) throw new Error('no third event');
    for (const [name, value] of Object.entries(third)) {
      if (name === 'seq') continue;
      const other = otherThan(name, value);
      await tamper(owner.db, (h) =>
        h
          .update(auditEvents)
          .set({ [name]: other })
          .where(eq(auditEvents.seq, 3)),
      );
      expect([name, (await verdictOf(first.db, whole)).broken]).toEqual([name, 3]);
      await tamper(owner.db, (h) => h.update(auditEvents).set(third).where(eq(auditEvents.seq, 3)));
    }
    expect((await verdictOf(first.db, whole)).broken).toBeNull();
  });

  it('shows an event that was changed and sealed again at the following event or at the end', async () => {
    await write(3);
    await sealAll(first.db);
    const forge = (seq: number) =>
      tamper(owner.db, async (h) => {
        await h.execute(sql`update audit_events set message = 'forged' where seq = ${seq}`);
        await h.execute(sql`update audit_events e set sealed_text = audit_text(e) where seq = ${seq}`);
        await h.execute(
          sql`update audit_events set hash = audit_hash(prev_hash, sealed_text) where seq = ${seq}`,
        );
      });
    await forge(3);
    expect((await verdictOf(first.db, whole)).broken).toBe(3);
    await forge(1);
    expect((await verdictOf(first.db, whole)).broken).toBe(2);
  });

  it('shows missing events: the first, one in the middle, the last ones', async () => {
    await write(6);
    await sealAll(first.db);
    const remove = (condition: ReturnType<typeof sql>) =>
      tamper(owner.db, (h) => h.delete(auditEvents).where(condition));
    const broken = async (from = 1, to = 99) => (await verdictOf(first.db, { from, to, limit: 100 })).broken;
    await remove(sql`seq = 6`);
    expect([await broken(), await broken(1, 5), await broken(6)]).toEqual([6, null, 6]);
    await write(1, 50);
    await sealAll(first.db);
    expect(await broken()).toBe(6);
    await remove(sql`seq = 3`);
    expect([await broken(), await broken(4, 5), await broken(5, 5), await broken(1, 2)]).toEqual([
      3,
      4,
      null,
      null,
    ]);
    await remove(sql`seq < 3`);
    expect(await broken()).toBe(1);
    await remove(sql`true`);
    expect([await broken(), await broken(3)]).toEqual([1, 3]);
  });

  it('shows events that were swapped and an event that was appended after the last', async () => {
    await write(4);
    await sealAll(first.db);
    await tamper(owner.db, async (h) => {
      await h.execute(sql`update audit_events set seq = -1 where seq = 2`);
      await h.execute(sql`update audit_events set seq = 2 where seq = 3`);
      await h.execute(sql`update audit_events set seq = 3 where seq = -1`);
    });
    expect((await verdictOf(first.db, whole)).broken).toBe(2);
    expect((await verdictOf(first.db, { ...whole, from: 5 })).broken).toBeNull();
    await tamper(owner.db, (h) => h.insert(auditEvents).values({ ...entry(9), seq: 7 }));
    expect((await verdictOf(first.db, { ...whole, from: 5 })).broken).toBe(5);
  });
});

function otherThan(name: string, value: unknown): unknown {
  if (name === 'id' || name === 'user_id') return newId();
  if (value instanceof Date) return new Date(value.getTime() + 1);
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return [];
  if (typeof value === 'object' && value !== null) return { ...value, more: 1 };
  return `${value ?? ''} `;
}
