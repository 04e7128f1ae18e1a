/** The problem document (RFC 9457) of a refusal. */
export type ProblemDocument = {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** The request id: what to tell whoever runs the portal. */
  instance: string;
  code: string;
  retryable: boolean;
  errors?: { pointer: string; code: string; detail: string }[];
  [member: string]: unknown;
};

/** What the portal refused, or what never reached it (`code` is then `connection_failed`). */
export class PortalError extends Error {
  readonly code: string;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly retryable: boolean;
  /** Of `Retry-After`. */
  readonly retryAfterS: number | undefined;
  readonly problem: ProblemDocument | undefined;

  constructor(message: string, { code, status, retryable, retryAfterS, problem, ...options }: Facts) {
    super(message, options);
    this.name = 'PortalError';
    this.code = code;
    this.status = status;
    this.retryable = retryable;
    this.retryAfterS = retryAfterS;
    this.problem = problem;
  }
}

type Facts = Pick<PortalError, 'code' | 'status' | 'retryable'> &
  Partial<Pick<PortalError, 'retryAfterS' | 'problem'>> &
  ErrorOptions;

/** An answer that is no success as an error; of one that is no problem document only the status is known. */
export async function refusalOf(response: Response): Promise<PortalError> {
  const { status, headers } = response;
  const asked = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterS = Number.isFinite(asked) ? asked : undefined;
  const body = await jsonIn(response);
  const problem = isProblem(body) ? body : undefined;
  const { code, retryable = status === 429 || status >= 502, detail } = problem ?? toldToAgents(body);
  return new PortalError(detail ?? `The portal answered ${status}`, {
    code,
    status,
    retryable,
    retryAfterS,
    problem,
  });
}

/** Nobody knows whether the request arrived. */
export const connectionFailed = (cause: unknown): PortalError =>
  new PortalError('The portal could not be reached', {
    code: 'connection_failed',
    status: 0,
    retryable: true,
    cause,
  });

type Told = { code: string; detail?: string; retryable?: boolean };

/** Calls of agents are refused by a text that begins with the code. */
function toldToAgents(body: unknown): Told {
  const text = typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';
  const [, code, detail] = /^(\w+): (.+)$/s.exec(text) ?? [];
  return code === undefined || detail === undefined ? { code: 'no_problem_document' } : { code, detail };
}

const isProblem = (body: unknown): body is ProblemDocument =>
  typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';

async function jsonIn(response: Response): Promise<unknown> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) return undefined;
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    // A proxy in between may have cut it off; the status still counts.
    return undefined;
  }
}
