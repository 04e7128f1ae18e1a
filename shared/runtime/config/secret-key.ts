import type { Db } from '../../../db/client.ts';
import { pgFault } from '../../../db/errors.ts';
import { placeOf, sampleOf, sealedColumns } from '../../../db/repositories/records/sealed-values.ts';
import { claimKeyCheck, readKeyCheck } from '../../../db/repositories/settings/secret-key-check.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import type { Sealer } from '../../kernel/crypto/sealing.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/observability/log.ts';

const place = { table: 'installation', row: 'installation', column: 'secret_key_check' };
const content = 'SECRET_KEY of the installation';

/** The check value as it is stored, sealed by the current key. */
export const sealKeyCheck = (sealer: Sealer): Promise<string> => sealer.seal(content, place);

/**
 * Compares `SECRET_KEY` with the check value of the database. One round trip.
 * @returns false for a database without one
 * @throws ConfigError when the keys are not those of the database; errors of the database as they are
 */
export async function isSecretKeyChecked(db: Db, sealer: Sealer): Promise<boolean> {
  const check = await readKeyCheck(db);
  if (check === null) return false;
  await assertOpens(sealer, check);
  return true;
}

/**
 * The same, and gives a check value to a database that has none, after the configured keys have opened another sealed
 * value of it, if there is any. Needs the role of the portal.
 * @throws as `isSecretKeyChecked`
 */
export async function assertSecretKey(db: Db, sealer: Sealer): Promise<void> {
  if (await isSecretKeyChecked(db, sealer)) return;
  await assertOpensOthers(db, sealer);
  // When another process has written one meanwhile, its key counts.
  if (!(await claimKeyCheck(db, await sealKeyCheck(sealer)))) await isSecretKeyChecked(db, sealer);
}

/**
 * Whether a database belongs to an installation that has a `SECRET_KEY` already: it has a check value or, from a version
 * before that, another sealed value. A database without our tables has neither.
 */
export async function isSealed(db: Db): Promise<boolean> {
  for (const column of sealedColumns) {
    const samples = await sampleOf(db, column).catch(absentTable);
    if (samples.length > 0) return true;
  }
  return false;
}

/** SQLSTATE of a table or a column that an earlier version, or an empty database, does not have. */
function absentTable(error: unknown): [] {
  if (!['42P01', '42703', '3F000'].includes(pgFault(error)?.code ?? '')) throw error;
  return [];
}

async function assertOpens(sealer: Sealer, check: string): Promise<void> {
  const text = await sealer.open(check, place).catch(() => undefined);
  if (text !== content) throw keyFault(sealer, check);
}

/**
 * For databases of versions before the check value. A key may have been taken out of use before everything that it sealed
 * had expired, so that one value which opens is enough, and what does not expire is asked first.
 */
async function assertOpensOthers(db: Db, sealer: Sealer): Promise<void> {
  const others = sealedColumns.filter((column) => placeOf(column, '').table !== place.table);
  for (const column of others.toSorted((a, b) => Number(a.expires ?? 0) - Number(b.expires ?? 0))) {
    const samples = await sampleOf(db, column);
    if (samples.length === 0) continue;
    const opened = await Promise.allSettled(
      samples.map(({ row, sealed }) => sealer.open(sealed, placeOf(column, row))),
    );
    if (opened.some(({ status }) => status === 'fulfilled')) return;
    throw keyFault(sealer, samples[0]?.sealed ?? '');
  }
}

function keyFault(sealer: Sealer, sealed: string): ConfigError {
  const id = sealer.keyIdOf(sealed);
  const remedy = 'if it is lost for good, run npm run admin -- replace-lost-key';
  return new ConfigError([
    sealer.keyIds.includes(id)
      ? `SECRET_KEY: the check value in the table installation was changed: the key ${id}, which sealed it, does not open it; restore it from a backup, or, ${remedy}`
      : `SECRET_KEY: the database was sealed with the key ${id}, which is not among the configured keys (${sealer.keyIds.join(', ')}); add that key, or, ${remedy}`,
  ]);
}

/**
 * The same check for a module that is deployed by itself: made beside the first requests, until it has passed once.
 * @returns undefined when it has passed; else a promise of the failure of the database that prevented the check
 * @throws AppError `database_unavailable` when the keys are not those of the database
 */
export function secretKeyGate({ db, sealer, log }: { db: Db; sealer: Sealer; log: Log }) {
  let isPassed = false;
  const check = async (): Promise<unknown> => {
    try {
      await assertSecretKey(db, sealer);
      isPassed = true;
      return undefined;
    } catch (error) {
      if (!(error instanceof ConfigError)) return error;
      log.error('the module cannot serve this database', { faults: [error.message] });
      throw new AppError('database_unavailable', undefined, {}, { cause: error });
    }
  };
  return (): Promise<unknown> | undefined => (isPassed ? undefined : check());
}
