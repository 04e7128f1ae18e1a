import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { loginLocks } from '../../schema/identity/login-locks.ts';

/** Stands where logins have a domain and a name, neither of which has a space alone. */
const account = 'agents ';
const maxTries = 5;
const blockS = 300;

/**
 * Counts a wrong token to its network; the fifth locks it for 300 s. What is locked is not counted further.
 * @returns until when the network had been locked before, undefined when it was open
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
