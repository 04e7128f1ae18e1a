import { decodeMultiStream, ExtData, encode } from '@msgpack/msgpack';
import { escapeControls } from '../../kernel/text.ts';
import type { ForwardedEvent } from './port.ts';

const tag = 'aggregator.audit';

/**
 * Encodes events as one message in Forward mode of Fluentd's forward protocol, version 1.
 * @param chunk id that the collector returns in its acknowledgement
 */
export function forwardMessage(events: readonly ForwardedEvent[], chunk: string): Uint8Array {
  const entries = events.map((event) => [eventTime(event.at), recordOf(event)]);
  return encode([tag, entries, { chunk, size: entries.length }]);
}

/** True if the message acknowledges the chunk. */
export const isAcknowledged = (answer: unknown, chunk: string): boolean =>
  textIn(memberOf(answer, 'ack')) === chunk;

/** Maximum length of a string in messages of a collector. */
const longest = 65_536;
const most = 16;

/**
 * Decodes the messages of a collector. Strings are returned as bytes, because some collectors send random bytes as
 * strings.
 */
export const messagesOf = (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> =>
  decodeMultiStream<undefined>(bytes, {
    rawStrings: true,
    maxStrLength: longest,
    maxBinLength: longest,
    maxExtLength: longest,
    maxArrayLength: most,
    maxMapLength: most,
  });

export const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

export const bytesIn = (value: unknown): Uint8Array | undefined =>
  value instanceof Uint8Array ? value : undefined;

export const textIn = (value: unknown): string | undefined =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined;

/** Extension type 0 of the protocol: seconds and nanoseconds, big endian. */
function eventTime(at: Date): ExtData {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, Math.floor(at.getTime() / 1_000));
  bytes.setUint32(4, at.getUTCMilliseconds() * 1_000_000);
  return new ExtData(0, new Uint8Array(bytes.buffer));
}

/** Control characters are escaped, because collectors write records to line-based files in different ways. */
function recordOf({ sealed_text, prev_hash, hash }: ForwardedEvent): Record<string, unknown> {
  const event: Record<string, unknown> = JSON.parse(sealed_text, (_, value: unknown) => harmless(value));
  return { ...event, prev_hash, hash };
}

function harmless(value: unknown): unknown {
  if (typeof value === 'string') return escapeControls(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [escapeControls(name), member]));
}
