import { PortalError } from '../../../../shared/client/refusals.ts';

/** Why a request failed. `code` is that of the problem document, or of a request without an answer. */
export type Problem = { code: string; detail: string | undefined; instance: string | undefined };

export function problemOf(error: unknown): Problem {
  if (!(error instanceof PortalError))
    return { code: 'connection_failed', detail: undefined, instance: undefined };
  const { code, problem } = error;
  return { code, detail: problem?.detail, instance: problem?.instance };
}
