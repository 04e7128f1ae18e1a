import { type Operation, type Operations, operations } from './operations.ts';
import { connectionFailed, PortalError, refusalOf } from './refusals.ts';
import { type Attempt, patienceFrom, type RetryOptions, waitBefore } from './retries.ts';

export type { Operations } from './operations.ts';
export * from './refusals.ts';

export type ClientOptions = RetryOptions & {
  /** `https://host[:port]` of the portal. */
  baseUrl: string;
  /** Of a login, or of a service; without it only what needs no session can be called. */
  token?: string;
  /** How requests go out; the global `fetch` unless given. */
  fetch?: (request: Request) => Promise<Response>;
};

export type CallOptions = {
  signal?: AbortSignal;
  /** In the place of a new one: repeats a request that an earlier process sent, whose answer it never got. */
  idempotencyKey?: string;
  headers?: Readonly<Record<string, string>>;
};

/** What an operation asks for, to be left out where nothing is required. */
type Rest<Id extends keyof Operations> =
  Record<never, never> extends Operations[Id]['asks']
    ? [asks?: Operations[Id]['asks'], options?: CallOptions]
    : [asks: Operations[Id]['asks'], options?: CallOptions];

type Paged = {
  [Id in keyof Operations]: Operations[Id]['answer'] extends { items: unknown[]; next: string | null }
    ? Id
    : never;
}[keyof Operations];
type Item<Id extends Paged> = Operations[Id]['answer']['items'][number];

export type PortalClient = {
  /**
   * Calls an operation by its id. What may be tried again is, after the seconds that the portal asks for; a write
   * that takes one has an `Idempotency-Key`, so that it happens once however often it is sent.
   * @throws PortalError with the problem document, its code typed by `isRefusal`
   */
  call<Id extends keyof Operations>(id: Id, ...rest: Rest<Id>): Promise<Operations[Id]['answer']>;
  /** The pages of a list, one after the other; each is asked for when the one before has been looked at. */
  pages<Id extends Paged>(id: Id, ...rest: Rest<Id>): AsyncGenerator<Operations[Id]['answer']>;
  /** The items of a list, over all of its pages. */
  items<Id extends Paged>(id: Id, ...rest: Rest<Id>): AsyncGenerator<Item<Id>>;
  /** The same portal with another token. */
  withToken(token: string): PortalClient;
};

/** A client of the portal, typed by its OpenAPI document. */
export function createPortalClient(options: ClientOptions): PortalClient {
  const memory: Memory = {};
  const call = async (
    id: keyof Operations,
    asks: CallArguments = {},
    how: CallOptions = {},
  ): Promise<unknown> => send({ ...options, memory }, operations[id], asks, how);
  async function* pages(id: Paged, asks: CallArguments = {}, how: CallOptions = {}) {
    let query = asks.query;
    for (;;) {
      const page = (await call(id, { ...asks, ...(query && { query }) }, how)) as Page;
      yield page;
      if (page.next === null) return;
      query = { ...query, cursor: page.next };
    }
  }
  async function* items(id: Paged, asks?: CallArguments, how?: CallOptions) {
    for await (const page of pages(id, asks, how)) yield* page.items;
  }
  const withToken = (token: string) => createPortalClient({ ...options, token });
  // Callers have the types of the document; this code treats all operations alike.
  return { call, pages, items, withToken } as PortalClient;
}

type CallArguments = {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
};
type Page = { items: unknown[]; next: string | null };

/** `X-Consistency-Token` of the last write: later reads see at least that write. */
type Memory = { consistency?: string };
type Sending = ClientOptions & { memory: Memory };

async function send(
  options: Sending,
  operation: Operation,
  asks: CallArguments,
  how: CallOptions,
): Promise<unknown> {
  const request = requestOf(options, operation, asks, how);
  const patience = patienceFrom(options);
  const { fetch = globalThis.fetch } = options;
  for (let attempt = 1; ; attempt += 1) {
    const tried = await tryOnce(fetch, request.clone(), options.memory);
    if ('answer' in tried) return tried.answer;
    const wait = waitBefore(
      { ...tried, attempt, method: operation.method, keyed: operation.keyed },
      patience,
    );
    if (wait === undefined) throw tried.error;
    await patience.sleep(wait, how.signal);
  }
}

async function tryOnce(
  fetch: NonNullable<ClientOptions['fetch']>,
  request: Request,
  memory: Memory,
): Promise<{ answer: unknown } | Pick<Attempt, 'error'>> {
  try {
    const response = await fetch(request);
    const consistency = response.headers.get('x-consistency-token');
    if (consistency !== null) memory.consistency = consistency;
    return response.ok ? { answer: await answerOf(response) } : { error: await refusalOf(response) };
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    return { error: connectionFailed(cause) };
  }
}

function requestOf(
  { baseUrl, token, memory: { consistency } }: Sending,
  { method, path, keyed }: Operation,
  { path: values = {}, query = {}, body }: CallArguments,
  { signal, idempotencyKey, headers }: CallOptions,
): Request {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, values[name]));
  const url = new URL(baseUrl.replace(/\/+$/, '') + filled);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return new Request(url, {
    method,
    // The portal never redirects. Another server that did would receive the token.
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(token !== undefined && { 'x-auth-token': token }),
      ...(method === 'GET' && consistency !== undefined && { 'x-consistency-token': consistency }),
      ...(keyed && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/** An empty segment, or one of dots, would make it the path of another operation. */
function segmentOf(name: string, value = ''): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must not be '${value}'`);
  return encodeURIComponent(value);
}

async function answerOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 204) return null;
  if (type.includes('json')) return response.json();
  return type.startsWith('text/') ? response.text() : new Uint8Array(await response.arrayBuffer());
}

/** Narrows an error to the refusals that an operation can give, with the codes that the document names. */
export const isRefusal = <Id extends keyof Operations>(
  _id: Id,
  error: unknown,
): error is PortalError & { code: Operations[Id]['refusal'] } => error instanceof PortalError;
