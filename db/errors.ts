import { AppError, type ErrorCode, errorCodes } from '../shared/kernel/errors.ts';

export type PgFault = { code: string; constraint?: string; message?: string };

/** @returns what PostgreSQL said, wherever in the chain of causes a driver has put it. */
export function pgFault(error: unknown): PgFault | undefined {
  for (let link: unknown = error, depth = 0; link instanceof Object && depth < 5; depth++) {
    if ('code' in link && typeof link.code === 'string' && sqlState.test(link.code))
      return asFault(link, link.code);
    link = 'cause' in link ? link.cause : undefined;
  }
  return undefined;
}

/** Those that PostgreSQL makes have a digit; Node's EPIPE has as many letters and none. */
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
/** PostgreSQL 18 tells a RESTRICT apart (23001); before, it was a foreign-key violation (23503) like others. */
export const isReferenceViolation = (error: unknown): boolean =>
  ['23503', '23001'].includes(pgFault(error)?.code ?? '');

/** What `must` raised: `<code>` or `<code>:<reason>`. */
export function raisedByMust(error: unknown): { code: string; reason?: string } | undefined {
  const fault = pgFault(error);
  if (fault?.code !== 'AG001') return undefined;
  const [code = '', reason] = (fault.message ?? '').split(':');
  return reason === undefined ? { code } : { code, reason };
}

/** @returns the error a caller may see for a failure of the database, or undefined when it is none of its kind. */
export function databaseProblem(error: unknown): AppError | undefined {
  const raised = raisedByMust(error);
  if (raised && isErrorCode(raised.code)) {
    return new AppError(raised.code, undefined, raised.reason ? { reason: raised.reason } : {}, {
      cause: error,
    });
  }
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
 * SQLSTATEs of a database that cannot serve this request now, and may serve it later: connection (08), lost races (40),
 * resources (53), shut down or cancelled (57), and the limits of time: 55P03 lock, 57014 statement, 25P03 and 25P04
 * transaction. 25006: the server is read-only, as a standby is.
 */
const unavailable = /^(?:08|40|53|57|55P03|25006|25P0[34])/;

/** What `pg`, its pool and ours say of a connection, in errors without a code. */
const lostConnection =
  /^(?:The database did not answer|timeout expired|timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client was closed|Client has encountered a connection error)/;

/** True for these SQLSTATEs, and when there was no answer at all. */
export function isUnavailable(error: unknown): boolean {
  const code = pgFault(error)?.code;
  if (code) return unavailable.test(code);
  for (let link: unknown = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth++) {
    // Without a SQLSTATE the request to Neon failed, or something in front of the database answered.
    if (link.name === 'NeonDbError') return true;
    if ('code' in link && /^E(CONN|TIMEDOUT|PIPE|HOST|NET|AI_)|^ENOTFOUND/.test(String(link.code)))
      return true;
    if (lostConnection.test(link.message)) return true;
  }
  return false;
}
