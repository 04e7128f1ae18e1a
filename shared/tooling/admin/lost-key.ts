import { type Db, withTransaction } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { appendMonitoring } from '../../../db/repositories/monitoring/records.ts';
import type { SealedColumn } from '../../../db/repositories/records/sealed/columns.ts';
import {
  deleteSealedByOthers,
  nameOfColumn,
  recordsSealedByOthers,
} from '../../../db/repositories/records/sealed/values.ts';
import { replaceKeyCheck } from '../../../db/repositories/settings/secret-key-check.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { createSealer, type Sealer } from '../../kernel/crypto/sealing.ts';
import { escapeControls } from '../../kernel/text.ts';
import { assertSecretKey, sealKeyCheck } from '../../runtime/config/secret-key.ts';
import { loadSettings } from '../start/settings.ts';
import { breakGlassEvent, withDatabase } from './database.ts';
import { resealAll } from './reseal.ts';

/** Lost values of one place, and the names of their records if something has to be done for them. */
type Lost = { place: SealedColumn; count: number; records: string[] };

/**
 * Accepts the configured `SECRET_KEY` for a database whose own key is lost, by replacing the check value. Values
 * sealed with the lost key are deleted where their record can show that it has none, and stay unreadable otherwise. One
 * transaction, with an audit event and a monitoring record. For the embedded database a missing `SECRET_KEY` is generated.
 */
export async function replaceLostKey(): Promise<void> {
  const settings = await loadSettings(undefined, { replacesLostKey: true });
  const sealer = await createSealer(settings.config.secretKey);
  const lost = await withDatabase(
    settings,
    async (db) => {
      if (await isUsable(() => assertSecretKey(db, sealer))) return undefined;
      return withTransaction(db, (transaction) => replaceKey(transaction, sealer));
    },
    { takesAnyKey: true },
  );
  say(lost ? textOf(lost, sealer.currentKeyId) : 'SECRET_KEY matches the database; nothing was changed.');
}

async function isUsable(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

async function replaceKey(transaction: Db, sealer: Sealer): Promise<Lost[]> {
  const key_id = sealer.currentKeyId;
  await replaceKeyCheck(transaction, await sealKeyCheck(sealer));
  const lost: Lost[] = [];
  for (const { place, unreadable: count } of await resealAll(transaction, sealer)) {
    if (count === 0) continue;
    const { record, isDeleted } = place.whenLost;
    const records = record ? await recordsSealedByOthers(transaction, place, record, key_id) : [];
    if (isDeleted) await deleteSealedByOthers(transaction, place, key_id);
    lost.push({ place, count, records });
  }
  const details = {
    key_id,
    lost: Object.fromEntries(lost.map(({ place, count }) => [nameOfColumn(place), count])),
  };
  const fields = { event: 'portal.SystemConfigChanged', object_type: 'keys', details } as const;
  await appendAudit(transaction, breakGlassEvent('replace_lost_key', fields));
  if (lost.length > 0) await appendMonitoring(transaction, { ...journalEntry, at: new Date(), details });
  return lost;
}

const journalEntry = {
  level: 'error',
  source: 'portal',
  code: 'secret_key_lost',
  message: 'SECRET_KEY was replaced, because it was lost; stored secrets have to be entered again',
} as const;

const textOf = (lost: readonly Lost[], keyId: string): string =>
  [`The database uses the key ${keyId} from now on.`, ...lost.map(lineOf)].join('\n');

function lineOf({ place, count, records }: Lost): string {
  const names = records.length > 0 ? `: ${records.map(escapeControls).join(', ')}` : '';
  return `${nameOfColumn(place)}: ${count} lost; ${place.whenLost.remedy}${names}`;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);
