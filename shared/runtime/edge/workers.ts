import { connectNeon } from '../../../db/neon.ts';
import { Replica } from '../../../db/replica/replica.ts';
import type { HttpDeps } from '../../http/context.ts';
import type { Invocation } from '../../http/invocation.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Host } from '../../kernel/version.ts';
import { isLoopbackHost } from '../config/values.ts';
import type { RuntimeParts } from '../deps.ts';
import { createLog } from '../log.ts';
import { transportSecurityIn, withHeaders } from '../node/transport-security.ts';
import { loggedStates } from '../replica-states.ts';
import { telemetryInto } from '../telemetry.ts';
import { type EdgeEnv, parseEdgeConfig } from './config.ts';
import { refuseFlood } from './flood-gate.ts';
import { type Assembly, type BuiltModule, buildModule, runScheduled, serveBuilt } from './module.ts';
import { assetsOf } from './worker-assets.ts';

/** The used part of Cloudflare's `ExecutionContext`. */
export type ExecutionContext = { waitUntil(work: Promise<unknown>): void };

/** The default export of a Worker. */
export type WorkerEntry = {
  fetch(request: Request, env: EdgeEnv, context: ExecutionContext): Promise<Response>;
  /** For modules started by a cron trigger. */
  scheduled?(trigger: unknown, env: EdgeEnv): Promise<void>;
};

/** A module as a Cloudflare Worker. The app is built once per isolate and environment object. */
export function workerOf<D extends HttpDeps>(assembly: Assembly<D>): WorkerEntry {
  const builtByEnv = new WeakMap<EdgeEnv, BuiltModule<D>>();
  const buildFor = async (env: EdgeEnv): Promise<BuiltModule<D>> => {
    const built = builtByEnv.get(env);
    if (built) return built;
    const fresh = await buildModule(assembly, ingredientsOf(env, assembly));
    // Only the settled value is cached: a promise belongs to the request that created it, and may never settle after
    // it ends.
    builtByEnv.set(env, fresh);
    return fresh;
  };
  const { everyMinute } = assembly;
  const serve: WorkerEntry['fetch'] = async (request, env, context) => {
    const client = clientOf(request);
    const refusal = await refuseFlood(env.FLOOD, request, client.ip);
    if (refusal) return refusal;
    return serveBuilt(async () => (await buildFor(env)).app, request, {
      client,
      background: (work) => context.waitUntil(work.catch(logFailure)),
    });
  };
  return {
    fetch: async (request, env, context) =>
      withHeaders(await serve(request, env, context), transportSecurityIn(env)),
    ...(everyMinute && {
      scheduled: async (_: unknown, env: EdgeEnv) => {
        // A report each minute would keep the database awake.
        if (env.DATABASE_MAY_SUSPEND !== 'on') await runScheduled(() => buildFor(env), everyMinute);
      },
    }),
  };
}

const logFailure = (error: unknown): void => createLog().error('background work failed', { error });

function ingredientsOf<D extends HttpDeps>(
  env: EdgeEnv,
  { demands = [], monitorWrites }: Assembly<D>,
): RuntimeParts {
  const {
    databaseUrl: url,
    databaseReadUrl: readUrl,
    databaseDriver,
    neonProxy: proxy,
    logLevel,
    ...config
  } = parseEdgeConfig(env, demands);
  if (databaseDriver === 'pg')
    throw new ConfigError(['DATABASE_DRIVER: must be neon or unset; a Worker cannot keep sockets open']);
  const log: Log = createLog({ level: logLevel });
  const { db } = connectNeon({ url, proxy });
  const reading = readUrl === undefined ? undefined : connectNeon({ url: readUrl, proxy });
  const replica = reading && new Replica(reading.db, loggedStates(log));
  const host: Host = { name: config.portalName, runtime: 'workers', os: 'workerd', startedAt: new Date() };
  const assets = assetsOf(env.ASSETS);
  // The isolate may not receive another request, and gets no event when it ends.
  const watched = monitorWrites && { writes: monitorWrites(db, log) };
  const telemetry = telemetryInto(db, log, { isHasty: true, ...watched });
  // Requests do not queue but fail with 503, because a request that would release the slot may have ended.
  const hashing = { concurrency: 2, maxWaiting: 0 };
  return { ...config, ...watched, db, replica, log, host, assets, telemetry, hashing };
}

/** The header is set by Cloudflare. Without it, the Worker runs on the local machine. */
function clientOf(request: Request): Invocation['client'] {
  const { protocol, hostname } = new URL(request.url);
  const ip = request.headers.get('cf-connecting-ip') ?? '127.0.0.1';
  return { ip: plainIp(ip), secure: protocol === 'https:', loopback: isLoopbackHost(hostname) };
}

const plainIp = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/i, '');
