import type { Buffer } from 'node:buffer';

/** Pixels. */
type Size = readonly [width: number, height: number];

const isAt = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text;

/** PNG (W3C), 5.2 and 11.2.1: the signature, then the header chunk of 13 bytes. */
export const pngSize = (bytes: Buffer): Size | undefined =>
  bytes.length >= 33 && isAt(bytes, 0, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
    ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
    : undefined;

/** WebP (RFC 9649), 2.4 to 2.7: a RIFF file whose first chunk is lossy, lossless or extended. */
export function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || !isAt(bytes, 0, 'RIFF') || !isAt(bytes, 8, 'WEBP')) return undefined;
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return undefined;
  if (isAt(bytes, 12, 'VP8X')) return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (isAt(bytes, 12, 'VP8 ') && isAt(bytes, 23, '\x9d\x01\x2a'))
    return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  if (!isAt(bytes, 12, 'VP8L') || bytes[20] !== 0x2f) return undefined;
  const sides = bytes.readUInt32LE(21);
  return [(sides & 0x3fff) + 1, ((sides >>> 14) & 0x3fff) + 1];
}
