import { allowedUrl, type Network, parseNetworks, type UrlPolicy } from './address-policy.ts';
import { readAnswer } from './answer.ts';
import { withinDeadline } from './deadline.ts';
import { toTransportError } from './faults.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

/**
 * HTTPS with `fetch`, for runtimes without sockets. Names are checked, but resolved addresses are not visible. TLS is
 * always verified with the authorities of the runtime; a custom authority is not supported.
 * @throws Error if `allowedNetworks` has an invalid entry
 */
export function createFetchTransport(policy: UrlPolicy): Transport {
  const networks = parseNetworks(policy.allowedNetworks);
  return {
    send: async (request) => {
      const url = destinationOf(request, networks);
      try {
        return await withinDeadline(request.deadlineMs, request.signal, (signal) =>
          sendRequest(url, request, signal),
        );
      } catch (error) {
        throw toFault(error);
      }
    },
  };
}

function destinationOf({ url, ca }: TransportRequest, networks: readonly Network[]): URL {
  const allowed = allowedUrl(url, networks);
  if (ca !== undefined) throw new TransportError('tls', { tlsReason: 'unsupported_on_this_runtime' });
  return allowed;
}

async function sendRequest(
  url: URL,
  { method, headers, body, ...limits }: TransportRequest,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
    redirect: 'manual',
    signal,
  });
  try {
    rejectSubstitute(response);
    const raw = { status: response.status, headers: response.headers, body: chunksOf(response.body) };
    return await readAnswer(raw, limits);
  } catch (error) {
    // An unread body would occupy one of the six connections of an invocation.
    await response.body?.cancel().catch(() => undefined);
    throw toBodyFault(error);
  }
}

/** Chunks of the body. The reader is released in all cases, so that the rest can be cancelled. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value;
  } finally {
    reader?.releaseLock();
  }
}

/** Status codes that Cloudflare returns if it cannot reach the peer (52x and 530). */
const substitutes: Record<number, TransportError['reason']> = {
  521: 'unreachable',
  522: 'timeout',
  523: 'unreachable',
  524: 'timeout',
  525: 'tls',
  526: 'tls',
  530: 'unreachable',
};

function rejectSubstitute({ status }: Response): void {
  const reason = substitutes[status];
  if (reason === 'tls') throw new TransportError('tls', { tlsReason: 'unknown', code: `${status}` });
  if (reason) throw new TransportError(reason, { code: `${status}` });
}

/**
 * Errors of Node's `fetch` have codes; those of workerd do not: a lost connection is `retryable`, and every other
 * remote error, usually of a certificate, is `remote` without a reason. Other errors are programming errors.
 */
function toFault(error: unknown): unknown {
  const fault = toTransportError(error);
  if (fault instanceof TransportError || !(error instanceof Error)) return fault;
  if ('retryable' in error && error.retryable === true)
    return new TransportError('unreachable', {}, { cause: error });
  if ('remote' in error && error.remote === true)
    return new TransportError('tls', { tlsReason: 'unknown' }, { cause: error });
  return error;
}

/** After the response headers, a `TypeError` without a code means that the body does not match its headers. */
function toBodyFault(error: unknown): unknown {
  const fault = toFault(error);
  return fault instanceof TypeError ? new TransportError('malformed', {}, { cause: error }) : fault;
}
