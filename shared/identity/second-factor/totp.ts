import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { sameText } from '../../kernel/crypto/digests.ts';
import { fromBase32, toBase32 } from './base32.ts';

const stepMs = 30_000;
const digits = 6;

/** A new secret: 160 bits (RFC 4226, section 4), in base32 for manual input on a device. */
export const newSecret = (): string => toBase32(randomBytes(20));

/** The URI in the QR code: issuer, account and secret. */
export function uriOf(issuer: string, account: string, secret: string): string {
  const [by, whose] = [issuer, account].map(asLabel);
  return `otpauth://totp/${by}:${whose}?secret=${secret}&issuer=${by}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`;
}

/**
 * The time step (RFC 6238: SHA-1, 6 digits, 30 s) of a code. The current step and its neighbours are accepted, because
 * clocks differ.
 * @param after the last accepted step; this step and earlier ones are refused
 * @returns undefined for a wrong or used code
 */
export function stepOf(secret: string, code: string, now: Date, after: number): number | undefined {
  const key = fromBase32(secret);
  const present = Math.floor(now.getTime() / stepMs);
  const open = [present - 1, present, present + 1].filter((step) => step > after);
  return open.find((step) => sameText(codeAt(key, step), code));
}

/** RFC 4226, section 5.3, with the time step as the counter. */
function codeAt(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 0xf) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** A colon separates issuer and account. Devices handle an escaped colon differently, so it is replaced. */
const asLabel = (text: string): string => encodeURIComponent(text.replaceAll(':', ' '));
