import { Buffer } from 'node:buffer';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** SHA-256 of bytes, or of text as UTF-8, base64url. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('base64url');

/** 256 random bits, base64url (43 characters): session tokens. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** Compares two texts in a time that depends on neither (both are hashed first, so lengths do not show). */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
