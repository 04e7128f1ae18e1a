import type pg from 'pg';
import { formatNames, formatOptions, isFormat, setFormats } from './formats.ts';

/** Timeouts in milliseconds for a statement, a lock wait, and an idle transaction. */
export type Timeouts = { statementMs: number; lockMs: number; idleInTransactionMs: number };

/** The PostgreSQL settings that enforce the limits. */
const settingsOf = ({
  statementMs,
  lockMs,
  idleInTransactionMs,
}: Timeouts): Readonly<Record<string, number>> => ({
  statement_timeout: statementMs,
  lock_timeout: Math.min(lockMs, statementMs),
  idle_in_transaction_session_timeout: idleInTransactionMs,
});

/** The server detects a lost client within seconds, also during a statement, and ends the session with its locks. */
const networkSettings = {
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
  client_connection_check_interval: 5_000,
};

/** Start-up options without timeouts. */
export const basicOptions = [
  ...Object.entries(networkSettings).map(([name, value]) => `-c ${name}=${value}`),
  formatOptions,
].join(' ');

/** The start-up options of a session. `others` are those of the URL and have precedence. */
export const startupOptions = (limits: Timeouts, others = ''): string =>
  [
    ...Object.entries(settingsOf(limits)).map(([name, value]) => `-c ${name}=${value}`),
    basicOptions,
    ...(others === '' ? [] : [others]),
  ].join(' ');

/** A message that begins a transaction and sets the limits and the formats. */
export const beginWith = (limits: Timeouts): string =>
  [
    'begin isolation level read committed',
    ...Object.entries(settingsOf(limits)).map(([name, value]) => `set local ${name} = ${value}`),
    setFormats('local'),
  ].join('; ');

/**
 * True if the server or a pooler rejects start-up options. PgBouncer: 08P01; unknown setting: 42704; value out of
 * range: 22023; RDS Proxy: 0A000.
 */
export const refusesOptions = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && refusals.has(error.code);

const refusals = new Set<unknown>(['08P01', '42704', '22023', '42501', '0A000']);

export type Session = {
  /** The limits and the formats are in effect without `set local`. */
  isLimited: boolean;
  /** They are in effect through the start-up options of this session. */
  isByOptions: boolean;
  /** A pooler or proxy is in between: the process id of the backend differs from the one sent to the client. */
  isPooled: boolean;
};

/**
 * Reads which limits and formats are in effect in a new session. Behind a pooler, settings made by `set` are ignored: they belong
 * to another client's session.
 */
export async function readSession(
  client: pg.ClientBase & { processID: number | null },
  limits: Timeouts,
): Promise<Session> {
  const expected = settingsOf(limits);
  const { rows } = await client.query<{ pid: number; name: string; setting: string; source: string }>(
    `select pg_backend_pid() as pid, name, setting, source from pg_settings
     where name in (${[...Object.keys(expected), ...formatNames].map((name) => `'${name}'`)})`,
  );
  const isPooled = rows.some(({ pid }) => pid !== client.processID);
  const lasting = rows.filter(({ source }) => !isPooled || source !== 'session');
  const actual = new Map(lasting.map(({ name, setting }) => [name, setting]));
  return {
    // Behind a pooler these may be start-up options of another client. In the embedded database they are settings.
    isByOptions: !isPooled && rows.every(({ source }) => source === 'client' || source === 'session'),
    isPooled,
    isLimited:
      Object.entries(expected).every(([name, most]) => isWithin(Number(actual.get(name) ?? 0), most)) &&
      formatNames.every((name) => isFormat(name, actual.get(name))),
  };
}

/** 0 disables a timeout. */
const isWithin = (value: number, most: number): boolean => value > 0 && value <= most;
