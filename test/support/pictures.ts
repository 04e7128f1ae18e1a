import { crc32, deflateSync } from 'node:zlib';

/** A PNG of one grey, with the given number of bytes of text in it. */
export function png(width = 1, height = 1, padding = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(padding > 0 ? [chunk('tEXt', Buffer.alloc(padding - 12, 'a'))] : []),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The smallest lossless WebP of this size; its pixels do not matter. */
export function webp(width = 1, height = 1): Buffer {
  const body = Buffer.alloc(22);
  body.write('WEBPVP8L', 0, 'latin1');
  body.writeUInt32LE(10, 8);
  body[12] = 0x2f;
  body.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 13);
  const head = Buffer.alloc(8);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

export const svg = (content = '<path d="M0 0h1v1"/>'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`;

export const dataUri = (type: 'png' | 'webp' | 'svg+xml', bytes: Buffer | string): string =>
  `data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`;

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(content.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
