import { join } from 'node:path';
import { unstable_readConfig as readConfig } from 'wrangler';
import { type EdgeModule, root } from '../build/bundles.ts';

/** Number of requests per period in seconds. */
export type RateLimit = { limit: number; period: 10 | 60 };

type Limits = { namespace_id: string; simple: RateLimit };

// Routes are patterns for any host: a star, a path, and usually another star.
export type Deployment = {
  compatibilityDate: string;
  compatibilityFlags: string[];
  routes: string[];
  /** Cron schedules. */
  crons: string[];
  /** Rate-limit bindings by name. */
  ratelimits: Record<string, Limits>;
  /** Of modules with pages. */
  assets: { binding: string; directory: string } | undefined;
};

/** The settings of a module in `wrangler.toml`. */
export function deploymentOf(module: EdgeModule): Deployment {
  const config = readConfig({ config: join(root, 'wrangler.toml'), env: module });
  return {
    compatibilityDate: config.compatibility_date ?? '',
    compatibilityFlags: config.compatibility_flags,
    routes: patternsOf(config.routes).map(anyHost),
    crons: config.triggers.crons ?? [],
    ratelimits: limitsIn(config.ratelimits),
    assets: assetsIn(config.assets),
  };
}

const limitsIn = (bindings: readonly ({ name: string } & Limits)[] = []): Deployment['ratelimits'] =>
  Object.fromEntries(bindings.map(({ name, ...limits }) => [name, limits]));

const assetsIn = (assets: { binding?: string; directory?: string } | undefined): Deployment['assets'] =>
  assets?.binding && assets.directory
    ? { binding: assets.binding, directory: join(root, assets.directory) }
    : undefined;

/** Wrangler's type of a route depends on packages that are not installed. */
const patternsOf = (routes: readonly (string | { pattern: string })[] = []): string[] =>
  routes.map((route) => (typeof route === 'string' ? route : route.pattern));

/** A local server has no zone; only the path matters. */
const anyHost = (pattern: string): string => pattern.replace(/^[^/]*/, '*');
