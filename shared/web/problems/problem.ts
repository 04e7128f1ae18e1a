import { PortalError } from '../../client/refusals.ts';

/** Why a request failed. */
export type Problem = {
  /** Code of the problem document, or of a request without one. */
  code: string;
  /** What the portal says about this case; undefined if it has only the title of the code. */
  detail?: string | undefined;
  /** Why a dispatcher or the portal refuses a workplace, such as `maintenance`. */
  reason?: string | undefined;
  /** Identifier of the request, for support. */
  instance?: string | undefined;
  /** The time from which the request can succeed, in milliseconds since 1970; undefined if the portal names none. */
  retryAt?: number | undefined;
};

/** Describes any error of a request. An error that is not of the portal means that it was not reached. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof PortalError)) return { code: 'connection_failed' };
  const { code, problem, retryAfterS } = error;
  const retryAt = retryAfterS ? Date.now() + retryAfterS * 1_000 : undefined;
  if (!problem) return { code, retryAt };
  const { title, detail, instance, reason_code, reason } = problem;
  return {
    ...{ code, instance, retryAt, reason: wordOf(reason_code) ?? wordOf(reason) },
    detail: detail === title ? undefined : detail,
  };
}

const wordOf = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);
