import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import type { Bundle, EdgeModule } from '../build/bundles.ts';
import { deploymentOf, type RateLimit } from '../deploy/deployments.ts';

export type LocalWorkersOptions = {
  /** As created by `bundleAll('workers')`. */
  bundles: readonly Bundle[];
  host: string;
  port: number;
  /** Variables of all modules; they replace those of `wrangler.toml`. */
  variables: Readonly<Record<string, string>>;
  /** Overrides the rate limit of `wrangler.toml`. */
  flood?: RateLimit;
  /** Receives log lines of Workers. Default: standard error, because standard output is for announcements. */
  write?: (line: string) => void;
};

export type LocalWorkers = {
  url: string;
  /** Runs all cron triggers once, like the platform. @throws Error with the reason */
  trigger(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Runs every module as an isolate of a local workerd, behind one port with the routes of `wrangler.toml`. Workers
 * trust the public authorities and those of `NODE_EXTRA_CA_CERTS`.
 * @throws Error if the server cannot listen on the port
 */
export async function startLocalWorkers(options: LocalWorkersOptions): Promise<LocalWorkers> {
  const { host, port, bundles, write = toStandardError } = options;
  const workers = bundles.map((bundle) => workerOf(bundle, options));
  const miniflare = create({
    host,
    port,
    // Otherwise client metadata would be fetched from Cloudflare.
    cf: false,
    log: new Log(LogLevel.ERROR),
    // Our log lines are single lines; workerd appends stack addresses.
    handleStructuredLogs: ({ message }) => write(message.split('\n', 1)[0] ?? ''),
    workers,
  });
  try {
    const { origin } = await miniflare.ready;
    const scheduled = bundles.filter(({ module }) => deploymentOf(module).crons.length > 0);
    return {
      url: origin,
      trigger: async () => {
        await Promise.all(scheduled.map(({ module }) => trigger(miniflare, module)));
      },
      stop: () => miniflare.dispose(),
    };
  } catch (cause) {
    await miniflare.dispose();
    throw new Error(`The Workers do not start on ${host}:${port}: ${String(cause)}`, { cause });
  }
}

async function trigger(miniflare: Miniflare, module: EdgeModule): Promise<void> {
  const worker = await miniflare.getWorker(module);
  const { outcome } = await worker.scheduled({});
  if (outcome !== 'ok') throw new Error(`The scheduled run of ${module} ended with ${outcome}`);
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Removes Miniflare's signal handlers, which would end the process before other parts are shut down. */
function create(options: Parameters<typeof convertV4MiniflareOptions>[0]): Miniflare {
  const before = signals.map((signal) => process.listeners(signal));
  const miniflare = new Miniflare(convertV4MiniflareOptions(options));
  for (const [at, signal] of signals.entries()) {
    const added = process.listeners(signal).filter((listener) => !before[at]?.includes(listener));
    for (const listener of added) process.off(signal, listener);
  }
  return miniflare;
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

function workerOf({ module, file }: Bundle, { variables: bindings, flood }: LocalWorkersOptions) {
  const { routes, compatibilityDate, compatibilityFlags, assets, ratelimits } = deploymentOf(module);
  return {
    name: module,
    compatibilityDate,
    compatibilityFlags,
    modulesRoot: dirname(file),
    modules: [{ type: 'ESModule' as const, path: file }],
    routes,
    bindings,
    ratelimits: flood ? { FLOOD: { namespace_id: module, simple: flood } } : ratelimits,
    ...(assets && { serviceBindings: { [assets.binding]: servesFrom(join(dirname(file), 'assets')) } }),
  };
}

/** Replaces the platform's asset server, which is only accessible to the Worker. */
const servesFrom =
  (directory: string) =>
  async ({ url }: { url: string }): Promise<Response> => {
    const file = join(directory, basename(new URL(url).pathname));
    const content = await readFile(file).catch(() => undefined);
    return content === undefined ? new Response(null, { status: 404 }) : new Response(content);
  };
