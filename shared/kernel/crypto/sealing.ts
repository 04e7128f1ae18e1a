import { Buffer } from 'node:buffer';
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

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

type Key = { id: string; bytes: Uint8Array; aes: CryptoKey };

/**
 * @param secrets keys of `SECRET_KEY`, each base64 of 32 bytes; the first one is current
 * @throws Error if a key is not 32 bytes long
 */
export async function createSealer(secrets: readonly string[]): Promise<Sealer> {
  return fromBytes(secrets.map((secret) => new Uint8Array(Buffer.from(secret, 'base64'))));
}

async function fromBytes(secrets: readonly Uint8Array[]): Promise<Sealer> {
  const keys = await Promise.all(secrets.map(importKey));
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
    seal: (text, place) => seal(current, text, place),
    open: async (sealed, place) => open(find(sealed), sealed, place),
    fingerprint: (purpose, text) => fingerprint(current, purpose, text),
    isFingerprintOf: (stored, purpose, text) => {
      const key = keys.find(({ id }) => id === keyId(stored));
      return key !== undefined && isSame(stored, fingerprint(key, purpose, text));
    },
    derive: (purpose) => fromBytes(keys.map(({ bytes }) => deriveBytes(bytes, purpose))),
  };
}

async function importKey(bytes: Uint8Array): Promise<Key> {
  if (bytes.length !== 32) throw new Error('each key of SECRET_KEY must be base64 of 32 bytes');
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const aes = await crypto.subtle.importKey('raw', Uint8Array.from(bytes), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ]);
  return { id, bytes, aes };
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

/** Format: `<key id>.<iv>.<ciphertext and tag>`; the last two parts are base64url. */
async function seal(key: Key, text: string, place: SealedField): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(parameters(iv, place), key.aes, new TextEncoder().encode(text));
  return [key.id, encode(iv), encode(new Uint8Array(sealed))].join('.');
}

async function open(key: Key, sealed: string, place: SealedField): Promise<string> {
  const [, iv = '', body = '', ...rest] = sealed.split('.');
  if (rest.length > 0) throw new Error('sealed texts have three parts');
  const plain = await crypto.subtle.decrypt(parameters(decode(iv), place), key.aes, decode(body));
  return new TextDecoder().decode(plain);
}

const parameters = (iv: Uint8Array<ArrayBuffer>, { table, row, column }: SealedField): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(`${table}|${row}|${column}`),
});

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/**
 * Node's decoder ignores invalid characters and unused bits; comparing the re-encoded value rejects such spellings.
 */
function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64url'));
  if (encode(bytes) !== text) throw new Error('the text is not base64url');
  return bytes;
}
