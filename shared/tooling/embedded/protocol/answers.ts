import { Buffer } from 'node:buffer';
import { type Message, type Problem, readText } from './messages.ts';

/**
 * Passes messages of the given types through `replace` and copies the others.
 * @param replace returns the replacement; an empty list removes the message
 */
export function mapMessages(
  answer: Buffer,
  types: string,
  replace: (message: Message) => readonly Message[],
): Buffer {
  const codes = new Set(Buffer.from(types));
  const parts: Buffer[] = [];
  let copied = 0;
  for (let at = 0; at < answer.length; ) {
    const end = at + 1 + answer.readUInt32BE(at + 1);
    if (codes.has(answer[at] ?? 0)) {
      const message = answer.subarray(at, end);
      const replaced = replace(message);
      if (replaced.length !== 1 || replaced[0] !== message) {
        parts.push(answer.subarray(copied, at), ...replaced);
        copied = end;
      }
    }
    at = end;
  }
  return copied === 0 ? answer : Buffer.concat([...parts, answer.subarray(copied)]);
}

/** @returns the messages of the given types, in order */
export function messagesIn(answer: Buffer, types: string): Message[] {
  const found: Message[] = [];
  mapMessages(answer, types, (message) => {
    found.push(message);
    return [message];
  });
  return found;
}

/** @returns the first error of the answer */
export function problemIn(answer: Buffer): Problem | undefined {
  const [error] = messagesIn(answer, 'E');
  if (!error) return undefined;
  const fields = new Map<string, string>();
  for (let at = 5; error[at] !== 0 && at < error.length; ) {
    const [text, next] = readText(error, at + 1);
    fields.set(String.fromCharCode(error[at] ?? 0), text);
    at = next;
  }
  return { code: fields.get('C') ?? 'XX000', message: fields.get('M') ?? '' };
}

/** @returns the rows of the answer, whose columns are in text format */
export function rowsIn(answer: Buffer): (string | null)[][] {
  return messagesIn(answer, 'D').map((row) => {
    let at = 7;
    return Array.from({ length: row.readInt16BE(5) }, () => {
      const length = row.readInt32BE(at);
      const start = at + 4;
      at = start + Math.max(0, length);
      return length < 0 ? null : row.toString('utf8', start, at);
    });
  });
}

/** The name and value of a ParameterStatus message. */
export function parameterIn(message: Message): [name: string, value: string] {
  const [name, next] = readText(message, 5);
  return [name, readText(message, next)[0]];
}

export const statusIn = (ready: Message): string => String.fromCharCode(ready[5] ?? 0);

/** The tag of a CommandComplete message, for example `INSERT 0 1`. */
export const tagIn = (complete: Message): string => readText(complete, 5)[0];

export type Notification = { pid: number; channel: string; payload: string };

export function notificationIn(message: Message): Notification {
  const [channel, next] = readText(message, 9);
  return { pid: message.readInt32BE(5), channel, payload: readText(message, next)[0] };
}
