import type pg from 'pg';

/** Milliseconds after which the server ends a statement, a wait for a lock, and a session that is idle in a transaction. */
export type Limits = { statementMs: number; lockMs: number; idleInTransactionMs: number };

/** The settings of PostgreSQL that enforce the limits. */
const settingsOf = ({
  statementMs,
  lockMs,
  idleInTransactionMs,
}: Limits): Readonly<Record<string, number>> => ({
  statement_timeout: statementMs,
  lock_timeout: Math.min(lockMs, statementMs),
  idle_in_transaction_session_timeout: idleInTransactionMs,
});

/**
 * With these the server notices within seconds that the other end of a connection is gone, also while it works on a
 * statement, and ends the session with its locks.
 */
const networkSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
  client_connection_check_interval: 5_000,
};

/** Start-up options without limits of time. */
export const networkOptions = Object.entries(networkSettings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** The start-up options of a session; `others` are those of the URL, which win. */
export const startupOptions = (limits: Limits, others = ''): string =>
  [
    ...Object.entries(settingsOf(limits)).map(([name, value]) => `-c ${name}=${value}`),
    networkOptions,
    ...(others === '' ? [] : [others]),
  ].join(' ');

/** Begins a transaction with the limits, in one message. */
export const beginWith = (limits: Limits): string =>
  [
    'begin',
    ...Object.entries(settingsOf(limits)).map(([name, value]) => `set local ${name} = ${value}`),
  ].join('; ');

/**
 * True when a server or a pooler refuses a session for its start-up options. PgBouncer: 08P01; a server without one of
 * the settings: 42704, with another range of values: 22023; RDS Proxy: 0A000.
 */
export const refusesOptions = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && refusals.has(error.code);

const refusals = new Set<unknown>(['08P01', '42704', '22023', '42501', '0A000']);

export type Session = {
  /** The limits hold without `set local`. */
  isLimited: boolean;
  /** They hold by the start-up options of this session. */
  isByOptions: boolean;
  /** Something stands between: the process id of the server is not the one that the client was given. */
  isPooled: boolean;
};

/**
 * Reads how a new session is limited. Behind a pooler a setting made by `set` does not count: it belongs to another client,
 * and is not there the next time.
 */
export async function inspect(
  client: pg.ClientBase & { processID: number | null },
  limits: Limits,
): Promise<Session> {
  const wanted = settingsOf(limits);
  const { rows } = await client.query<{ pid: number; name: string; setting: string; source: string }>(
    `select pg_backend_pid() as pid, name, setting, source from pg_settings
     where name in (${Object.keys(wanted).map((name) => `'${name}'`)})`,
  );
  const isPooled = rows.some(({ pid }) => pid !== client.processID);
  const lasting = rows.filter(({ source }) => !isPooled || source !== 'session');
  const actual = new Map(lasting.map(({ name, setting }) => [name, Number(setting)]));
  return {
    // Behind a pooler these may be the options of another client. The embedded database has them as settings.
    isByOptions: !isPooled && rows.every(({ source }) => source === 'client' || source === 'session'),
    isPooled,
    isLimited: Object.entries(wanted).every(([name, most]) => isWithin(actual.get(name), most)),
  };
}

/** 0 means no limit. */
const isWithin = (value: number | undefined, most: number): boolean =>
  value !== undefined && value > 0 && value <= most;
