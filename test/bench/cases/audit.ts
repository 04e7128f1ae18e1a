import { setTimeout as delay } from 'node:timers/promises';
import { isNull, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { migrateDatabase } from '../../../db/migrate.ts';
import { connectPg } from '../../../db/pg.ts';
import { sealAudit } from '../../../db/repositories/audit/chain.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { sealJob } from '../../../functions/health/jobs/audit/sealing.ts';
import { runEvery } from '../../../functions/health/jobs/process/loop.ts';
import type { SigningKeys } from '../../../shared/access/signing-keys.ts';
import { verifyChain } from '../../../shared/audit/verification.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { auditEntry } from '../../support/audit/audit.ts';
import { startPostgres } from '../../support/database/postgres.ts';
import { signingKeysOf } from '../../support/identity/signing-keys.ts';

export type AuditEffort = { roundS: number; rounds: number; events: number };
export type AuditFigures = {
  /**
   * Single inserts of eight writers: into a table with the same columns and indexes, and into the audit while it is
   * sealed.
   */
  append: { plain_per_s: number; audited_per_s: number; ratio: number };
  /** Events a second with a backlog, and the longest wait of one at 1,000 events a second. */
  sealing: { per_s: number; oldest_ms: number };
  verification: { events: number; per_s: number };
};

type Bench = { db: Db; sealerDb: Db; keys: SigningKeys };

const writers = 8;
/** The operation reads this many in one batch. */
const limit = 100_000;

/** The cost of the audit chain, on a separate database. */
export async function measureAudit({ roundS, rounds, events }: AuditEffort): Promise<AuditFigures> {
  const postgres = await startPostgres();
  try {
    await migrateDatabase(postgres.url);
    const connection = connectPg({ url: postgres.url, maxConnections: writers + 2 });
    const sealing = connectPg({ url: postgres.url, maxConnections: 2 });
    const bench = { db: connection.db, sealerDb: sealing.db, keys: await signingKeysOf() };
    try {
      const append = await measureAppend(bench, roundS, rounds);
      await seal(bench.db);
      const oldest_ms = await measureDelay(bench, roundS);
      return { append, ...(await measureBacklog(bench, events, oldest_ms)) };
    } finally {
      await Promise.all([connection.close(), sealing.close()]);
    }
  } finally {
    await postgres.stop();
  }
}

/** In turns, with the sealer running throughout as it does beside a portal. */
async function measureAppend(bench: Bench, roundS: number, rounds: number): Promise<AuditFigures['append']> {
  const { db } = bench;
  await db.execute(sql`create table plain_events (like audit_events including all)`);
  const insertPlain = (n: number) => insertInto(db, 'plain_events', n);
  const insertAudited = (n: number) => insertInto(db, 'audit_events', n);
  return whileSealing(bench, async () => {
    await ratePerS(insertPlain, roundS / 4);
    await ratePerS(insertAudited, roundS / 4);
    const plain: number[] = [];
    const audited: number[] = [];
    for (let round = 0; round < rounds; round++) {
      plain.push(await ratePerS(insertPlain, roundS));
      audited.push(await ratePerS(insertAudited, roundS));
    }
    const [plain_per_s, audited_per_s] = [meanOf(plain), meanOf(audited)];
    return { plain_per_s, audited_per_s, ratio: audited_per_s / plain_per_s };
  });
}

/** Both by the same statement, so that only the table differs. */
const insertInto = async (db: Db, table: 'plain_events' | 'audit_events', n: number): Promise<void> => {
  const { id, message } = auditEntry(n);
  await db.execute(sql`insert into ${sql.identifier(table)} (id, at, event, category, level, result, user_name,
    source_ip, method, path, object_type, object_id, message) values (${id}, now(), 'portal.EntityAction', 'config',
    'info', 'success', 'admin', '10.0.0.1', 'PATCH', '/api/webui/aggregator/sites/{id}', 'site', ${id}, ${message})`);
};

async function ratePerS(insert: (n: number) => Promise<void>, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  let done = 0;
  const write = async () => {
    while (performance.now() < until) await insert(done++);
  };
  await Promise.all(Array.from({ length: writers }, write));
  return (done * 1_000) / (performance.now() - startedAt);
}

/** @returns the age in milliseconds of the oldest waiting event at 1,000 events a second */
const measureDelay = (bench: Bench, seconds: number): Promise<number> =>
  whileSealing(bench, async () => {
    let oldestMs = 0;
    const until = performance.now() + seconds * 1_000;
    for (let next = performance.now(); next < until; next += 100) {
      await delay(Math.max(0, next - performance.now()));
      await bench.db
        .insert(auditEvents)
        .values(Array.from({ length: 100 }, (_, n) => auditEntry(n, { at: new Date() })));
      const [waiting] = await bench.db
        .select({
          age: sql<number>`coalesce(max(extract(epoch from clock_timestamp() - at)), 0)::float8 * 1000`,
        })
        .from(auditEvents)
        .where(isNull(auditEvents.seq));
      oldestMs = Math.max(oldestMs, waiting?.age ?? 0);
    }
    return oldestMs;
  });

async function measureBacklog(
  { db, keys }: Bench,
  events: number,
  oldest_ms: number,
): Promise<Pick<AuditFigures, 'sealing' | 'verification'>> {
  for (let from = 0; from < events; from += 1_000)
    await db.insert(auditEvents).values(Array.from({ length: 1_000 }, (_, n) => auditEntry(n)));
  const sealing = await timed(() => seal(db));
  await db.execute(sql`vacuum analyze audit_events`);
  const verification = await timed(() => verifyAll(db, keys));
  return {
    sealing: { per_s: sealing.per_s, oldest_ms },
    verification: { events: verification.count, per_s: verification.per_s },
  };
}

async function seal(db: Db): Promise<number> {
  let total = 0;
  for (let last = 500; last === 500; total += last) last = await sealAudit(db, 500);
  return total;
}

/** Verifies the whole chain as a caller of the operation does. */
async function verifyAll(db: Db, keys: SigningKeys): Promise<number> {
  for (let from = 1; ; ) {
    const { checked, sealedTo, broken } = await verifyChain(db, keys, {
      from,
      to: Number.MAX_SAFE_INTEGER,
      limit,
    });
    if (broken !== null) throw new Error(`the chain is broken at ${broken}`);
    from += checked;
    if (from > sealedTo) return sealedTo;
  }
}

async function timed(work: () => Promise<number>): Promise<{ count: number; per_s: number }> {
  const startedAt = performance.now();
  const count = await work();
  return { count, per_s: (count * 1_000) / (performance.now() - startedAt) };
}

async function whileSealing<T>({ sealerDb, keys }: Bench, work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const sealer = runEvery(
    sealJob(sealerDb, keys, () => new Date()),
    createLog(),
    stop.signal,
  );
  try {
    return await work();
  } finally {
    stop.abort();
    await sealer;
  }
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
