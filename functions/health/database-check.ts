import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/client.ts';
import { isUnavailable } from '../../db/errors.ts';
import { type SchemaState, schemaStateIn } from '../../db/migrator/state.ts';
import { ConfigError } from '../../shared/kernel/config-error.ts';
import { createSealer } from '../../shared/kernel/crypto/sealing.ts';
import type { Log } from '../../shared/kernel/observability/log.ts';
import type { Config } from '../../shared/runtime/config/config.ts';
import { isSecretKeyChecked } from '../../shared/runtime/config/secret-key.ts';
import { namingDatabase } from '../../shared/runtime/database-faults.ts';

export type CheckedDatabase = {
  config: Pick<Config, 'secretKey' | 'databaseUrl' | 'databaseSidecarUrl'>;
  db: Db;
  log: Pick<Log, 'warn'>;
};

const retryMs = 1_000;

/**
 * Checks the schema version of the database and its `SECRET_KEY` check value before any job writes. The promise stays
 * pending while the database is unreachable, and until the portal has stored the check value in a new database.
 * @throws ConfigError if the schema or the key does not match; AbortError when `signal` aborts
 */
export async function verifyDatabase(
  { config, db, log }: CheckedDatabase,
  signal: AbortSignal,
): Promise<void> {
  const { databaseUrl, databaseSidecarUrl: url = '' } = config;
  const variable = url === databaseUrl ? 'DATABASE_URL' : 'DATABASE_SIDECAR_URL';
  const named = namingDatabase(variable, url);
  const sealer = await createSealer(config.secretKey);
  for (let tries = 0; ; tries++) {
    try {
      assertCurrent(await schemaStateIn(db), variable);
      if (await isSecretKeyChecked(db, sealer)) return;
      if (tries === 0) log.warn('jobs do not run until the portal has been started with this database');
    } catch (error) {
      if (!isUnavailable(error)) return named(error);
      if (tries === 0) log.warn('jobs do not run until the database is reachable', { error });
    }
    await delay(retryMs, undefined, { signal });
  }
}

const faults: Partial<Record<SchemaState, string>> = {
  empty: 'the database has no schema; run npm run db:migrate, or start the portal first',
  partial: 'the schema was created by a development version; npm run db:migrate shows how it can be upgraded',
  foreign:
    'the schema was created by a development version before the first release; use a new, empty database',
  older:
    'the database schema is older than this version; run npm run db:migrate, or start the new portal first',
  newer: 'the database schema is newer than this version; start the newer version of the sidecar',
};

function assertCurrent(state: SchemaState, variable: string): void {
  const fault = faults[state];
  if (fault) throw new ConfigError([`${variable}: ${fault}`]);
}
