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
  /** Members of the request that are not valid. */
  faults?: Fault[];
  /** Records that prevent a deletion. */
  references?: Referring[];
  /** The time from which the request can succeed, in milliseconds since 1970; undefined if the portal names none. */
  retryAt?: number | undefined;
};

/** @property pointer JSON Pointer into the body, or `?name` for a member of the query */
export type Fault = { pointer: string; detail: string };
export type Referring = { type: string; id: string; name: string };

/** Describes any error of a request. An error that is not of the portal means that it was not reached. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof PortalError)) return { code: 'connection_failed' };
  const { code, problem, retryAfterS } = error;
  const retryAt = retryAfterS ? Date.now() + retryAfterS * 1_000 : undefined;
  if (!problem) return { code, retryAt };
  const { title, detail, instance, reason_code, reason, errors, references } = problem;
  return {
    ...{ code, instance, retryAt, reason: wordOf(reason_code) ?? wordOf(reason) },
    ...(errors && { faults: errors }),
    ...(Array.isArray(references) && { references: references as Referring[] }),
    detail: detail === title ? undefined : detail,
  };
}

const wordOf = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);
