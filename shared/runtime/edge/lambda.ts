import { release, type } from 'node:os';
import type { Writable } from 'node:stream';
import { Hono } from 'hono';
import { handle, type LambdaEvent, streamHandle } from 'hono/aws-lambda';
import type { HttpDeps } from '../../http/context.ts';
import type { Invocation } from '../../http/invocation.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Telemetry } from '../../kernel/observability/telemetry.ts';
import type { Host } from '../../kernel/version.ts';
import { connectDatabase, connectReplica, loggedConnections } from '../database.ts';
import type { RuntimeParts } from '../deps.ts';
import { createLog } from '../log.ts';
import { assetsIn } from '../node/assets.ts';
import { createCompression } from '../node/compression.ts';
import { transportSecurityIn, withHeaders } from '../node/transport-security.ts';
import { telemetryInto } from '../telemetry.ts';
import { parseEdgeConfig } from './config.ts';
import { type Assembly, type BuiltModule, buildModule, runScheduled, serveBuilt } from './module.ts';

type Env = { Bindings: { event: LambdaEvent } };

/**
 * A module as a Lambda function behind API Gateway (HTTP or REST API) or a function URL; configured by `process.env`.
 */
export const lambdaOf = <D extends HttpDeps>(assembly: Assembly<D>) => handle(instanceOf(assembly).app);

/** The function that Lambda's runtime calls. */
export type StreamingLambda = ReturnType<typeof streamHandle>;

/** Exists only in Lambda's runtime. */
declare const awslambda: { streamifyResponse: (handler: StreamHandler) => StreamingLambda };
type StreamHandler = (event: unknown, answer: Writable, context: unknown) => Promise<void>;

/**
 * Like `lambdaOf`, for a module whose responses may exceed the 6 MB of a buffered response: behind a REST API with
 * streaming, or a function URL with the invoke mode RESPONSE_STREAM. Can be created only in Lambda's runtime. An
 * EventBridge schedule may also invoke it.
 */
export function streamingLambdaOf<D extends HttpDeps>(assembly: Assembly<D>): StreamingLambda {
  const { app, build } = instanceOf(assembly);
  const serve = streamHandle(app);
  const { everyMinute } = assembly;
  if (!everyMinute) return serve;
  return awslambda.streamifyResponse(async (event, answer, context) => {
    if (!isSchedule(event)) return void (await Reflect.apply(serve, undefined, [event, answer, context]));
    await runScheduled(build, everyMinute).finally(() => answer.end());
  });
}

/** The event format of EventBridge rules and schedules. */
const isSchedule = (event: unknown): boolean =>
  Reflect.get(Object(event), 'detail-type') === 'Scheduled Event';

function instanceOf<D extends HttpDeps>(assembly: Assembly<D>) {
  let built: (BuiltModule<D> & { telemetry: Telemetry | undefined }) | undefined;
  const build = async (): Promise<BuiltModule<D>> => {
    if (built) return built;
    const ingredients = ingredientsOf(assembly);
    built = { ...(await buildModule(assembly, ingredients)), telemetry: ingredients.telemetry };
    return built;
  };
  const app = new Hono<Env>().all('*', async (c) => {
    const work = createBackground();
    const client = clientOf(c.env.event);
    // Counts of earlier requests are flushed during this request, because after the response the client would wait
    // for it.
    if (built?.telemetry?.isDue()) work.add(built.telemetry.flush());
    const invocation = { client, background: work.add, stopsWithResponse: true };
    const response = await serveBuilt(async () => (await build()).app, c.req.raw, invocation);
    withHeaders(response, transportSecurityIn(process.env));
    // The instance is frozen after the response, and unfinished work may never continue.
    await work.finish();
    return response;
  });
  return { app, build };
}

function ingredientsOf<D extends HttpDeps>({ demands = [], monitorWrites }: Assembly<D>): RuntimeParts {
  const config = parseEdgeConfig(process.env, demands);
  const log: Log = createLog({ level: config.logLevel });
  // An instance serves one request at a time. The second connection is for concurrent background work.
  const options = { applicationName: 'aggregator-portal', maxConnections: 2, ...loggedConnections(log) };
  const { db } = connectDatabase(config, options);
  const replica = connectReplica(config, config.databaseReadUrl, log, options)?.replica;
  const os = `${type()} ${release()}`;
  const host: Host = { name: config.portalName, runtime: 'lambda', os, startedAt: new Date() };
  // In the folder of the bundle, as created by the build.
  const assets = assetsIn([new URL('assets/', import.meta.url)]);
  const watched = monitorWrites && { writes: monitorWrites(db, log) };
  const telemetry = telemetryInto(db, log, watched);
  // API Gateway does not compress streams, and compresses other responses only all or none.
  const compression = createCompression();
  return { ...config, ...watched, db, replica, log, host, assets, telemetry, compression };
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

/** API Gateway and function URLs support only HTTPS. The address is taken from the event, not from a header. */
function clientOf({ requestContext }: LambdaEvent): Invocation['client'] {
  return { ip: addressIn(requestContext) ?? '0.0.0.0', secure: true, loopback: false };
}

/** The source address of an HTTP API, a function URL, or a REST API. */
function addressIn(context: LambdaEvent['requestContext']): string | undefined {
  if ('http' in context) return context.http.sourceIp;
  return 'identity' in context && 'sourceIp' in context.identity ? context.identity.sourceIp : undefined;
}
