import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { pgFault } from '../errors.ts';
import { SchemaRefusal } from './refusal.ts';

/** Key of the advisory lock of migrations, so that only one process migrates at a time. */
const key = 7_040_001;

/**
 * Waits until no other process migrates, and prevents others until the session ends. A waiting statement would hold a
 * snapshot, and an index that the other process builds concurrently waits for all snapshots.
 */
export async function becomeOnlyMigration(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      key,
    ]);
    if (rows[0]?.locked) return;
    await pause(200);
  }
}

/**
 * Shorter than `deadlock_timeout` (1 s): in a cycle of waits this session gives up before PostgreSQL cancels a statement of the
 * portal. Also the longest time for which a waiting statement blocks later ones on the same table.
 */
const lockTimeoutMs = 300;
const patienceMs = 120_000;

/**
 * Runs `work` in a transaction, again after random pauses while other sessions hold locks. Statements that it has blocked
 * run during the pause.
 * @throws SchemaRefusal if it did not get its locks within two minutes
 */
export const inTransaction = (client: pg.Client, work: () => Promise<void>): Promise<void> =>
  whileLocked(client, async () => {
    await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`);
    await work();
    await client.query('commit');
  });

/** Runs `work`, which has transactions of its own, again while other sessions hold locks. @throws SchemaRefusal as above */
export async function withLockTimeout(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query(`set lock_timeout = ${lockTimeoutMs}`);
  await whileLocked(client, work);
  await client.query('set lock_timeout = 0');
}

async function whileLocked(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      await client.query('rollback').catch(() => undefined);
      if (!['55P03', '40P01'].includes(pgFault(cause)?.code ?? '')) throw cause;
      if (performance.now() - began > patienceMs) throw new SchemaRefusal(refusal, { cause });
    }
    await pause(randomInt(lockTimeoutMs, 3 * lockTimeoutMs));
  }
}

const refusal = `the schema could not be changed, because other sessions held locks on its tables for ${patienceMs / 1_000} seconds; end these sessions and start the migration again`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
