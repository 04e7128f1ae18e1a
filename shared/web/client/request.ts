import { connectionFailed, refusalOf } from '../../client/refusals.ts';
import { send } from './session.ts';

/** A request to an operation that is known only by its declaration, not by its type. */
export type Sending = {
  method: string;
  /** With its parameters filled in. */
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Default: as the answer allows. */
  cache?: RequestCache;
};

export type Received = {
  /** Null for an answer without a body. */
  body: unknown;
  /** Of the record that the answer contains. */
  etag: string | undefined;
};

/** Later reads see at least the last write of this page. */
let consistency: string | undefined;

/**
 * Sends a request as the user.
 * @throws PortalError
 */
export async function sendRequest(sending: Sending): Promise<Received> {
  const answer = await send(requestOf(sending)).catch((cause: unknown) => {
    throw sending.signal?.aborted ? cause : connectionFailed(cause);
  });
  consistency = answer.headers.get('x-consistency-token') ?? consistency;
  if (!answer.ok) throw await refusalOf(answer);
  const isJson = (answer.headers.get('content-type') ?? '').includes('json');
  return { body: isJson ? await answer.json() : null, etag: answer.headers.get('etag') ?? undefined };
}

function requestOf({ method, path, query = {}, body, headers, signal, cache }: Sending): Request {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return new Request(url, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(method === 'GET' && consistency !== undefined && { 'x-consistency-token': consistency }),
      // A write that is repeated after a lost answer happens once.
      ...(method !== 'GET' && { 'idempotency-key': crypto.randomUUID() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(cache && { cache }),
  });
}

/**
 * Fills the parameters in braces of a path. An empty segment, or one of dots, would make it the path of another operation.
 * @throws TypeError for such a value
 */
export const filledPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must not be '${value}'`);
    return encodeURIComponent(value);
  });
