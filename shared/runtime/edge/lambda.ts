import { release, type } from 'node:os';
import type { Writable } from 'node:stream';
import { Hono } from 'hono';
import { handle, type LambdaEvent, streamHandle } from 'hono/aws-lambda';
import type { HttpDeps } from '../../http/context.ts';
import type { Invocation } from '../../http/invocation.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Telemetry } from '../../kernel/observability/telemetry.ts';
import type { Host } from '../../kernel/version.ts';
import { connectDatabase, loggedConnections } from '../database.ts';
import type { Ingredients } from '../deps.ts';
import { createLog } from '../log.ts';
import { assetsIn } from '../node/assets.ts';
import { createCompression } from '../node/compression.ts';
import { transportSecurityIn, withHeaders } from '../node/transport-security.ts';
import { telemetryInto } from '../telemetry.ts';
import { parseEdgeConfig } from './config.ts';
import { type Assembly, type Built, buildModule, runScheduled, serveBuilt } from './module.ts';

type Env = { Bindings: { event: LambdaEvent } };

/**
 * A module as a Lambda function behind an API of API Gateway, of either kind, or a function URL; configured by
 * `process.env`.
 */
export const lambdaOf = <D extends HttpDeps>(assembly: Assembly<D>) => handle(instanceOf(assembly).app);

/** Lambda's own runtime has it, and nothing else. */
declare const awslambda: { streamifyResponse: (handler: StreamHandler) => ReturnType<typeof streamHandle> };
type StreamHandler = (event: unknown, answer: Writable, context: unknown) => Promise<void>;

/**
 * The same for a module whose answers may exceed the 6 MB of a buffered one: behind a REST API that streams, or a function
 * URL whose invoke mode is RESPONSE_STREAM. Made only inside Lambda's own runtime, which has the means for it. A schedule of
 * EventBridge may invoke it as well.
 */
export function streamingLambdaOf<D extends HttpDeps>(assembly: Assembly<D>) {
  const { app, build } = instanceOf(assembly);
  const serve = streamHandle(app);
  const { everyMinute } = assembly;
  if (!everyMinute) return serve;
  return awslambda.streamifyResponse(async (event, answer, context) => {
    if (!isSchedule(event)) return void (await Reflect.apply(serve, undefined, [event, answer, context]));
    await runScheduled(build, everyMinute).finally(() => answer.end());
  });
}

/** As rules of EventBridge and its scheduler write it. */
const isSchedule = (event: unknown): boolean =>
  Reflect.get(Object(event), 'detail-type') === 'Scheduled Event';

function instanceOf<D extends HttpDeps>(assembly: Assembly<D>) {
  let built: (Built<D> & { telemetry: Telemetry | undefined }) | undefined;
  const build = async (): Promise<Built<D>> => {
    if (built) return built;
    const ingredients = ingredientsOf(assembly);
    built = { ...(await buildModule(assembly, ingredients)), telemetry: ingredients.telemetry };
    return built;
  };
  const app = new Hono<Env>().all('*', async (c) => {
    const work = createBackground();
    const client = clientOf(c.env.event);
    // What earlier requests have counted goes beside this one: after its answer somebody would wait for it.
    if (built?.telemetry?.isDue()) work.add(built.telemetry.flush());
    const invocation = { client, background: work.add };
    const response = await serveBuilt(async () => (await build()).app, c.req.raw, invocation);
    withHeaders(response, transportSecurityIn(process.env));
    // The instance is frozen as soon as it has answered, and what runs then may never go on.
    await work.finish();
    return response;
  });
  return { app, build };
}

function ingredientsOf<D extends HttpDeps>({ demands = [], watchWrites }: Assembly<D>): Ingredients {
  const config = parseEdgeConfig(process.env, demands);
  const log: Log = createLog({ level: config.logLevel });
  // An instance serves one request at a time; a second connection is for what runs beside it.
  const options = { applicationName: 'aggregator-portal', maxConnections: 2, ...loggedConnections(log) };
  const { db } = connectDatabase(config, options);
  const os = `${type()} ${release()}`;
  const host: Host = { name: config.portalName, runtime: 'lambda', os, startedAt: new Date() };
  // Beside the bundle, as the build puts them.
  const assets = assetsIn([new URL('assets/', import.meta.url)]);
  const watched = watchWrites && { writes: watchWrites(db, log) };
  const telemetry = telemetryInto(db, log, watched);
  // API Gateway compresses no stream, and of the other answers all or none.
  const compression = createCompression();
  return { ...config, ...watched, db, log, host, assets, telemetry, compression };
}

function createBackground() {
  const running = new Set<Promise<unknown>>();
  return {
    add: (work: Promise<unknown>): void => {
      const settled = work
        .catch((error: unknown) => createLog().error('background work failed', { error }))
        .finally(() => running.delete(settled));
      running.add(settled);
    },
    finish: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** API Gateway and function URLs speak HTTPS only; the address is the one that the event tells, no header. */
function clientOf({ requestContext }: LambdaEvent): Invocation['client'] {
  return { ip: addressIn(requestContext) ?? '0.0.0.0', secure: true, loopback: false };
}

/** An HTTP API and a function URL tell it in one place, a REST API in another. */
function addressIn(context: LambdaEvent['requestContext']): string | undefined {
  if ('http' in context) return context.http.sourceIp;
  return 'identity' in context && 'sourceIp' in context.identity ? context.identity.sourceIp : undefined;
}
