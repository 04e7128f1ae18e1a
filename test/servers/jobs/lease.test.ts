import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectPg, type PgConnection } from '../../../db/pg.ts';
import { leases } from '../../../db/schema/jobs/leases.ts';
import { createLease, onLeader } from '../../../functions/health/jobs/process/lease.ts';
import { createLog } from '../../../shared/runtime/log.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { expireLease } from '../../support/processes/leader.ts';
import { programVariables } from '../../support/program-variables.ts';

const path = fileURLToPath(new URL('../../support/processes/lease-process.ts', import.meta.url));
const log = createLog({ level: 'error' });
const never = new AbortController().signal;

let database: FreshDatabase;
let connection: PgConnection;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  connection = connectPg({ url: database.sidecarUrl, maxConnections: 2 });
});
beforeEach(() => connection.db.delete(leases));
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

type Look = { holder: string; at: number; fence: number };
/** A process, and its checks at which it held the lease. */
type Competitor = { child: ChildProcess; holder: string; looks: Look[] };

function compete(holder: string): Competitor {
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...programVariables, DATABASE_URL: database.sidecarUrl, AS: holder },
  });
  children.push(child);
  const looks: Look[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const [at = 0, fence = 0] of lines.map((line) => line.split(' ').map(Number)))
      looks.push({ holder, at, fence });
  });
  return { child, holder, looks };
}

/** All checks in the order of the machine's clock. */
const history = (all: readonly Competitor[]): Look[] =>
  all.flatMap(({ looks }) => looks).toSorted((a, b) => a.at - b.at);

/** Waits until another process holds the lease. */
async function takeover(all: readonly Competitor[], before?: Competitor): Promise<Competitor> {
  const holder = () => history(all).at(-1)?.holder;
  await expect
    .poll(holder, { timeout: 20_000 })
    .toSatisfy((now) => now !== undefined && now !== before?.holder);
  const found = all.find((one) => one.holder === holder());
  if (!found) throw new Error('the holder is gone');
  return found;
}

describe('the lease of the sidecars', () => {
  it('is held by one process at a time in every sequence of events', async () => {
    const all = ['a', 'b', 'c'].map(compete);
    const fates = ['SIGSTOP', 'SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGSTOP', 'SIGTERM', 'SIGKILL'] as const;
    let leader = await takeover(all);
    for (const [turn, fate] of fates.entries()) {
      leader.child.kill(fate);
      const next = await takeover(all, leader);
      if (fate === 'SIGSTOP') leader.child.kill('SIGCONT');
      else all.push(compete(`new-${turn}`));
      leader = next;
    }
    // Time for a check by the process that has resumed last.
    const { length } = leader.looks;
    await expect.poll(() => leader.looks.length, { timeout: 20_000 }).toBeGreaterThan(length + 50);
    const looks = history(all);
    // A fence belongs to one holder, and no check after a greater one has it.
    expect(looks.map(({ fence }) => fence)).toEqual(
      looks.map(({ fence }) => fence).toSorted((a, b) => a - b),
    );
    const holders = Map.groupBy(looks, ({ fence }) => fence);
    expect(holders.size).toBe(fates.length + 1);
    for (const terms of holders.values()) expect(new Set(terms.map(({ holder }) => holder)).size).toBe(1);
  }, 120_000);

  it('passes to another process as soon as its holder ends', async () => {
    const all = ['a', 'b'].map(compete);
    const first = await takeover(all);
    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
    const { rows } = await connection.query({
      text: 'select expires_at <= now() or holder <> $1 as is_free from leases',
      values: [first.holder],
    });
    expect(rows).toEqual([{ is_free: true }]);
    await takeover(all, first);
  }, 60_000);

  it('expires for its holder, by the local clock, before it expires in the database', async () => {
    const clock = { ms: 0 };
    const lease = createLease({ db: connection.db, holder: 'a', log, stopping: never, now: () => clock.ms });
    await lease.job.round(never);
    const term = lease.term();
    const rounds: boolean[] = [];
    const job = onLeader(lease, {
      name: 'x',
      intervalMs: () => 60_000,
      round: async (signal) => void rounds.push(signal.aborted),
    });
    await job.round(never);
    expect([rounds, job.intervalMs()]).toEqual([[false], 60_000]);
    // Frozen for the time of the lease: no run starts, and a current one is aborted.
    clock.ms += 20_000;
    await job.round(never);
    expect([rounds, lease.isHeld(), term?.signal.aborted]).toEqual([[false], false, true]);
    await lease.job.round(never);
    // The first run of a new term is due at once.
    expect(job.intervalMs()).toBe(0);
    await job.round(never);
    expect([rounds, lease.term() === term]).toEqual([[false, false], false]);
  });

  it('is renewed when half of its time is over, and not before', async () => {
    const clock = { ms: 0 };
    const lease = createLease({ db: connection.db, holder: 'a', log, stopping: never, now: () => clock.ms });
    const renewedAt = async () => (await connection.db.select().from(leases))[0]?.renewed_at.getTime() ?? 0;
    await lease.job.round(never);
    const [first, term] = [await renewedAt(), lease.term()];
    clock.ms += 9_999;
    await lease.job.round(never);
    expect(await renewedAt()).toBe(first);
    clock.ms += 1;
    await lease.job.round(never);
    expect(await renewedAt()).toBeGreaterThan(first);
    clock.ms += 19_999;
    expect(lease.term()).toBe(term);
    expect((await connection.db.select().from(leases))[0]?.fence).toBe(1);
  });

  it('is lost after a late renewal, and its fence grows with each new holder', async () => {
    const clock = { ms: 0 };
    const now = () => clock.ms;
    const [a, b] = ['a', 'b'].map((holder) => ({
      holder,
      lease: createLease({ db: connection.db, holder, log, stopping: never, now }),
    }));
    await a?.lease.job.round(never);
    await b?.lease.job.round(never);
    expect([a?.lease.isHeld(), b?.lease.isHeld()]).toEqual([true, false]);
    clock.ms += 10_000;
    const late = a?.lease.job.round(never);
    clock.ms += 20_000;
    await late;
    expect(a?.lease.isHeld()).toBe(false);
    await expireLease(connection.db);
    await b?.lease.job.round(never);
    await a?.lease.job.round(never);
    expect([a?.lease.isHeld(), b?.lease.isHeld()]).toEqual([false, true]);
    expect((await connection.db.select().from(leases))[0]).toMatchObject({ holder: 'b', fence: 2 });
  });

  it('does not wait for a time hours ahead when the clock of the database was set back', async () => {
    const clock = { ms: 0 };
    const lease = createLease({ db: connection.db, holder: 'b', log, stopping: never, now: () => clock.ms });
    const at = (hours: number) => sql`now() + ${hours}::int * interval '1 hour'`;
    const dead = { name: 'sidecar', holder: 'a', fence: 7, renewed_at: at(3), expires_at: at(3) };
    await connection.db.insert(leases).values(dead);
    await lease.job.round(never);
    clock.ms += 25_000;
    await lease.job.round(never);
    expect(lease.isHeld()).toBe(false);
    // A lease that is renewed is active.
    await connection.db.update(leases).set({ renewed_at: at(2) });
    clock.ms += 1;
    await lease.job.round(never);
    expect(lease.isHeld()).toBe(false);
    clock.ms += 25_001;
    await lease.job.round(never);
    expect(lease.isHeld()).toBe(true);
    expect((await connection.db.select().from(leases))[0]).toMatchObject({ holder: 'b', fence: 8 });
  });
});
