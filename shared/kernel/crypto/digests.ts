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

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Letters and digits, each as likely as any other: 48 of them have 285 bits. */
export function randomAlphanumerics(length: number): string {
  // Of the 256 values of a byte the last ones would make some characters likelier than others.
  const fair = 256 - (256 % alphanumerics.length);
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length - text.length))
      if (byte < fair) text += alphanumerics.charAt(byte % alphanumerics.length);
  return text;
}
