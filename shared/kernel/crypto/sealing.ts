import { Buffer } from 'node:buffer';
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Where a sealed value lives; it opens nowhere else. */
export type Place = { table: string; row: string; column: string };

/** Seals and opens texts with AES-256-GCM; the first key seals, every key opens (rotation). */
export type Sealer = {
  seal(text: string, place: Place): Promise<string>;
  /** @throws Error when the text was changed, moved, or sealed by a key that is no longer there */
  open(sealed: string, place: Place): Promise<string>;
  /** An identifier of the key that sealed the text, or made the fingerprint; it differs from `currentKeyId` after a rotation. */
  keyIdOf(sealed: string): string;
  readonly currentKeyId: string;
  /** Identifiers of all keys, the current one first. */
  readonly keyIds: readonly string[];
  /**
   * `<key id>.<HMAC-SHA-256, base64url>` of a text, by a key derived from the current one (HKDF-SHA-256) for one purpose.
   * Without the key a guess at the text cannot be checked.
   */
  fingerprint(purpose: string, text: string): string;
  /** Whether any of the keys makes this fingerprint of the text. */
  isFingerprintOf(fingerprint: string, purpose: string, text: string): boolean;
  /** A sealer with keys derived from these (HKDF-SHA-256) for one purpose. */
  derive(purpose: string): Promise<Sealer>;
};

type Key = { id: string; bytes: Uint8Array; aes: CryptoKey };

/**
 * @param secrets `SECRET_KEY`: base64 of 32 bytes each, the first one current
 * @throws Error when a key is not 32 bytes long
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
    isFingerprintOf: (given, purpose, text) => {
      const key = keys.find(({ id }) => id === keyId(given));
      return key !== undefined && isSame(given, fingerprint(key, purpose, text));
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

/** `<key id>.<iv>.<ciphertext and tag>`, the last two base64url. */
async function seal(key: Key, text: string, place: Place): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(parameters(iv, place), key.aes, new TextEncoder().encode(text));
  return [key.id, encode(iv), encode(new Uint8Array(sealed))].join('.');
}

async function open(key: Key, sealed: string, place: Place): Promise<string> {
  const [, iv = '', body = '', ...rest] = sealed.split('.');
  if (rest.length > 0) throw new Error('sealed texts have three parts');
  const plain = await crypto.subtle.decrypt(parameters(decode(iv), place), key.aes, decode(body));
  return new TextDecoder().decode(plain);
}

const parameters = (iv: Uint8Array<ArrayBuffer>, { table, row, column }: Place): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(`${table}|${row}|${column}`),
});

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** The decoder skips what is no base64url and ignores bits that carry nothing; one text shall have one spelling. */
function decode(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64url'));
  if (encode(bytes) !== text) throw new Error('the text is not base64url');
  return bytes;
}
