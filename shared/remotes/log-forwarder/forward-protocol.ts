import { decodeMulti, ExtData, encode } from '@msgpack/msgpack';
import { escapeControls } from '../../kernel/text.ts';
import type { ForwardedEvent } from './port.ts';

const tag = 'aggregator.audit';

/**
 * Events as one message in the Forward mode of Fluentd's forward protocol, version 1.
 * @param chunk what the collector repeats once it has taken them over
 */
export function forwardMessage(events: readonly ForwardedEvent[], chunk: string): Uint8Array {
  const entries = events.map((event) => [eventTime(event.at), recordOf(event)]);
  return encode([tag, entries, { chunk, size: entries.length }]);
}

/** True when the collector's answer acknowledges the chunk; undefined while it is not complete. */
export function isAcknowledged(answer: Uint8Array, chunk: string): boolean | undefined {
  const [first] = completeObjects(answer);
  if (first === undefined) return undefined;
  return typeof first === 'object' && first !== null && Reflect.get(first, 'ack') === chunk;
}

/** The protocol's own extension type 0: seconds and nanoseconds, big endian. */
function eventTime(at: Date): ExtData {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, Math.floor(at.getTime() / 1_000));
  bytes.setUint32(4, at.getUTCMilliseconds() * 1_000_000);
  return new ExtData(0, new Uint8Array(bytes.buffer));
}

/** Collectors write records into files of lines, each in its own way: no control character reaches them. */
function recordOf({ sealed_text, prev_hash, hash }: ForwardedEvent): Record<string, unknown> {
  const event: Record<string, unknown> = JSON.parse(sealed_text, (_, value: unknown) => harmless(value));
  return { ...event, prev_hash, hash };
}

function harmless(value: unknown): unknown {
  if (typeof value === 'string') return escapeControls(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [escapeControls(name), member]));
}

/** The first object of what has come so far, if all of it has. */
function completeObjects(bytes: Uint8Array): unknown[] {
  try {
    const [first] = decodeMulti(bytes);
    return first === undefined ? [] : [first];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
