import { Buffer } from 'node:buffer';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** SHA-256 as base64url; text is hashed as UTF-8. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('base64url');

/** Random bytes as base64url. The default of 32 bytes gives the 43 characters of a session token. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** Constant-time comparison. Both texts are hashed first, so the time does not depend on their lengths. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Uniformly distributed letters and digits; 48 characters have 285 bits of entropy. */
export function randomAlphanumerics(length: number): string {
  // Bytes from `fair` on are rejected: the modulo would make some characters more likely than others.
  const fair = 256 - (256 % alphanumerics.length);
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length - text.length))
      if (byte < fair) text += alphanumerics.charAt(byte % alphanumerics.length);
  return text;
}
