import { getDiffieHellman } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { integer } from '../../../../shared/kernel/crypto/der.ts';
import { decryptStealing, fold } from '../../../../shared/remotes/kerberos/encryption.ts';
import { newExponent, publicKeyInfo, sharedSecret } from '../../../../shared/remotes/kerberos/group.ts';
import { keyOfExchange, keyOfSecret, keysOfSecret } from '../../../../shared/remotes/kerberos/reply-key.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('the n-fold of RFC 3961, A.1', () => {
  it.each([
    ['012345', 64, 'be072631276b1955'],
    ['password', 56, '78a07b6caf85fa'],
    ['Rough Consensus, and Running Code', 64, 'bb6ed30870b7f0e0'],
    ['password', 168, '59e4a8ca7c0385c3c37b3f6d2000247cb6e6bd5b3e'],
    ['MASSACHVSETTS INSTITVTE OF TECHNOLOGY', 192, 'db3b0d8f0b061e603282b308a50841229ad798fab9540c1b'],
    ['Q', 168, '518a54a215a8452a518a54a215a8452a518a54a215'],
    ['ba', 168, 'fb25d531ae8974499f52fd92ea9857c4ba24cf297e'],
    ['kerberos', 128, '6b65726265726f737b9b5b2b93132b93'],
    ['kerberos', 256, '6b65726265726f737b9b5b2b93132b935c9bdcdad95c9899c4cae4dee6d6cae4'],
  ])('folds %j to %i bits', (text, bits, expected) => {
    expect(hex(fold(Buffer.from(text), bits / 8))).toBe(expected);
  });
});

describe('the ciphertext stealing of RFC 3962, B', () => {
  const text = "I would like the General Gau's Chicken, please, and wonton soup.";
  it.each([
    [17, 'c6353568f2bf8cb4d8a580362da7ff7f97'],
    [31, 'fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5'],
    [32, '39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584'],
    [47, '97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5'],
    [48, '97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5be7fcbcc98ebf5a8'],
    [
      64,
      '97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a84807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8',
    ],
  ])('restores %i bytes', (length, ciphertext) => {
    const plain = decryptStealing(Buffer.from('chicken teriyaki'), bytes(ciphertext));
    expect(plain.toString()).toBe(text.slice(0, length));
  });
});

describe('the keys of replies', () => {
  it.each([
    [256, '5ee50d675c809fe59e4a7762c54b65837547eafb159bd8cdc75ffca5911e4c41'],
    [128, 'acf7707c08973ddfdb27cd361442ccfba355c8884cb472f37da636d07d56787e'],
  ])('are those of RFC 4556, B, for %i zeroes', (length, key) => {
    expect(hex(keyOfSecret(Buffer.alloc(length), 18))).toBe(key);
    expect(hex(keyOfSecret(Buffer.alloc(length), 17))).toBe(key.slice(0, 32));
  });

  it.each([
    ['1.3.6.1.5.2.3.6.1', 'sha1', 'e6ab38c9413e035bb079201ed0b6b73d8d49a814a737c04ee6649614206f73ad'],
    ['1.3.6.1.5.2.3.6.2', 'sha256', '77ef4e48c420ae3fec75109d7981697eed5d295c90c62564f7bfd101fa9bc1d5'],
  ])('are those of RFC 8636, 8, for %s', (derivation, hash, key) => {
    const named = (parts: string[]) => ({ type: 1, parts, realm: 'SU.SE' });
    const exchanged = {
      client: named(['lha']),
      server: named(['krbtgt', 'SU.SE']),
      request: Buffer.alloc(10, 0xaa),
      reply: Buffer.alloc(9, 0xbb),
    };
    expect(hex(keyOfExchange(Buffer.alloc(256), 18, derivation, hash, exchanged))).toBe(key);
  });

  it('are two for a secret with leading zeroes, and otherwise one', () => {
    const short = Buffer.concat([Buffer.alloc(2), Buffer.alloc(254, 7)]);
    expect(keysOfSecret(short, 18)).toEqual([
      keyOfSecret(short, 18),
      keyOfSecret(Buffer.concat([Buffer.alloc(2), Buffer.alloc(252, 7)]), 18),
    ]);
    expect(keysOfSecret(Buffer.alloc(256, 7), 18)).toHaveLength(1);
  });
});

describe('Diffie-Hellman group 14', () => {
  const other = getDiffieHellman('modp14');
  const asValue = (value: Buffer) => integer(BigInt(`0x${value.toString('hex')}`));

  it('agrees with OpenSSL, with secrets as long as the modulus', () => {
    other.generateKeys();
    const exponent = newExponent();
    const spki = publicKeyInfo(exponent);
    const secret = other.computeSecret(spki.subarray(-256));
    expect(sharedSecret(exponent, asValue(other.getPublicKey()))).toEqual(
      Buffer.concat([Buffer.alloc(256 - secret.length), secret]),
    );
  });

  it.each([0n, 1n, BigInt(`0x${other.getPrime('hex')}`) - 1n])('rejects %i as a public value', (value) => {
    expect(() => sharedSecret(newExponent(), integer(value))).toThrow(RangeError);
  });

  it('rejects a negative public value', () => {
    expect(() => sharedSecret(newExponent(), bytes('020181'))).toThrow(RangeError);
  });
});
