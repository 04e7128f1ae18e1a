/** The problem document (RFC 9457) of a refusal. */
export type ProblemDocument = {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** The request ID, for support requests to the operator of the portal. */
  instance: string;
  code: string;
  retryable: boolean;
  errors?: { pointer: string; code: string; detail: string }[];
  [member: string]: unknown;
};

/**
 * A refusal of the portal. Without an answer, the code is `tls_failed` if the certificate of the portal was refused, and
 * `connection_failed` otherwise. `message` has the detail of the problem and names each wrong field.
 */
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
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterS = Number.isFinite(retryAfter) ? retryAfter : undefined;
  const body = await jsonIn(response);
  const problem = isProblem(body) ? body : undefined;
  const { code, retryable = status === 429 || status >= 502 } = problem ?? agentProblemOf(body);
  const message = problem ? messageOf(problem) : agentProblemOf(body).detail;
  return new PortalError(message ?? `The portal answered ${status}`, {
    code,
    status,
    retryable,
    retryAfterS,
    problem,
  });
}

/** The detail; for several wrong fields, or one, each with its place. */
function messageOf({ detail, errors = [] }: ProblemDocument): string {
  const faults = errors.map((fault) => `${fault.pointer || 'body'}: ${fault.detail}`);
  return faults.length > 0 ? faults.join('; ') : detail;
}

/** The error of a request without an answer: it is not known whether the request arrived. */
export function connectionFailed(error: unknown): PortalError {
  const { code, message } = innermostOf(error);
  const reason = [message, code && !message.includes(code) ? `(${code})` : ''].filter(Boolean).join(' ');
  const isTls = tlsCodes.test(code);
  const what = isTls ? 'The TLS certificate of the portal was refused' : 'The portal could not be reached';
  const remedy = caCodes.test(code)
    ? '. Trust its certificate authority, on Node with NODE_EXTRA_CA_CERTS=<file>'
    : '';
  return new PortalError(`${what}: ${reason}${remedy}`, {
    code: isTls ? 'tls_failed' : 'connection_failed',
    status: 0,
    retryable: !isTls,
    cause: error,
  });
}

/** Codes of OpenSSL, as Node names them, for certificates that are not accepted. */
const tlsCodes = /CERT|^ERR_TLS_|^UNABLE_TO_|^CRL_|^INVALID_CA$|^INVALID_PURPOSE$|^HOSTNAME_MISMATCH$/;
/** Those of an authority that is not known. */
const caCodes = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+)$/;

/** `fetch` wraps the error of the connection. */
function innermostOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  if (error.cause instanceof Error) return innermostOf(error.cause);
  const code: unknown = Reflect.get(error, 'code');
  return { code: typeof code === 'string' ? code : '', message: error.message };
}

type AgentProblem = { code: string; detail?: string; retryable?: boolean };

/** Calls of agents are refused by a text that begins with the code. */
function agentProblemOf(body: unknown): AgentProblem {
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
