import type { Connection } from '../../db/client.ts';
import { connectNeon } from '../../db/neon.ts';
import { connectPg, type PgOptions } from '../../db/pg.ts';
import type { Config } from './config.ts';

export type DatabaseSettings = Pick<Config, 'databaseDriver' | 'neonProxy'> & { databaseUrl: string };

/**
 * Connects as `DATABASE_DRIVER` asks for, by `pg` unless told. Neon's driver keeps no connections, so that what `pg`
 * is told of them means nothing to it. A Worker must not import this: it would carry `pg` along.
 */
export function connectDatabase(
  { databaseUrl: url, databaseDriver, neonProxy: proxy }: DatabaseSettings,
  options: Omit<PgOptions, 'url'> = {},
): Connection {
  if (databaseDriver === 'neon') return connectNeon({ ...options, url, proxy });
  return connectPg({ ...options, url });
}
