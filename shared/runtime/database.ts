import type { Connection } from '../../db/client.ts';
import { connectNeon } from '../../db/neon.ts';
import { connectPg, type PgOptions, type PrepareReport, type SessionReport } from '../../db/pg.ts';
import { Replica } from '../../db/replica/replica.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Config } from './config/config.ts';
import { loggedStates } from './replica-states.ts';

export type DatabaseSettings = Pick<Config, 'databaseDriver' | 'databasePrepare' | 'neonProxy'> & {
  databaseUrl: string;
};

/**
 * Connects with the driver of `DATABASE_DRIVER`; default: `pg`. Neon's driver has no pool and ignores its options.
 * Not for Workers, because the bundle would contain `pg`.
 */
export function connectDatabase(
  { databaseUrl: url, databaseDriver, databasePrepare: prepares, neonProxy: proxy }: DatabaseSettings,
  options: Omit<PgOptions, 'url'> = {},
): Connection {
  if (databaseDriver === 'neon') return connectNeon({ ...options, url, proxy });
  return connectPg({ prepares, ...options, url });
}

/** Connects to the database of `DATABASE_READ_URL`. @param readUrl undefined without a replica */
export function connectReplica(
  settings: Omit<DatabaseSettings, 'databaseUrl'>,
  readUrl: string | undefined,
  log: Pick<Log, 'info' | 'warn'>,
  options: Omit<PgOptions, 'url'> = {},
): (Connection & { replica: Replica }) | undefined {
  if (readUrl === undefined) return undefined;
  const connection = connectDatabase({ ...settings, databaseUrl: readUrl }, options);
  return { ...connection, replica: new Replica(connection.db, loggedStates(log)) };
}

/** Pool options that log lost connections, refused prepared statements and, once, how timeouts are enforced. */
export function loggedConnections(log: Pick<Log, 'info' | 'warn'>) {
  const logged = new Set<string>();
  return {
    onError: (error: Error): void => log.warn('a database connection was lost', { error }),
    onSession: ({ limitedBy, isPooled }: SessionReport): void => {
      const message = `database timeouts are set by ${means[limitedBy]}`;
      if (logged.has(message)) return;
      logged.add(message);
      log.info(message, { pooled: isPooled });
    },
    onPrepare: ({ code, isOff }: PrepareReport): void =>
      isOff
        ? log.warn('the database or its pooler loses prepared statements, so they are not used any more', {
            code,
          })
        : log.info('statements are prepared again, because the schema has changed', { code }),
  };
}

const means: Record<SessionReport['limitedBy'], string> = {
  session: 'start-up options of each connection',
  role: 'settings of the role',
  transaction: 'each transaction',
};
