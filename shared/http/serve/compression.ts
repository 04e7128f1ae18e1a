import type { Context } from 'hono';
import { accepts } from 'hono/accepts';
import type { Answer, Content } from './answer.ts';

export type Coding = 'br' | 'gzip';

/** Compresses answers, on runtimes that do it themselves. */
export type Compression = {
  /** @param key of the content: the result of the same key and coding is kept */
  compress(text: string, coding: Coding, key?: string): Promise<Uint8Array<ArrayBuffer>>;
};

/** In the order of preference, where the client prefers none. */
const codings: readonly Coding[] = ['br', 'gzip'];
const isCoding = (text: string): text is Coding => codings.some((coding) => coding === text);

/** Shorter answers fit into few packets. */
const minimalLength = 4096;

/**
 * The coding of an answer. Only answers that declare themselves compressible have one: the length of a compressed text
 * that has a secret and a text of an attacker's choice reveals the secret (BREACH).
 * @returns undefined if the answer is sent as it is
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

/** The body as it is sent; sets `content-encoding` if it is compressed. */
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
