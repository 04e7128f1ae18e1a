import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding, Compression } from '../../http/serve/compression.ts';

const byBrotli = promisify(brotliCompress);
const byGzip = promisify(gzip);

/**
 * Levels for cached files, which are compressed once: 0.7 s for 1.7 MB. Higher levels of Brotli take ten times as
 * long for 8 % less.
 */
const thorough = { br: 9, gzip: 9 };
/** Levels for lists: some milliseconds for 300 kB. */
const fast = { br: 4, gzip: 4 };

/** The files of the pages and both forms of the document, each in two codings. */
const maxCached = 32;

/** Compression with zlib in its thread pool. */
export function createCompression(): Compression {
  const cache = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return {
    compress: (text, coding, key) => {
      if (key === undefined) return compressed(text, coding, fast[coding]);
      const name = `${coding} ${key}`;
      const running = cache.get(name) ?? compressed(text, coding, thorough[coding]);
      cache.delete(name);
      cache.set(name, running);
      running.catch(() => cache.delete(name));
      for (const oldest of cache.keys()) {
        if (cache.size <= maxCached) break;
        cache.delete(oldest);
      }
      return running;
    },
  };
}

function compressed(text: string, coding: Coding, level: number): Promise<Uint8Array<ArrayBuffer>> {
  if (coding === 'gzip') return byGzip(text, { level });
  return byBrotli(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: level,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
    },
  });
}
