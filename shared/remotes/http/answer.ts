import {
  defaultMaxBytes,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

/** A response with an unread body, in a form common to all HTTP clients. */
export type RawAnswer = {
  status: number;
  headers: Iterable<readonly [name: string, value: string | readonly string[] | undefined]>;
  body: AsyncIterable<Uint8Array>;
};

const maxHeaders = 100;

/**
 * Reads a response and enforces the limits while reading; holds at most `maxBytes` and one chunk in memory.
 * @throws TransportError `redirect`, `malformed` (a content coding), `too_large`, or the error of the body
 */
export async function readAnswer(
  raw: RawAnswer,
  { maxBytes = defaultMaxBytes, returnsRedirects = false, onText }: AnswerOptions,
): Promise<TransportResponse> {
  const { headers, cookies } = plainHeaders(raw.headers);
  // 304 is the response to a conditional request. Other 3xx would send credentials to another address.
  const isRedirect = raw.status >= 300 && raw.status < 400 && raw.status !== 304;
  if (isRedirect && !returnsRedirects) throw new TransportError('redirect');
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new TransportError('malformed');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new TransportError('too_large');
  const text = await readText(raw.body, maxBytes, raw.status === 200 ? onText : undefined);
  return { status: raw.status, headers, text, ...(returnsRedirects && { cookies }) };
}

export type AnswerOptions = Pick<TransportRequest, 'maxBytes' | 'returnsRedirects' | 'onText'>;

function plainHeaders(raw: RawAnswer['headers']): { headers: Record<string, string>; cookies: string[] } {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  let count = 0;
  for (const [name, value] of raw) {
    if (value === undefined) continue;
    count += typeof value === 'string' ? 1 : value.length;
    if (name === 'set-cookie') cookies.push(...(typeof value === 'string' ? [value] : value));
    else headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  if (count > maxHeaders) throw new TransportError('too_large');
  return { headers, cookies };
}

async function readText(
  body: RawAnswer['body'],
  maxBytes: number,
  onText: TransportRequest['onText'],
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const take = (part: string) => {
    if (onText) onText(part);
    else text += part;
  };
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TransportError('too_large');
    take(decoder.decode(chunk, { stream: true }));
  }
  take(decoder.decode());
  return text;
}
