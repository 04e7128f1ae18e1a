import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import type { Answer, Content } from './answer.ts';

export type Coding = 'br' | 'gzip';

/** Compresses responses on runtimes that do not do so themselves. */
export type Compression = {
  /** @param key of the content; results are cached by key and coding */
  compress(text: string, coding: Coding, key?: string): Promise<Uint8Array<ArrayBuffer>>;
};

/** Content codings in the order of preference, if the client has no preference. */
const codings: readonly Coding[] = ['br', 'gzip'];
const isCoding = (text: string): text is Coding => codings.some((coding) => coding === text);

/** Minimum length in characters. Shorter responses fit into few packets. */
const minimalLength = 4096;

/**
 * Returns the content coding of a response. Only responses that are declared compressible have one: the length of a
 * compressed text with a secret and with text that an attacker selects reveals the secret (BREACH).
 * @returns undefined if the response is not compressed
 */
export function codingOf(c: Context, { isCompressible }: Answer): Coding | undefined {
  if (!isCompressible) return undefined;
  const chosen = accepts(c, {
    header: 'Accept-Encoding',
    supports: [...codings],
    default: 'identity',
    match: (accepted, { supports, default: otherwise }) => {
      const weight = (coding: string) => accepted.find(({ type }) => type.toLowerCase() === coding)?.q ?? 0;
      const [best = otherwise] = supports.toSorted((a, b) => weight(b) - weight(a));
      return weight(best) > 0 ? best : otherwise;
    },
  });
  return isCoding(chosen) ? chosen : undefined;
}

/** Returns the body as it is sent. Sets `content-encoding` if it is compressed. */
export async function encoded(
  { compress }: Compression,
  content: Content,
  coding: Coding,
  headers: Headers,
): Promise<Content> {
  if (typeof content !== 'string' || content.length < minimalLength) return content;
  const bytes = await compress(content, coding, headers.get('etag') ?? undefined);
  headers.set('content-encoding', coding);
  return bytes;
}
