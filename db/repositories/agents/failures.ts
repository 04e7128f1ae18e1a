import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { loginLocks } from '../../schema/identity/login-locks.ts';

/**
 * Account key of agents in `login_locks`. Login keys contain a domain and a name and never consist of one word and a
 * space.
 */
const account = 'agents ';
const maxTries = 5;
const blockS = 300;

/**
 * Counts a wrong token for its network. The fifth failure locks the network for 300 s. Failures during a lock are not
 * counted.
 * @returns the end of the lock if the network was locked already, otherwise undefined
 */
export async function countAgentFailure(db: Db, network: string, now: Date): Promise<Date | undefined> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const { failures, locked_until, last_failure_at } = loginLocks;
  const isLocked = sql`coalesce(${locked_until} > ${at}, false)`;
  const isOver = sql`(${locked_until} is not null or ${last_failure_at} < ${at} - ${blockS}::int * interval '1 second')`;
  const counted = sql`(case when ${isOver} then 1 else ${failures} + 1 end)`;
  const until = sql`${at} + ${blockS}::int * interval '1 second'`;
  const unlessLocked = (column: SQL, value: SQL): SQL =>
    sql`case when ${isLocked} then ${column} else ${value} end`;
  const [row] = await db
    .insert(loginLocks)
    .values({ account, network, failures: 1, last_failure_at: now })
    .onConflictDoUpdate({
      target: [loginLocks.account, loginLocks.network],
      set: {
        failures: unlessLocked(sql`${failures}`, counted),
        locked_until: unlessLocked(
          sql`${locked_until}`,
          sql`case when ${counted} >= ${maxTries}::int then ${until} end`,
        ),
        last_failure_at: unlessLocked(sql`${last_failure_at}`, at),
      },
    })
    .returning({ until: locked_until, at: last_failure_at });
  const isOwn = row?.at?.getTime() === now.getTime();
  return isOwn ? undefined : (row?.until ?? undefined);
}
