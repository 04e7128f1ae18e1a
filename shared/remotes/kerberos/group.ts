import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { bitString, integer, oid, readOne, sequence, tags } from '../../kernel/crypto/der.ts';

/**
 * Group 14 of RFC 3526 with bigint arithmetic: `node:crypto` spends a second of CPU time on Workers to check the known
 * prime, and cannot restore a private key that another request has created.
 */
const prime = BigInt(
  `0x${[
    'ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd',
    'ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed',
    'ee386bfb5a899fa5ae9f24117c4b1fe649286651ece45b3dc2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f',
    '83655d23dca3ad961c62f356208552bb9ed529077096966d670c354e4abc9804f1746c08ca18217c32905e462e36ce3b',
    'e39e772c180e86039b2783a2ec07a28fb5c55df06f4c52c9de2bcbf6955817183995497cea956ae515d2261898fa0510',
    '15728e5a8aacaa68ffffffffffffffff',
  ].join('')}`,
);
const modulusLength = 256;

/** A private exponent of 256 bits, twice the strength of the group (RFC 3526, 8), in hexadecimal. */
export const newExponent = (): string => randomBytes(32).toString('hex');

/** SubjectPublicKeyInfo of the public value in X9.42 form, as required by RFC 4556 (RFC 3279, 2.3.3). */
export const publicKeyInfo = (exponent: string): Buffer =>
  sequence(
    sequence(oid('1.2.840.10046.2.1'), sequence(integer(prime), integer(2), integer((prime - 1n) / 2n))),
    bitString(integer(power(2n, BigInt(`0x${exponent}`)))),
  );

/**
 * The shared secret, with the length of the modulus.
 * @param publicValue DER of the INTEGER from the KDC
 * @throws DerError; RangeError for a value outside of the group, which would result in a predictable secret
 */
export function sharedSecret(exponent: string, publicValue: Uint8Array): Buffer {
  const { content } = readOne(publicValue, tags.integer);
  const value = BigInt(`0x${Buffer.from(content).toString('hex') || '0'}`);
  const isNegative = (content[0] ?? 0) > 127;
  if (isNegative || value < 2n || value > prime - 2n)
    throw new RangeError('a public value outside the group');
  return Buffer.from(
    power(value, BigInt(`0x${exponent}`))
      .toString(16)
      .padStart(2 * modulusLength, '0'),
    'hex',
  );
}

/** Not in constant time. This is acceptable, because each key is used once. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % prime;
    square = (square * square) % prime;
  }
  return result;
}
