import { Buffer } from 'node:buffer';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The database field that a sealed value is bound to. The value cannot be opened in any other place. */
export type SealedField = { table: string; row: string; column: string };

/** Seals and opens texts with AES-256-GCM. The first key seals; every key opens, which allows rotation. */
export type Sealer = {
  seal(text: string, place: SealedField): Promise<string>;
  /** @throws Error if the text was altered or moved, or its key is not configured any more */
  open(sealed: string, place: SealedField): Promise<string>;
  /** Identifier of the key of a sealed text or a fingerprint. It differs from `currentKeyId` after a rotation. */
  keyIdOf(sealed: string): string;
  readonly currentKeyId: string;
  /** Identifiers of all keys, the current one first. */
  readonly keyIds: readonly string[];
  /**
   * Keyed hash of a text: `<key id>.<HMAC-SHA-256, base64url>`. The HMAC key is derived from the current key for one
   * purpose (HKDF-SHA-256), so that guesses cannot be verified without the key.
   */
  fingerprint(purpose: string, text: string): string;
  /** True if one of the keys gives this fingerprint for the text. */
  isFingerprintOf(fingerprint: string, purpose: string, text: string): boolean;
  /** Returns a sealer with keys derived from these keys for one purpose (HKDF-SHA-256). */
  derive(purpose: string): Promise<Sealer>;
};

type Key = { id: string; bytes: Uint8Array; aes: KeyObject };

/**
 * @param secrets keys of `SECRET_KEY`, each base64 of 32 bytes; the first one is current
 * @throws Error if a key is not 32 bytes long
 */
export async function createSealer(secrets: readonly string[]): Promise<Sealer> {
  return fromBytes(secrets.map((secret) => new Uint8Array(Buffer.from(secret, 'base64'))));
}

async function fromBytes(secrets: readonly Uint8Array[]): Promise<Sealer> {
  const keys = secrets.map(keyOf);
  const [current] = keys;
  if (!current) throw new Error('SECRET_KEY holds no key');
  const find = (sealed: string): Key => {
    const key = keys.find(({ id }) => id === keyId(sealed));
    if (!key) throw new Error('sealed by a key that is not configured');
    return key;
  };
  return {
    currentKeyId: current.id,
    keyIds: keys.map(({ id }) => id),
    keyIdOf: keyId,
    seal: async (text, place) => seal(current, text, place),
    open: async (sealed, place) => open(find(sealed), sealed, place),
    fingerprint: (purpose, text) => fingerprint(current, purpose, text),
    isFingerprintOf: (stored, purpose, text) => {
      const key = keys.find(({ id }) => id === keyId(stored));
      return key !== undefined && isSame(stored, fingerprint(key, purpose, text));
    },
    derive: (purpose) => fromBytes(keys.map(({ bytes }) => deriveBytes(bytes, purpose))),
  };
}

function keyOf(bytes: Uint8Array): Key {
  if (bytes.length !== 32) throw new Error('each key of SECRET_KEY must be base64 of 32 bytes');
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  return { id, bytes, aes: createSecretKey(bytes) };
}

const deriveBytes = (bytes: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), `aggregator:${purpose}`, 32));

const keyId = (sealed: string): string => sealed.split('.')[0] ?? '';

function fingerprint({ id, bytes }: Key, purpose: string, text: string): string {
  const hmac = createHmac('sha256', deriveBytes(bytes, `fingerprint:${purpose}`));
  return `${id}.${hmac.update(text).digest('base64url')}`;
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const cipher = 'aes-256-gcm';
const tagBytes = 16;

/**
 * Format: `<key id>.<iv>.<ciphertext and tag>`; the last two parts are base64url. Synchronous, because the texts are
 * short, and a thread of its own costs more than the encryption.
 */
function seal(key: Key, text: string, place: SealedField): string {
  const iv = randomBytes(12);
  const sealing = createCipheriv(cipher, key.aes, iv, { authTagLength: tagBytes }).setAAD(placeBytes(place));
  const body = Buffer.concat([sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
  return [key.id, encode(iv), encode(body)].join('.');
}

function open(key: Key, sealed: string, place: SealedField): string {
  const [, iv = '', text = '', ...rest] = sealed.split('.');
  if (rest.length > 0) throw new Error('sealed texts have three parts');
  const body = decode(text);
  if (body.length < tagBytes) throw new Error('the sealed text is too short');
  const opening = createDecipheriv(cipher, key.aes, decode(iv), { authTagLength: tagBytes })
    .setAAD(placeBytes(place))
    .setAuthTag(body.subarray(-tagBytes));
  return Buffer.concat([opening.update(body.subarray(0, -tagBytes)), opening.final()]).toString('utf8');
}

const placeBytes = ({ table, row, column }: SealedField): Buffer => Buffer.from(`${table}|${row}|${column}`);

const encode = (bytes: Buffer): string => bytes.toString('base64url');

/**
 * Node's decoder ignores invalid characters and unused bits; comparing the re-encoded value rejects such spellings.
 */
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (encode(bytes) !== text) throw new Error('the text is not base64url');
  return bytes;
}
