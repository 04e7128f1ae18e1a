import { escapeControls } from '../../kernel/text.ts';
import type { ForwardedEvent } from './port.ts';

/** RFC 5424, section 6.2.1: log audit. */
const facility = 13;
const severities = { error: 3, warning: 4, info: 6 } as const;
/** RFC 5425, section 4.3.1: message size that every receiver should support. */
const longest = 8_192;

/**
 * Encodes an event as a syslog message (RFC 5424) with its length as prefix (RFC 5425). The message is the sealed
 * text with escaped control characters, because JSON does not escape those beyond ASCII. Changes and details are
 * omitted from a message that is too long; its member `left_out` lists them.
 */
export function syslogFrame(event: ForwardedEvent, host: string): Uint8Array {
  const whole = messageOf(event, host, event.sealed_text);
  const fitting = whole.length <= longest ? whole : messageOf(event, host, shortened(event));
  const length = new TextEncoder().encode(`${fitting.length} `);
  const frame = new Uint8Array(length.length + fitting.length);
  frame.set(length);
  frame.set(fitting, length.length);
  return frame;
}

function messageOf(
  { seq, at, level, event, prev_hash, hash }: ForwardedEvent,
  host: string,
  text: string,
): Uint8Array {
  const priority = facility * 8 + severities[level];
  const header = `<${priority}>1 ${at.toISOString()} ${word(host, 255)} aggregator - ${word(event, 32)}`;
  // The enterprise number reserved for documentation (RFC 5612). No value needs escaping.
  const chain = `[audit@32473 seq="${seq}" prev_hash="${prev_hash}" hash="${hash}"]`;
  return new TextEncoder().encode(`${header} ${chain} ${escapeControls(text)}`);
}

/** A header field: printable ASCII without spaces. */
const word = (text: string, most: number): string => text.replace(/[^\x21-\x7e]/g, '?').slice(0, most) || '-';

/** Maximum length of texts in a shortened event, in characters of up to four bytes. */
const longestText = 64;

function shortened({ sealed_text }: ForwardedEvent): string {
  const { changes: _, details: __, ...rest }: Record<string, unknown> = JSON.parse(sealed_text);
  const short = Object.entries(rest).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, longestText) : value,
  ]);
  return JSON.stringify({ ...Object.fromEntries(short), left_out: ['changes', 'details'] });
}
