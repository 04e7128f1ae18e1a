import type { Connection } from '../../db/client.ts';
import { connectNeon } from '../../db/neon.ts';
import { connectPg, type PgOptions, type SessionReport } from '../../db/pg.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Config } from './config/config.ts';

export type DatabaseSettings = Pick<Config, 'databaseDriver' | 'neonProxy'> & { databaseUrl: string };

/**
 * Connects by the driver of `DATABASE_DRIVER`, `pg` by default. Neon's driver keeps no connections and ignores the
 * options about them. Not for Workers: their bundles would contain `pg`.
 */
export function connectDatabase(
  { databaseUrl: url, databaseDriver, neonProxy: proxy }: DatabaseSettings,
  options: Omit<PgOptions, 'url'> = {},
): Connection {
  if (databaseDriver === 'neon') return connectNeon({ ...options, url, proxy });
  return connectPg({ ...options, url });
}

/** Options that log what happens to the connections of a process: lost ones, and once how their time limits are set. */
export function loggedConnections(log: Pick<Log, 'info' | 'warn'>) {
  const logged = new Set<string>();
  return {
    onError: (error: Error): void => log.warn('a database connection was lost', { error }),
    onSession: ({ limitedBy, isPooled }: SessionReport): void => {
      const message = `the time limits of the database are set by ${means[limitedBy]}`;
      if (logged.has(message)) return;
      logged.add(message);
      log.info(message, { pooled: isPooled });
    },
  };
}

const means: Record<SessionReport['limitedBy'], string> = {
  session: 'each connection when it starts',
  role: 'the role',
  transaction: 'each transaction',
};
