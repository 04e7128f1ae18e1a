import { generateKeyPairSync } from 'node:crypto';
import { createSigningKeys, type SigningKeys } from '../../shared/access/signing-keys.ts';

/** A new private key as PEM. */
export const newSigningKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

/** Keys of an installation; the first one signs. */
export const signingKeysOf = (...pems: string[]): Promise<SigningKeys> =>
  createSigningKeys(pems.length > 0 ? pems : [newSigningKey()], 'https://localhost');
