import { atomically } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { replaceKeyCheck } from '../../../db/repositories/settings/secret-key-check.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { createSealer } from '../../kernel/crypto/sealing.ts';
import { assertSecretKey, sealKeyCheck } from '../../runtime/config/secret-key.ts';
import { loadSettings } from '../start/settings.ts';
import { breakGlassEvent, withDatabase } from './database.ts';
import { type ResealCount, resealAll } from './reseal.ts';

/** Remedies for values that cannot be opened with any key; other values expire. */
const remedies: Record<string, string> = {
  'dispatchers.health_key': 'enter the health keys of these nodes again',
  'dispatchers.account_password': 'enter the passwords of the accounts on these nodes again',
  'second_factors.sealed_secret': 'run npm run admin -- reset-2fa for these users',
  'password_history.sealed_hash': 'these former passwords can be used again',
};

/** Any secret among the settings of domains, whatever their types. */
const ofDomains = /^authenticators\.params\./;

const remedyOf = (place: string): string =>
  ofDomains.test(place) ? 'enter this secret of these domains again' : (remedies[place] ?? 'they expire');

/**
 * Accepts the configured `SECRET_KEY` for a database whose own key is lost, by replacing the check value. Values
 * sealed with the lost key stay unreadable. For the embedded database a missing `SECRET_KEY` is generated.
 */
export async function replaceLostKey(): Promise<void> {
  const settings = await loadSettings(undefined, { replacesLostKey: true });
  const sealer = await createSealer(settings.config.secretKey);
  const event = breakGlassEvent('replace_lost_key', {
    event: 'portal.SystemConfigChanged',
    object_type: 'keys',
    details: { key_id: sealer.currentKeyId },
  });
  const results = await withDatabase(
    settings,
    async (db) => {
      if (await isUsable(() => assertSecretKey(db, sealer))) return undefined;
      const check = await sealKeyCheck(sealer);
      await atomically(db, (h) => [replaceKeyCheck(h, check), appendAudit(h, event)]);
      return resealAll(db, sealer);
    },
    { takesAnyKey: true },
  );
  say(
    results ? lossOf(results, sealer.currentKeyId) : 'SECRET_KEY matches the database; nothing was changed.',
  );
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

const lossOf = (results: readonly ResealCount[], keyId: string): string =>
  [
    `The database uses the key ${keyId} from now on.`,
    ...results
      .filter(({ unreadable }) => unreadable > 0)
      .map(({ place, unreadable }) => `${place}: ${unreadable} lost; ${remedyOf(place)}`),
  ].join('\n');

const say = (text: string): void => void process.stdout.write(`${text}\n`);
