import { createHash } from 'node:crypto';
import { encode } from '@msgpack/msgpack';
import { randomToken } from '../../kernel/crypto/digests.ts';
import { bytesIn, listIn, memberOf, textIn } from './forward-protocol.ts';

/** Secret shared by a collector and its clients. */
export type SharedKeyCredentials = {
  /** Our host name as sent to the collector. */
  hostname: string;
  sharedKey: string;
};

/** A connection to a collector. */
export type CollectorConnection = {
  /** Returns the next message of the collector. */
  hear(): Promise<unknown>;
  say(message: Uint8Array): void;
};

/**
 * The handshake of Fluentd's forward protocol, version 1: each side proves knowledge of the shared key without
 * sending it. Events may follow only afterwards.
 * @throws Error if the handshake fails
 */
export async function performHandshake(
  { hear, say }: CollectorConnection,
  { hostname, sharedKey }: SharedKeyCredentials,
): Promise<void> {
  const [greeting, options] = listIn(await hear());
  const nonce = bytesIn(memberOf(options, 'nonce'));
  if (textIn(greeting) !== 'HELO' || !nonce) throw new Error('the log collector did not begin the handshake');
  if (bytesIn(memberOf(options, 'auth'))?.length)
    throw new Error('the log collector requires a user, which is not supported');
  const salt = randomToken(16);
  say(encode(['PING', hostname, salt, proofOf(salt, hostname, nonce, sharedKey), '', '']));
  const [answer, isWelcome, reason, theirName, proof] = listIn(await hear());
  if (textIn(answer) !== 'PONG') throw new Error('the log collector did not complete the handshake');
  if (isWelcome !== true)
    throw new Error(`the log collector rejected the connection: ${textIn(reason) ?? ''}`);
  if (textIn(proof) !== proofOf(salt, bytesIn(theirName) ?? '', nonce, sharedKey))
    throw new Error('the log collector has another shared key');
}

/** True for the first message of a collector that requires a shared key. */
export const isGreeting = (message: unknown): boolean => textIn(listIn(message)[0]) === 'HELO';

function proofOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
