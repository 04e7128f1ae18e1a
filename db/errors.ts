import { AppError, type ErrorCode, errorCodes } from '../shared/kernel/errors.ts';
import { BusyPoolError, NoResponseError } from './postgres/slots.ts';

export type PgFault = { code: string; constraint?: string; message?: string };

/** @returns the PostgreSQL error in a chain of causes */
export function pgFault(error: unknown): PgFault | undefined {
  for (let link: unknown = error, depth = 0; link instanceof Object && depth < 5; depth++) {
    if ('code' in link && typeof link.code === 'string' && sqlState.test(link.code))
      return asFault(link, link.code);
    link = 'cause' in link ? link.cause : undefined;
  }
  return undefined;
}

/** A SQLSTATE contains a digit; Node's EPIPE does not. */
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

function asFault(link: object, code: string): PgFault {
  const text = (name: string): string | undefined => {
    const value: unknown = Reflect.get(link, name);
    return typeof value === 'string' ? value : undefined;
  };
  const constraint = text('constraint');
  const message = text('message');
  return { code, ...(constraint && { constraint }), ...(message && { message }) };
}

export const isUniqueViolation = (error: unknown): boolean => pgFault(error)?.code === '23505';
/** PostgreSQL 18 reports RESTRICT as 23001; earlier versions report it as a foreign-key violation (23503). */
export const isReferenceViolation = (error: unknown): boolean =>
  ['23503', '23001'].includes(pgFault(error)?.code ?? '');

/** The error raised by `must`: `<code>` or `<code>:<reason>`. */
export function raisedByMust(error: unknown): { code: string; reason?: string } | undefined {
  const fault = pgFault(error);
  if (fault?.code !== 'AG001') return undefined;
  const [code = '', reason] = (fault.message ?? '').split(':');
  return reason === undefined ? { code } : { code, reason };
}

/** @returns the error for the caller after a database failure, or undefined if the error is unrelated */
export function databaseProblem(error: unknown): AppError | undefined {
  const raised = raisedByMust(error);
  if (raised && isErrorCode(raised.code)) {
    return new AppError(raised.code, undefined, raised.reason ? { reason: raised.reason } : {}, {
      cause: error,
    });
  }
  if (isOfBusyPool(error)) return new AppError('overloaded', undefined, {}, { cause: error });
  if (isUnavailable(error)) return new AppError('database_unavailable', undefined, {}, { cause: error });
  return undefined;
}

/** @returns the error that a caller may see. An error of an unknown kind becomes `internal`, and its cause is only logged. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return databaseProblem(error) ?? new AppError('internal', undefined, {}, { cause: error });
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);

/**
 * SQLSTATEs of a temporary failure: connection (08), serialisation failure or deadlock (40), resources (53), shutdown
 * or cancellation (57), and timeouts: 55P03 lock, 57014 statement, 25P03 and 25P04 transaction. 25006: the server is
 * read-only, as a standby is. 26000, 42P05, 0A000: a prepared statement was lost or is out of date.
 */
const unavailable = /^(?:08|40|53|57|55P03|25006|25P0[34]|26000|42P05|0A000)/;

/** Messages of connection errors without a code, from `pg` and its pool. */
const lostConnection =
  /^(?:timeout expired|timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client was closed|Client has encountered a connection error)/;

/** True if all connections of this process were in use. The database itself answers. */
function isOfBusyPool(error: unknown): boolean {
  for (let link: unknown = error, depth = 0; link instanceof Error && depth < 5; depth++) {
    if (link instanceof BusyPoolError) return true;
    link = link.cause;
  }
  return false;
}

/** True for these SQLSTATEs, and for errors without a response. */
export function isUnavailable(error: unknown): boolean {
  const code = pgFault(error)?.code;
  if (code) return unavailable.test(code);
  for (let link: unknown = error, depth = 0; depth < 5; depth++) {
    // Neon's driver rejects with the event of its WebSocket if the connection is lost.
    if (link instanceof Event) return true;
    if (!(link instanceof Error)) return false;
    // Without a SQLSTATE the HTTP request to Neon failed, or a proxy answered instead of the database.
    if (link.name === 'NeonDbError' || link instanceof NoResponseError) return true;
    if ('code' in link && /^E(CONN|TIMEDOUT|PIPE|HOST|NET|AI_)|^ENOTFOUND/.test(String(link.code)))
      return true;
    if (lostConnection.test(link.message)) return true;
    link = link.cause;
  }
  return false;
}
