import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../portal.ts';

/** A Worker as stored by Cloudflare. */
type KnownWorker = {
  secrets: string[];
  /** Values of the secrets that were set in one request. */
  values: Record<string, string>;
  uploads: number;
  routes: string[];
  crons: string[];
  variables: Json;
  /** Modules of its code. */
  files: string[];
};

export type CloudflareApi = {
  url: string;
  /** `METHOD /path` of every request, in order. */
  calls: string[];
  workers: Map<string, KnownWorker>;
  close(): Promise<void>;
};

type Hook = (worker: string) => Promise<void>;
type ApiRequest = { method: string; path: string; request: IncomingMessage };
type ApiResponse = { status?: number; result: unknown; errors?: { code: number; message: string }[] };

const account = 'account-1';
const zone = { id: 'zone-1', name: 'example.org', account: { id: account } };

/**
 * The part of Cloudflare's API (v4) that wrangler uses to list secrets and to deploy a Worker with routes and assets,
 * for one zone, `example.org`. It stores the requests and runs nothing.
 * @param onUpload is awaited before an upload is answered
 * @param onSecrets is awaited before secrets are stored; if it fails, they are rejected, with their values in the
 * response
 */
export async function startCloudflareApi(
  onUpload: Hook = async () => undefined,
  onSecrets: Hook = async () => undefined,
): Promise<CloudflareApi> {
  const calls: string[] = [];
  const workers = new Map<string, KnownWorker>();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://api');
    const asked = { method: request.method ?? 'GET', path: pathname, request };
    calls.push(`${asked.method} ${asked.path}`);
    const { status = 200, result, errors = [] } = await answer(asked, workers, { onUpload, onSecrets });
    const body = { success: errors.length === 0, errors, messages: [], result };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    workers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  asked: ApiRequest,
  workers: Map<string, KnownWorker>,
  { onUpload, onSecrets }: { onUpload: Hook; onSecrets: Hook },
): Promise<ApiResponse> {
  const { method, path } = asked;
  if (path === '/zones') return { result: [zone] };
  if (path === `/zones/${zone.id}/workers/routes`) return { result: allRoutes(workers) };
  const [, kind = '', name = '', rest = ''] =
    /^\/accounts\/account-1\/workers\/(services|scripts|workers)\/([^/]+)\/?(.*)$/.exec(path) ?? [];
  if (kind === '') return { result: {} };
  if (kind === 'scripts' && isUpload(method, rest)) {
    await onUpload(name);
    return { result: await upload(asked, name, workers) };
  }
  if (rest === 'assets-upload-session') return { result: { jwt: 'assets', buckets: [] } };
  const worker = workers.get(name);
  if (!worker) return absent;
  if (rest === 'secrets-bulk') return putSecrets(asked, worker, () => onSecrets(name));
  return { result: await responseTo(asked, kind === 'scripts' ? rest : kind, worker) };
}

const absent: ApiResponse = {
  status: 404,
  result: null,
  errors: [{ code: 10_007, message: 'This Worker does not exist on your account.' }],
};

async function putSecrets(
  { request }: ApiRequest,
  worker: KnownWorker,
  onSecrets: () => Promise<void>,
): Promise<ApiResponse> {
  const text = (await bytesOf(request)).toString();
  try {
    await onSecrets();
  } catch {
    return { status: 400, result: null, errors: [{ code: 10_053, message: `refused: ${text}` }] };
  }
  for (const [name, secret] of Object.entries<Json>(JSON.parse(text).secrets)) {
    worker.values[name] = secret.text;
    if (!worker.secrets.includes(name)) worker.secrets.push(name);
  }
  return { result: {} };
}

const isUpload = (method: string, rest: string): boolean =>
  (method === 'PUT' && rest === '') || (method === 'POST' && rest === 'versions');

const allRoutes = (workers: ReadonlyMap<string, KnownWorker>) =>
  [...workers].flatMap(([script, { routes }]) => routes.map((pattern) => ({ id: pattern, pattern, script })));

async function responseTo(
  { method, request }: ApiRequest,
  what: string,
  worker: KnownWorker,
): Promise<unknown> {
  switch (what) {
    case 'services':
      return { default_environment: { environment: 'production', script: { tag: 'tag', tags: [] } } };
    case 'secrets':
      return worker.secrets.map((name) => ({ name, type: 'secret_text' }));
    case 'workers':
      return { subdomain: { enabled: false, previews_enabled: false } };
    case 'subdomain':
      return { enabled: false, previews_enabled: false };
    case 'routes':
      if (method === 'PUT')
        worker.routes = JSON.parse((await bytesOf(request)).toString()).map(({ pattern }: Json) => pattern);
      return worker.routes.map((pattern) => ({ pattern }));
    case 'schedules':
      worker.crons = JSON.parse((await bytesOf(request)).toString()).map(({ cron }: Json) => cron);
      return { schedules: worker.crons.map((cron) => ({ cron })) };
    case 'deployments':
      return method === 'GET' ? { deployments: [] } : { id: randomUUID() };
    default:
      return {};
  }
}

/** The metadata contains the variables; the rest is code. */
async function upload(
  { request }: ApiRequest,
  name: string,
  workers: Map<string, KnownWorker>,
): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  const bytes = new Uint8Array(await bytesOf(request));
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const { bindings } = JSON.parse(String(form.get('metadata')));
  const plain = bindings.filter((binding: Json) => binding.type === 'plain_text');
  const { secrets = [], values = {}, uploads = 0, routes = [], crons = [] } = workers.get(name) ?? {};
  const variables = Object.fromEntries(plain.map((binding: Json) => [binding.name, binding.text]));
  const files = [...form.keys()].filter((part) => part !== 'metadata');
  workers.set(name, { secrets, values, uploads: uploads + 1, routes, crons, variables, files });
  const id = randomUUID();
  return { id, deployment_id: id, etag: id, startup_time_ms: 5, resources: { script: { etag: id } } };
}

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray());
