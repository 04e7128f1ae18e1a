import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExecutionContext, WorkerEntry } from '../../../shared/runtime/edge/workers.ts';
import { admitIterations, derivations, scrypt } from './guarded-crypto.ts';

/** One request: the number of fetches, and the maximum that waited for their headers concurrently. */
export type RequestReport = { request: string; fetches: number; most: number };
export type Report = { requests: RequestReport[]; derivations: string[] };

type Counted = RequestReport & { waiting: number };

const current = new AsyncLocalStorage<Counted>();
const counted: Counted[] = [];

const { fetch: realFetch } = globalThis;
globalThis.fetch = async (input, init) => {
  const request = current.getStore();
  if (!request) throw new Error('a fetch outside of every request');
  request.fetches++;
  request.most = Math.max(request.most, ++request.waiting);
  return realFetch(input, init).finally(() => request.waiting--);
};

const { subtle } = crypto;
const derivers = { deriveBits: subtle.deriveBits, deriveKey: subtle.deriveKey };
for (const [name, derive] of Object.entries(derivers)) {
  Object.defineProperty(Object.getPrototypeOf(subtle), name, {
    value(this: SubtleCrypto, ...given: Parameters<typeof derive>) {
      const [algorithm] = given;
      if (typeof algorithm === 'object' && 'iterations' in algorithm) admitIterations(algorithm.iterations);
      return Reflect.apply(derive, this, given);
    },
  });
}

/** A Worker under the limits of production; requests with the header `x-limits` are handled by the guard itself. */
export const guarded = (entry: WorkerEntry): WorkerEntry => ({
  fetch: async (request, env, context: ExecutionContext) => {
    const asked = request.headers.get('x-limits');
    if (asked === 'report') return Response.json(report());
    if (asked !== null) return Response.json(await attempt(asked, env));
    const { pathname } = new URL(request.url);
    const counts = { request: `${request.method} ${pathname}`, fetches: 0, most: 0, waiting: 0 };
    counted.push(counts);
    return current.run(counts, () => entry.fetch(request, env, context));
  },
});

/** All since the last report. */
function report(): Report {
  const requests = counted.splice(0).map(({ waiting: _, ...one }) => one);
  return { requests, derivations: derivations.splice(0) };
}

let answerOfAnother: Response | undefined;

/** Actions that a request must not take here. */
const forbidden: Record<string, (env: Readonly<Record<string, unknown>>) => unknown> = {
  // biome-ignore lint/security/noGlobalEval: that it is refused is what is asked
  eval: () => globalThis.eval('1'),
  'new Function': () => new Function(''),
  'WebAssembly.compile': () => WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
  scrypt: () => scrypt('', '', 32, { N: 2 ** 15, r: 8, p: 5, maxmem: 2 ** 30 }, () => undefined),
  // The first request gets a response, the next one would read it.
  'I/O of another': async ({ NEON_PROXY: url }) => {
    if (answerOfAnother) return answerOfAnother.text();
    answerOfAnother = await realFetch(String(url));
  },
  PBKDF2: async () => {
    const key = await subtle.importKey('raw', new Uint8Array(8), 'PBKDF2', false, ['deriveBits']);
    const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(8), iterations: 100_001 };
    return subtle.deriveBits(algorithm, key, 256);
  },
};

async function attempt(
  name: string,
  env: Readonly<Record<string, unknown>>,
): Promise<{ refused: string | null }> {
  try {
    await forbidden[name]?.(env);
    return { refused: null };
  } catch (error) {
    return { refused: String(error) };
  }
}
