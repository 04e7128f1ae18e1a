import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { withTransaction } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { nameOfColumn } from '../../../db/repositories/records/sealed/values.ts';
import { createSealer } from '../../kernel/crypto/sealing.ts';
import { readConfigFile, replaceInConfigFile } from '../start/config-file.ts';
import { preparePrivateFolder, replaceFile } from '../start/data-folder.ts';
import { AlreadyReported } from '../start/fatal.ts';
import { loadSettings, type Settings } from '../start/settings.ts';
import { breakGlassEvent, withDatabase } from './database.ts';
import { type ResealCount, resealAll } from './reseal.ts';

/**
 * Creates a new key for secrets, in front of the existing ones, and a new signing key, with the existing one as the
 * second. They are written to the configuration file if `npm start` manages it, and printed otherwise.
 */
export async function rotateKeys(): Promise<void> {
  const settings = await loadSettings();
  const secret = randomBytes(32).toString('base64');
  const { currentKeyId } = await createSealer([secret]);
  const signing = newSigningKey();
  const isOurs = keepsKeys(settings);
  const event = breakGlassEvent('rotate_keys', {
    event: 'portal.SystemConfigChanged',
    object_type: 'keys',
    details: { key_id: currentKeyId, written: isOurs },
  });
  await withDatabase(settings, (db) =>
    // The keys are only changed together with their audit event.
    withTransaction(db, async (transaction) => {
      await appendAudit(transaction, event);
      if (isOurs) writeKeys(settings, secret, currentKeyId, signing);
    }),
  );
  say(isOurs ? writtenText(settings) : printedText(settings, secret, signing));
}

/** @throws AlreadyReported if values remain that no key opens, or that were written meanwhile with a previous key */
export async function reseal(): Promise<void> {
  const settings = await loadSettings();
  const sealer = await createSealer(settings.config.secretKey);
  const results = await withDatabase(settings, async (db) => {
    const done = await resealAll(db, sealer);
    const counts = Object.fromEntries(done.map(({ place, ...count }) => [nameOfColumn(place), count]));
    await appendAudit(
      db,
      breakGlassEvent('reseal', {
        event: 'portal.SystemConfigChanged',
        object_type: 'keys',
        details: { key_id: sealer.currentKeyId, ...counts },
      }),
    );
    return done;
  });
  for (const result of results) say(lineOf(result));
  if (results.every(({ left }) => left === 0))
    return say('All values are sealed with the first key of SECRET_KEY; the others can be removed.');
  say(
    'The remaining values are sealed with other keys. Run the command again when every process has the new key.',
  );
  throw new AlreadyReported();
}

const lineOf = ({ place, resealed, unreadable, left }: ResealCount): string =>
  `${nameOfColumn(place)}: ${resealed} resealed, ${left} remain${unreadable > 0 ? `, ${unreadable} of them cannot be opened with any key` : ''}`;

const newSigningKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

const rotated = ['SECRET_KEY', 'AGGREGATOR_JWT_SSL_KEY', 'AGGREGATOR_JWT_SSL_KEY_SECOND'] as const;

/** Only the file managed by `npm start` may be changed, and only if no environment variable overrides it. */
const keepsKeys = ({ embedded }: Settings): boolean =>
  embedded && rotated.every((name) => !process.env[name]);

function writeKeys({ config }: Settings, secret: string, keyId: string, signing: string): void {
  const { configFile, dataDir, secretKey } = config;
  const path = join(dataDir, 'keys', `aggregator-jwt-${keyId}.pem`);
  preparePrivateFolder(dirname(path));
  replaceFile(path, signing, 0o600);
  replaceInConfigFile(configFile, {
    SECRET_KEY: [secret, ...secretKey].join(','),
    AGGREGATOR_JWT_SSL_KEY: relative(dirname(configFile), path),
    AGGREGATOR_JWT_SSL_KEY_SECOND: readConfigFile(configFile).AGGREGATOR_JWT_SSL_KEY ?? '',
  });
}

const writtenText = ({ config }: Settings): string =>
  `New keys are in ${config.configFile}, in front of the previous ones.
Next: npm run admin -- reseal, then remove all but the first key of SECRET_KEY.
AGGREGATOR_JWT_SSL_KEY_SECOND can be removed when dispatchers have fetched the new key and all tokens of the previous one have expired.`;

const printedText = ({ config }: Settings, secret: string, signing: string): string =>
  `Nothing was changed. Every process must have the new keys before any process uses them. First, set for all processes:
SECRET_KEY=${[...config.secretKey, secret].join(',')}
AGGREGATOR_JWT_SSL_KEY_SECOND=${inOneLine(signing)}
Restart all processes and wait ten minutes, until dispatchers have fetched the keys. Then set for all processes:
SECRET_KEY=${[secret, ...config.secretKey].join(',')}
AGGREGATOR_JWT_SSL_KEY=${inOneLine(signing)}
AGGREGATOR_JWT_SSL_KEY_SECOND=${inOneLine(config.aggregatorJwtSslKey ?? '')}
Restart all processes, then run: npm run admin -- reseal`;

const inOneLine = (pem: string): string => pem.trim().replaceAll('\n', '\\n');

const say = (text: string): void => void process.stdout.write(`${text}\n`);
