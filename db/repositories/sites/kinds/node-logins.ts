import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { dispatchers } from '../../../schema/sites/dispatchers.ts';
import { nodeLogins as table } from '../../../schema/sites/node-logins.ts';
import { insertMonitoring, type MonitoringEntry, monitoringRow } from '../../monitoring/records.ts';
import { derived } from '../../records/statements.ts';

/** An account at a broker. `credentials` is a digest; `nodeId` is null in a test. */
export type LoginTry = { origin: string; credentials: string; nodeId: string | null };

/**
 * `running`: another login with the credentials runs; `refused`: the broker refused the credentials recently; `pausing`:
 * the broker refused several other credentials recently; `paused`: the same, and it is stored.
 */
export type LoginClaim = 'claimed' | 'running' | 'refused' | 'pausing' | 'paused';

/** Seconds. A login without an end, as after a crash, is held for `running`. */
const holds = { running: 15, refused: 900, unanswered: 10 };
/**
 * Brokers block an address after more than five refusals within five minutes. Tests and nodes have limits of their own,
 * so that tests with a wrong password do not stop the nodes.
 */
const mostRefused = { refused: 2, tested: 3 };
const refusedWithinS = 600;

const isSame = ({ origin, credentials }: LoginTry) =>
  and(eq(table.origin, origin), eq(table.credentials, credentials));
const until = (seconds: number) => sql`clock_timestamp() + make_interval(secs => ${seconds})`;
const refusalOf = ({ nodeId }: LoginTry) => (nodeId === null ? 'tested' : 'refused');

/** Null for a node that is not stored any more. */
const stored = (nodeId: string | null) =>
  sql`(select ${dispatchers.id} from ${dispatchers} where ${dispatchers.id} = ${nodeId}::uuid)`;

/** Takes the right to log in, in one statement. An account that the broker accepted last is not paused. */
export async function claimLogin(db: Db, login: LoginTry): Promise<LoginClaim> {
  const { origin, credentials, nodeId } = login;
  const kind = refusalOf(login);
  const refusals = sql`(select count(*) from ${table} where ${table.origin} = ${origin} and ${table.state} = ${kind}
    and ${table.changed_at} > clock_timestamp() - make_interval(secs => ${refusedWithinS}))`;
  const isAccepted = sql`exists (select from ${table} where ${isSame(login)} and ${table.accepted_at} is not null)`;
  const { rows } = (await db.execute(sql`
    with claimed as (
      insert into ${table} (origin, credentials, dispatcher_id, state, changed_at, held_until)
      select ${origin}::text, ${credentials}::text, ${stored(nodeId)}, 'running', clock_timestamp(), ${until(holds.running)}
      where ${isAccepted} or ${refusals} < ${mostRefused[kind]}
      on conflict (origin, credentials) do update
        set state = 'running', changed_at = excluded.changed_at, held_until = excluded.held_until
        where ${table.held_until} <= clock_timestamp() or ${table.state} = 'paused'
      returning 1)
    select case when exists (select from claimed) then 'claimed' else coalesce(
      (select case ${table.state} when 'running' then 'running' when 'paused' then 'paused' else 'refused' end
        from ${table} where ${isSame(login)} and ${table.held_until} > clock_timestamp()),
      case when ${refusals} >= ${mostRefused[kind]} then 'pausing' else 'running' end) end as claim`)) as unknown as {
    rows: { claim: LoginClaim }[];
  };
  return rows[0]?.claim ?? 'running';
}

/** The login has ended without a refusal. `isAccepted` is false if it was not sent. */
export const endLogin = (db: Db, login: LoginTry, isAccepted: boolean): Statement =>
  db
    .update(table)
    .set({
      ...{ state: 'free', changed_at: sql`clock_timestamp()`, held_until: sql`clock_timestamp()` },
      ...(isAccepted && { accepted_at: sql`clock_timestamp()`, refused_at: null }),
    })
    .where(isSame(login));

/** The broker did not answer: it may have counted the login as a refusal. */
export const holdUnanswered = (db: Db, login: LoginTry): Statement =>
  db
    .update(table)
    .set({ state: 'running', changed_at: sql`clock_timestamp()`, held_until: until(holds.unanswered) })
    .where(isSame(login));

/**
 * Stores that an account was refused, or is not tried because others were.
 * @param record written for the first refusal of the account of a node since the broker accepted it
 */
export async function refuseLogin(
  db: Db,
  login: LoginTry,
  outcome: 'refused' | 'paused',
  record: MonitoringEntry | undefined,
): Promise<void> {
  const { origin, credentials, nodeId } = login;
  const isPaused = outcome === 'paused';
  const state = isPaused ? 'paused' : refusalOf(login);
  const end = isPaused ? pauseEnd(login) : until(holds.refused);
  const news = record
    ? sql`, news as (select ${JSON.stringify(monitoringRow(record))}::jsonb as record from held
        where not exists (select from before where refused_at is not null)) ${insertMonitoring(sql`news`)}`
    : sql` select from held`;
  await db.execute(sql`
    with before as (
      select refused_at from ${table} where ${isSame(login)}
    ), held as (
      insert into ${table} (origin, credentials, dispatcher_id, state, changed_at, refused_at, held_until)
      values (${origin}, ${credentials}, ${stored(nodeId)}, ${state}, clock_timestamp(),
        case when ${nodeId}::uuid is not null then clock_timestamp() end, ${end})
      on conflict (origin, credentials) do update set state = excluded.state, changed_at = excluded.changed_at,
        held_until = excluded.held_until, accepted_at = null,
        refused_at = coalesce(${table.refused_at}, excluded.refused_at)
      returning 1
    )${news}`);
}

/** When the oldest of the refusals that pause an account does not count any more. */
const pauseEnd = (login: LoginTry): SQL => sql`coalesce((select min(counted.changed_at) from (
    select r.changed_at from ${table} r where r.origin = ${login.origin} and r.state = ${refusalOf(login)}
    order by r.changed_at desc limit ${mostRefused[refusalOf(login)]}) counted), clock_timestamp())
  + make_interval(secs => ${refusedWithinS})`;

/** The account of the node may be tried at once, and the refusals of its broker do not count any more. */
export const releaseLogins = (h: Db, nodeId: string, origin: string): Statement =>
  h
    .delete(table)
    .where(
      sql`${table.dispatcher_id} = ${nodeId}::uuid or (${table.origin} = ${origin} and ${table.state} in ('refused', 'tested', 'paused'))`,
    );

/** The account that a broker has refused, or that is not tried. Times are RFC 3339. */
export type AccountHold = { reason: 'refused' | 'paused'; since: string; until: string };

/** The refusal of the account of a node. Null if the account was accepted, or was not tried yet. */
export const accountHoldOf = (nodeId: SQL) =>
  derived<AccountHold | null>(sql`select jsonb_build_object(
    'reason', case ${table.state} when 'paused' then 'paused' else 'refused' end,
    'since', coalesce(${table.refused_at}, ${table.changed_at}), 'until', ${table.held_until}) from ${table}
    where ${table.dispatcher_id} = ${nodeId} and ${table.state} in ('refused', 'tested', 'paused')
    order by ${table.changed_at} desc limit 1`);
