import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Authority, type CertificateKind, createAuthority } from '../authority.ts';
import { answer } from './answer.ts';
import { createRouter } from './routes.ts';
import { type BrokerState, type Mode, secondsOf } from './state.ts';
import type { Reply } from './wire.ts';

export type BrokerOptions = {
  state: BrokerState;
  mode?: Mode;
  authority?: Authority;
  certificate?: CertificateKind;
  port?: number;
  /** Requests that are served at the same time; others wait. */
  workers?: number;
  wrongPasswordMs?: number;
  /** Milliseconds before each answer. */
  delayMs?: number;
};

/** A request that arrived. `path` has no query. */
type BrokerCall = { method: string; path: string; headers: IncomingMessage['headers'] };

/**
 * `text` replaces the answers of the paths that it matches. Requests of the paths in `unanswered` have their effect, and
 * the connection ends in place of the answer. `arriving` runs before each request is answered.
 */
type Knobs = {
  delayMs: number;
  mode: Mode;
  text?: { path: RegExp; text: string; status?: number };
  unanswered?: RegExp;
  arriving?: (path: string) => void;
};

export type Broker = {
  readonly url: string;
  readonly caPem: string;
  readonly state: BrokerState;
  readonly calls: BrokerCall[];
  /** The highest number of requests that waited or were served at the same time. */
  readonly maxInFlight: number;
  /** Change it to delay answers from now on. */
  knobs: Knobs;
  resetCalls(): void;
  close(): Promise<void>;
};

/** An OpenUDS broker on 127.0.0.1 over HTTPS, as far as a portal sees one. @throws Error if the port is in use */
export async function startOpenUds(options: BrokerOptions): Promise<Broker> {
  const { state, workers = 3, wrongPasswordMs = 3_000 } = options;
  const authority = options.authority ?? (await createAuthority('Company'));
  const router = createRouter({ wrongPasswordMs });
  const knobs: Knobs = { delayMs: options.delayMs ?? 0, mode: options.mode ?? '3.6' };
  const calls: BrokerCall[] = [];
  const traffic = { inFlight: 0, most: 0 };
  const inWorker = createWorkers(workers);
  const server = createServer(await authority.issue(options.certificate), async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'https://broker');
    calls.push({ method: request.method ?? '', path: pathname, headers: request.headers });
    traffic.inFlight += 1;
    traffic.most = Math.max(traffic.most, traffic.inFlight);
    const reply = await inWorker(async () => {
      await sleep(knobs.delayMs);
      knobs.arriving?.(pathname);
      if (knobs.text?.path.test(pathname))
        return { status: knobs.text.status ?? 200, body: knobs.text.text, type: 'application/json' };
      return answer({ state, mode: knobs.mode, router }, request);
    }).catch((error: unknown) => {
      // The caller has not waited for the answer.
      if (!request.destroyed) throw error;
    });
    traffic.inFlight -= 1;
    if (knobs.unanswered?.test(pathname)) response.destroy();
    else if (reply) send(state, knobs.mode, reply, response);
  });
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve),
  );
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ caPem: authority.caPem, state, calls, knobs },
    get maxInFlight() {
      return traffic.most;
    },
    resetCalls: () => {
      calls.length = 0;
      traffic.most = 0;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const sleep = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms));

function createWorkers(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

function send(
  state: BrokerState,
  mode: Mode,
  { status, body, headers, type }: Reply,
  to: ServerResponse,
): void {
  const version = { '3.6': '3.6.0', '4.0': '4.0.0', '5.0': '5.0.0' }[mode];
  const stamp = String(secondsOf(state));
  to.writeHead(status, {
    'content-type': type ?? 'application/json',
    ...(mode === '5.0' ? { 'x-uds-version': version } : { 'uds-version': `${version};20240101` }),
    ...(mode === '4.0' && { 'response-stamp': stamp }),
    ...(mode === '5.0' && { 'x-response-stamp': stamp }),
    ...headers,
    connection: 'close',
  });
  to.end(type ? String(body) : JSON.stringify(body));
}
