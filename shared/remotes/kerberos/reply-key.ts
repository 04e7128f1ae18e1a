import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { explicit, integer, octets, oid, sequence } from '../../kernel/crypto/der.ts';
import { type EncryptionType, encryptionTypes } from './encryption.ts';
import { type Principal, realmAndName } from './names.ts';

/** Key derivation functions of RFC 8636, in order of preference. */
export const derivations = {
  '1.3.6.1.5.2.3.6.2': 'sha256',
  '1.3.6.1.5.2.3.6.3': 'sha512',
} as const;

/** Input of the key derivation of RFC 8636, byte by byte as sent and received. */
export type ExchangeData = {
  client: Principal;
  server: Principal;
  request: Uint8Array;
  reply: Uint8Array;
};

/** octetstring2key (RFC 4556, 3.2.3.1). */
export function keyOfSecret(secret: Uint8Array, type: EncryptionType): Buffer {
  const { keyLength } = encryptionTypes[type];
  const rounds = [0, 1, 2].map((n) =>
    createHash('sha1')
      .update(Buffer.from([n]))
      .update(secret)
      .digest(),
  );
  return Buffer.concat(rounds).subarray(0, keyLength);
}

/**
 * Candidate keys, the standard one first. For a secret with leading zeros (1 in 256), Heimdal and Samba hash the
 * secret without as many bytes at its end.
 */
export function keysOfSecret(secret: Uint8Array, type: EncryptionType): Buffer[] {
  const zeroes = secret.findIndex((byte) => byte !== 0);
  const keys = [keyOfSecret(secret, type)];
  return zeroes > 0 ? [...keys, keyOfSecret(secret.subarray(0, -zeroes), type)] : keys;
}

/** The key of RFC 8636, section 4 (SP 800-56A, one-step). */
export function keyOfExchange(
  secret: Uint8Array,
  type: EncryptionType,
  derivation: string,
  hash: string,
  { client, server, request, reply }: ExchangeData,
): Buffer {
  const publicParts = sequence(
    explicit(0, integer(type)),
    explicit(1, octets(request)),
    explicit(2, octets(reply)),
  );
  const otherInfo = sequence(
    sequence(oid(derivation)),
    explicit(0, octets(realmAndName(client))),
    explicit(1, octets(realmAndName(server))),
    explicit(2, octets(publicParts)),
  );
  const rounds = [1, 2].map((n) =>
    createHash(hash)
      .update(Buffer.from([0, 0, 0, n]))
      .update(secret)
      .update(otherInfo)
      .digest(),
  );
  return Buffer.concat(rounds).subarray(0, encryptionTypes[type].keyLength);
}
