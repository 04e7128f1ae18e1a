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
 * Compares the database with this version and with `SECRET_KEY`, before a job writes anything. As long as it cannot be
 * reached the promise is pending, and so it is until the portal has given a new database its check value.
 * @throws ConfigError for another schema or another key; AbortError when `signal` aborts
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
      if (tries === 0)
        log.warn('the jobs wait for the portal, which has not been started with this database yet');
    } catch (error) {
      if (!isUnavailable(error)) return named(error);
      if (tries === 0) log.warn('the jobs wait for the database', { error });
    }
    await delay(retryMs, undefined, { signal });
  }
}

const faults: Partial<Record<SchemaState, string>> = {
  empty: 'the database has no schema; run npm run db:migrate, or start the portal first',
  foreign:
    'the database was made by a development version before the first release; use a new, empty database',
  older:
    'the database has an older schema than this version; run npm run db:migrate, or start the new portal first',
  newer: 'the database schema is newer than this version; start the newer version of the sidecar',
};

function assertCurrent(state: SchemaState, variable: string): void {
  const fault = faults[state];
  if (fault) throw new ConfigError([`${variable}: ${fault}`]);
}
