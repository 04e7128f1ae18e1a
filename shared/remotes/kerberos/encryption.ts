import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';

/** AES with HMAC-SHA-1 (RFC 3962) by encryption type, with the key length in bytes and the checksum type. */
export const encryptionTypes = {
  18: { keyLength: 32, checksumType: 16 },
  17: { keyLength: 16, checksumType: 15 },
} as const;
export type EncryptionType = keyof typeof encryptionTypes;

export const isEncryptionType = (type: number): type is EncryptionType =>
  Object.hasOwn(encryptionTypes, type);

/** Key usages (RFC 4120, 7.5.1; RFC 6806, 11). */
export const usages = { asReply: 3, requestChecksum: 56 } as const;

const macLength = 12;
const block = 16;

/** Decrypts and verifies (RFC 3961, 5.3). @returns undefined for a wrong key or an altered text */
export function decrypt(key: Uint8Array, usage: number, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < block + macLength) return undefined;
  const ciphertext = sealed.subarray(0, -macLength);
  const plain = decryptStealing(deriveKey(key, usageConstant(usage, 0xaa)), ciphertext);
  const mac = macOf(deriveKey(key, usageConstant(usage, 0x55)), plain);
  return timingSafeEqual(mac, sealed.subarray(-macLength)) ? plain.subarray(block) : undefined;
}

/** The checksum of a text (RFC 3961, 5.3: HMAC with Kc). */
export const checksum = (key: Uint8Array, usage: number, text: Uint8Array): Buffer =>
  macOf(deriveKey(key, usageConstant(usage, 0x99)), text);

/** DK (RFC 3961, 5.1). For AES the random string is the key. */
function deriveKey(key: Uint8Array, constant: Uint8Array): Buffer {
  const parts: Buffer[] = [];
  for (let last = fold(constant, block), length = 0; length < key.length; length += block) {
    last = encryptBlock(key, last);
    parts.push(last);
  }
  return Buffer.concat(parts).subarray(0, key.length);
}

/**
 * n-fold (RFC 3961, 5.1): copies of the input, each rotated right by a further 13 bits, are added in blocks of
 * `length` bytes with end-around carry.
 */
export function fold(input: Uint8Array, length: number): Buffer {
  const total = leastCommonMultiple(input.length, length);
  const copies = Array.from({ length: total / input.length }, (_, at) => turnRight(input, 13 * at));
  const text = Buffer.concat(copies);
  const ones = (1n << BigInt(8 * length)) - 1n;
  let sum = 0n;
  for (let at = 0; at < total; at += length) {
    sum += BigInt(`0x${text.toString('hex', at, at + length)}`);
    sum = (sum & ones) + (sum >> BigInt(8 * length));
  }
  return Buffer.from(sum.toString(16).padStart(2 * length, '0'), 'hex');
}

/** CBC with ciphertext stealing, CS3 (RFC 3962, 5): the last two blocks are always swapped, and the IV is zero. */
export function decryptStealing(key: Uint8Array, ciphertext: Uint8Array): Buffer {
  if (ciphertext.length === block) return decryptBlocks(key, ciphertext);
  const lastLength = ciphertext.length % block || block;
  const splitAt = ciphertext.length - lastLength - block;
  const head = ciphertext.subarray(0, splitAt);
  const swapped = ciphertext.subarray(splitAt, splitAt + block);
  const last = ciphertext.subarray(splitAt + block);
  const beneath = decryptBlocks(key, swapped);
  const tail = xor(beneath.subarray(0, lastLength), last);
  const restored = Buffer.concat([last, beneath.subarray(lastLength)]);
  // With the last two blocks in normal order, the remaining text is plain CBC; the last block is known already.
  return Buffer.concat([decryptBlocks(key, Buffer.concat([head, restored])), tail]);
}

const usageConstant = (usage: number, kind: number): Buffer => {
  const constant = Buffer.alloc(5, kind);
  constant.writeUInt32BE(usage);
  return constant;
};

const macOf = (key: Uint8Array, text: Uint8Array): Buffer =>
  createHmac('sha1', key).update(text).digest().subarray(0, macLength);

const cipherOf = (key: Uint8Array): string => `aes-${key.length * 8}-cbc`;
const zeroes = Buffer.alloc(block);

function encryptBlock(key: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(cipherOf(key), key, zeroes).setAutoPadding(false);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

function decryptBlocks(key: Uint8Array, ciphertext: Uint8Array): Buffer {
  const decipher = createDecipheriv(cipherOf(key), key, zeroes).setAutoPadding(false);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

const xor = (a: Uint8Array, b: Uint8Array): Buffer => Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)));

function turnRight(input: Uint8Array, bits: number): Buffer {
  const width = BigInt(8 * input.length);
  const by = BigInt(bits) % width;
  const value = BigInt(`0x${Buffer.from(input).toString('hex')}`);
  const turned = (value >> by) | ((value << (width - by)) & ((1n << width) - 1n));
  return Buffer.from(turned.toString(16).padStart(2 * input.length, '0'), 'hex');
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
