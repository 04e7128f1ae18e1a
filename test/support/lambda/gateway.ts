import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createLog } from '../../../shared/runtime/log.ts';
import { createShutdown, type Shutdown } from '../../../shared/runtime/node/shutdown.ts';
import type { Bundle, EdgeModule } from '../../../shared/tooling/build/bundles.ts';
import { orEnd, orShutDown } from '../../../shared/tooling/start/fatal.ts';
import { loadSettings, type Settings } from '../../../shared/tooling/start/settings.ts';
import { localEnvironment, prepareModules } from '../../../shared/tooling/workers/local-modules.ts';
import { answerWith, type LambdaResult, type RestEvent, readEvent } from './events.ts';
import { moduleAt } from './module-routes.ts';
import { awslambda, type Handler as Entry, invokeStreaming, isStreaming } from './runtime.ts';

type Handler = (event: RestEvent) => Promise<LambdaResult>;

/** The portal as Lambda functions behind a REST API, on this machine: the real bundles, called with events. */
async function start(): Promise<void> {
  const settings = await loadSettings(localEnvironment('8788'));
  const shutdown = createShutdown({ log: createLog({ level: settings.config.logLevel }) });
  await orShutDown(shutdown, () => startAll(settings, shutdown));
}

async function startAll({ config, env }: Settings, { add }: Shutdown): Promise<void> {
  const { database, bundles, adminPassword } = await prepareModules('lambda', config, add);
  // The only input of a function is its environment.
  Object.assign(process.env, env, { DATABASE_URL: database.url });
  Object.assign(globalThis, { awslambda });
  const functions = new Map(bundles.map((bundle) => [bundle.module, createFunction(bundle)]));
  const server = createServer((request, response) => void serve(functions, request, response));
  await listen(server, config);
  add('gateway', () => closeServer(server));
  const announcement = { base_url: config.baseUrl, admin_password: adminPassword, pid: process.pid };
  process.stdout.write(`${JSON.stringify(announcement)}\n`);
}

async function serve(
  functions: ReadonlyMap<EdgeModule, Handler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const event = await readEvent(request);
    const result = await functions.get(moduleAt(event.path))?.(event);
    answerWith(response, result ?? { statusCode: 404, headers: {}, body: '', isBase64Encoded: false });
  } catch (error) {
    // As API Gateway does when a function throws.
    process.stderr.write(`${JSON.stringify({ level: 'error', message: String(error) })}\n`);
    if (!response.headersSent) response.writeHead(502);
    response.end();
  }
}

/** As many instances as running requests: an instance serves one at a time. */
function createFunction({ file }: Bundle): Handler {
  const idle: Handler[] = [];
  let started = 0;
  const launch = async (): Promise<Handler> => {
    started += 1;
    const { handler } = await import(`file://${file}?${started}`);
    return (event) => invoke(handler, event);
  };
  return async (event) => {
    const instance = idle.pop() ?? (await launch());
    try {
      return await instance(event);
    } finally {
      idle.push(instance);
    }
  };
}

/** Returns a streamed response as a whole, which a client cannot distinguish. */
async function invoke(handler: Entry, event: RestEvent): Promise<LambdaResult> {
  if (!isStreaming(handler)) return handler(event, {});
  const { result, bytes } = await invokeStreaming(handler, event);
  return { ...result, body: bytes.toString('base64'), isBase64Encoded: true };
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen({ host, port }, resolve);
  await promise;
}

async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  await promise;
}

await orEnd(start);
