import { Buffer } from 'node:buffer';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** SHA-256 of bytes, or of text as UTF-8, base64url. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('base64url');

/** Random bytes as base64url: 32 of them, 43 characters, for a session token. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** Compares two texts in a time that depends on neither (both are hashed first, so lengths do not show). */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
