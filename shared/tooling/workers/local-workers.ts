import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import type { Bundle, EdgeModule } from '../build/bundles.ts';
import { deploymentOf, type RateLimit } from '../deploy/deployments.ts';

export type LocalWorkersOptions = {
  /** As `bundleAll('workers')` made them. */
  bundles: readonly Bundle[];
  host: string;
  port: number;
  /** The same for every module, in the place of what `wrangler.toml` says. */
  variables: Readonly<Record<string, string>>;
  /** Floods are told by this instead of what `wrangler.toml` says. */
  flood?: RateLimit;
  /** Gets what Workers log; standard error unless told, since standard output belongs to announcements. */
  write?: (line: string) => void;
};

export type LocalWorkers = {
  url: string;
  /** Does what the platform does when cron triggers are due, for all of them. @throws Error with what went wrong */
  trigger(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Every module as its own isolate of a local workerd, behind one port that goes by the routes of `wrangler.toml`.
 * Workers trust the public authorities and those of `NODE_EXTRA_CA_CERTS`.
 * @throws Error when the port cannot be listened on
 */
export async function startLocalWorkers(options: LocalWorkersOptions): Promise<LocalWorkers> {
  const { host, port, bundles, write = toStandardError } = options;
  const workers = bundles.map((bundle) => workerOf(bundle, options));
  const miniflare = create({
    host,
    port,
    // Facts about the visitor would be fetched from Cloudflare.
    cf: false,
    log: new Log(LogLevel.ERROR),
    // Ours are one line each; after the first one workerd writes addresses of its own code.
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

/** Miniflare would end the process itself on a signal, before anybody else has closed what he has open. */
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

/** In the place of the platform's own server of assets, which only the Worker asks. */
const servesFrom =
  (directory: string) =>
  async ({ url }: { url: string }): Promise<Response> => {
    const file = join(directory, basename(new URL(url).pathname));
    const text = await readFile(file, 'utf8').catch(() => undefined);
    return text === undefined ? new Response(null, { status: 404 }) : new Response(text);
  };
