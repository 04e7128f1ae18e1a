import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import type { AuditEntry } from '../../../db/repositories/audit.ts';
import { newId } from '../../kernel/ids.ts';
import { createSealer } from '../../kernel/sealing.ts';
import { assertSecretKey } from '../secret-key.ts';
import { ownDataFolder } from './data-folder.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';
import { prepareSchema } from './prepared-database.ts';
import type { Settings } from './settings.ts';

/**
 * Runs the work on the database of the portal: that of `DATABASE_URL` at any time, the embedded one while the portal
 * is stopped.
 * @param takesAnyKey do the work although `SECRET_KEY` is not that of the database
 * @throws Error naming the process that uses the data folder
 * @throws ConfigError when `SECRET_KEY` is not that of the database
 */
export async function withDatabase<T>(
  { config }: Settings,
  work: (db: Db) => Promise<T>,
  { takesAnyKey = false } = {},
): Promise<T> {
  const { databaseUrl, dataDir, secretKey } = config;
  const sealer = await createSealer(secretKey);
  const checked = async (db: Db): Promise<T> => {
    if (!takesAnyKey) await assertSecretKey(db, sealer);
    return work(db);
  };
  return databaseUrl === undefined ? onEmbedded(dataDir, checked) : onUrl(databaseUrl, checked);
}

/** The event of an act of the server's operator, who has no account here. */
export const breakGlassEvent = (
  action: string,
  given: Partial<AuditEntry> & Pick<AuditEntry, 'event'>,
): AuditEntry => ({
  id: newId(),
  at: new Date(),
  category: 'system',
  level: 'warning',
  result: 'success',
  user_name: 'break-glass',
  action,
  ...given,
  details: { ...given.details, operator: userInfo().username, host: hostname() },
});

async function onEmbedded<T>(dataDir: string, work: (db: Db) => Promise<T>): Promise<T> {
  const folder = join(dataDir, 'database');
  if (!existsSync(folder))
    throw new Error(`${dataDir} holds no database; the first start of the portal makes it`);
  const lock = ownStopped(dataDir);
  try {
    const database = await startEmbeddedDatabase({ folder });
    try {
      await prepareSchema(database);
      return await onUrl(database.url, work);
    } finally {
      await database.stop();
    }
  } finally {
    lock.release();
  }
}

function ownStopped(dataDir: string): ReturnType<typeof ownDataFolder> {
  try {
    return ownDataFolder(dataDir);
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : cause}; stop the portal first`, { cause });
  }
}

async function onUrl<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = connectPg({ url, applicationName: 'aggregator-admin', maxConnections: 1 });
  return work(db).finally(close);
}
