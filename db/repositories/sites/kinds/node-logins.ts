import { and, eq, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { nodeLogins as table } from '../../../schema/sites/node-logins.ts';

/** An account at a broker. `credentials` is a digest. */
export type LoginTry = { origin: string; credentials: string };

/**
 * `running`: another login with the credentials runs; `refused`: the broker refused the credentials recently; `paused`:
 * the broker refused several credentials recently.
 */
export type LoginClaim = 'claimed' | 'running' | 'refused' | 'paused';

/** Seconds. A login without an end, as after a crash, is held for `running`. */
const holds = { running: 15, refused: 900, unanswered: 60 };
/** Brokers block an address after a few refusals within minutes. */
const mostRefused = 3;
const refusedWithinS = 600;

const isSame = ({ origin, credentials }: LoginTry) =>
  and(eq(table.origin, origin), eq(table.credentials, credentials));
const until = (seconds: number) => sql`clock_timestamp() + make_interval(secs => ${seconds})`;

/** Takes the right to log in, in one statement. */
export async function claimLogin(db: Db, { origin, credentials }: LoginTry): Promise<LoginClaim> {
  const refusals = sql`(select count(*) from ${table} where ${table.origin} = ${origin} and ${table.state} = 'refused'
    and ${table.changed_at} > clock_timestamp() - make_interval(secs => ${refusedWithinS}))`;
  const { rows } = (await db.execute(sql`
    with claimed as (
      insert into ${table} (origin, credentials, state, changed_at, held_until)
      select ${origin}::text, ${credentials}::text, 'running', clock_timestamp(), ${until(holds.running)}
      where ${refusals} < ${mostRefused}
      on conflict (origin, credentials) do update
        set state = 'running', changed_at = excluded.changed_at, held_until = excluded.held_until
        where ${table.held_until} <= clock_timestamp()
      returning 1)
    select case when exists (select from claimed) then 'claimed' else coalesce(
      (select ${table.state} from ${table} where ${isSame({ origin, credentials })}
        and ${table.held_until} > clock_timestamp()),
      case when ${refusals} >= ${mostRefused} then 'paused' else 'running' end) end as claim`)) as unknown as {
    rows: { claim: LoginClaim }[];
  };
  return rows[0]?.claim ?? 'running';
}

/** The broker accepted the credentials. */
export const endLogin = (db: Db, login: LoginTry): Statement => db.delete(table).where(isSame(login));

/** The broker refused the credentials, or did not answer: it may have counted the login as a refusal. */
export const holdLogin = (db: Db, login: LoginTry, outcome: 'refused' | 'unanswered'): Statement =>
  db
    .update(table)
    .set({
      state: outcome === 'refused' ? 'refused' : 'running',
      changed_at: sql`clock_timestamp()`,
      held_until: until(holds[outcome]),
    })
    .where(isSame(login));
