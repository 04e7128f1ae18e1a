import type { Db } from '../../../db/client.ts';
import { pgFault } from '../../../db/errors.ts';
import { assertFormats } from '../../../db/postgres/session/formats.ts';
import { sealedColumns } from '../../../db/repositories/records/sealed/columns.ts';
import { placeOf, placesIn, sampleOf } from '../../../db/repositories/records/sealed/values.ts';
import { claimKeyCheck, readDatabaseCheck } from '../../../db/repositories/settings/secret-key-check.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import type { Sealer } from '../../kernel/crypto/sealing.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/observability/log.ts';

const place = { table: 'installation', row: 'installation', column: 'secret_key_check' };
const content = 'SECRET_KEY of the installation';

/** Seals the check value with the current key. */
export const sealKeyCheck = (sealer: Sealer): Promise<string> => sealer.seal(content, place);

/**
 * Compares `SECRET_KEY` with the check value of the database, and the formats of its sessions with those that the portal
 * reads, in one round trip.
 * @returns false for a database without a check value
 * @throws ConfigError if the keys are not those of the database, or for other formats; database errors unchanged
 */
export async function isSecretKeyChecked(db: Db, sealer: Sealer): Promise<boolean> {
  const { key, role, settings } = await readDatabaseCheck(db);
  assertFormats(role, settings);
  if (key === null) return false;
  await assertOpens(sealer, key);
  return true;
}

/**
 * Like `isSecretKeyChecked`, and stores a check value unless one is stored, after the configured keys have opened another
 * sealed value, if any. Requires the role of the portal.
 * @throws as `isSecretKeyChecked`
 */
export async function assertSecretKey(db: Db, sealer: Sealer): Promise<void> {
  if (await isSecretKeyChecked(db, sealer)) return;
  await assertOpensOthers(db, sealer);
  // If another process has stored a check value meanwhile, its key applies.
  if (!(await claimKeyCheck(db, await sealKeyCheck(sealer)))) await isSecretKeyChecked(db, sealer);
}

/**
 * Whether the database belongs to an installation with a `SECRET_KEY`: it has a check value or, from an earlier
 * version, another sealed value. A database without our tables has neither.
 */
export async function isSealed(db: Db): Promise<boolean> {
  for (const column of sealedColumns) {
    for (const found of await placesIn(db, column).catch(absentTable)) {
      const samples = await sampleOf(db, found).catch(absentTable);
      if (samples.length > 0) return true;
    }
  }
  return false;
}

/** SQLSTATEs of a missing table or column, in an empty database or one of an earlier version. */
function absentTable(error: unknown): [] {
  if (!['42P01', '42703', '3F000'].includes(pgFault(error)?.code ?? '')) throw error;
  return [];
}

async function assertOpens(sealer: Sealer, check: string): Promise<void> {
  const text = await sealer.open(check, place).catch(() => undefined);
  if (text !== content) throw keyFault(sealer, check);
}

/**
 * For databases of versions without a check value. A key may have been removed before all of its values expired, so
 * one value that opens is sufficient, and values that do not expire are checked first.
 */
async function assertOpensOthers(db: Db, sealer: Sealer): Promise<void> {
  const others = sealedColumns.filter((column) => placeOf(column, '').table !== place.table);
  const inOrder = others.toSorted((a, b) => Number(a.expires ?? 0) - Number(b.expires ?? 0));
  const places = await Promise.all(inOrder.map((column) => placesIn(db, column)));
  for (const column of places.flat()) {
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
 * The same check for a module deployed on its own. It runs together with the first requests until it has passed once.
 * @returns undefined after a passed check; otherwise a promise of the database error that prevented the check
 * @throws AppError `database_unavailable` if the keys or the formats are not those of the portal
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
