import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import type { AuditEntry } from '../../../db/repositories/audit/events.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { createSealer, type Sealer } from '../../kernel/crypto/sealing.ts';
import { newId } from '../../kernel/ids.ts';
import { assertSecretKey } from '../../runtime/config/secret-key.ts';
import { namingDatabase } from '../../runtime/database-faults.ts';
import { startEmbeddedDatabase } from '../embedded/database.ts';
import { ownDataFolder } from '../start/data-folder.ts';
import { prepareSchema } from '../start/prepared-database.ts';
import type { Settings } from '../start/settings.ts';

/**
 * Runs the work with the portal's database: that of `DATABASE_URL`, or the embedded one while the portal is stopped.
 * @param work also receives a sealer with `SECRET_KEY`
 * @param takesAnyKey run the work even if `SECRET_KEY` is not that of the database
 * @throws ConfigError if the data folder is in use, the database is unreachable, or `SECRET_KEY` does not match
 */
export async function withDatabase<T>(
  { config }: Settings,
  work: (db: Db, sealer: Sealer) => Promise<T>,
  { takesAnyKey = false } = {},
): Promise<T> {
  const { databaseUrl, dataDir, secretKey } = config;
  const sealer = await createSealer(secretKey);
  const checked = async (db: Db): Promise<T> => {
    if (!takesAnyKey) await assertSecretKey(db, sealer);
    return work(db, sealer);
  };
  return databaseUrl === undefined ? onEmbedded(dataDir, checked) : onUrl(databaseUrl, checked);
}

/** The audit event of an action by the server's operator, who has no account. */
export const breakGlassEvent = (
  action: string,
  fields: Partial<AuditEntry> & Pick<AuditEntry, 'event'>,
): AuditEntry => ({
  id: newId(),
  at: new Date(),
  category: 'system',
  level: 'warning',
  result: 'success',
  actor: 'operator',
  user_name: 'break-glass',
  action,
  ...fields,
  details: { ...fields.details, operator: userInfo().username, host: hostname() },
});

async function onEmbedded<T>(dataDir: string, work: (db: Db) => Promise<T>): Promise<T> {
  const folder = join(dataDir, 'database');
  if (!existsSync(folder))
    throw new ConfigError([
      `DATA_DIR: ${dataDir} contains no database; start the portal once, or set another folder`,
    ]);
  const lock = ownDataFolder(dataDir);
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

async function onUrl<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = connectPg({ url, applicationName: 'aggregator-admin', maxConnections: 1 });
  return work(db).catch(namingDatabase('DATABASE_URL', url)).finally(close);
}
