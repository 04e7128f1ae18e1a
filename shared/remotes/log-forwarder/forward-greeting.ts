import { createHash } from 'node:crypto';
import { encode } from '@msgpack/msgpack';
import { randomToken } from '../../kernel/crypto/digests.ts';
import { bytesIn, listIn, memberOf, textIn } from './forward-protocol.ts';

/** What a collector and its senders know, and nobody else. */
export type Credentials = {
  /** Of ours, as the collector is told it. */
  hostname: string;
  sharedKey: string;
};

/** A connection to a collector. */
export type Conversation = {
  /** What it says next. */
  hear(): Promise<unknown>;
  say(message: Uint8Array): void;
};

/**
 * The handshake phase of Fluentd's forward protocol, version 1: each side proves that it knows the shared key, and
 * neither tells it. Only then may events follow.
 * @throws Error unless both have
 */
export async function shakeHands(
  { hear, say }: Conversation,
  { hostname, sharedKey }: Credentials,
): Promise<void> {
  const [greeting, options] = listIn(await hear());
  const nonce = bytesIn(memberOf(options, 'nonce'));
  if (textIn(greeting) !== 'HELO' || !nonce) throw new Error('the log collector did not begin the handshake');
  if (bytesIn(memberOf(options, 'auth'))?.length)
    throw new Error('the log collector asks for a user, which is not supported');
  const salt = randomToken(16);
  say(encode(['PING', hostname, salt, proofOf(salt, hostname, nonce, sharedKey), '', '']));
  const [answer, isWelcome, reason, theirName, proof] = listIn(await hear());
  if (textIn(answer) !== 'PONG') throw new Error('the log collector did not end the handshake');
  if (isWelcome !== true) throw new Error(`the log collector refused us: ${textIn(reason) ?? ''}`);
  if (textIn(proof) !== proofOf(salt, bytesIn(theirName) ?? '', nonce, sharedKey))
    throw new Error('the log collector does not know the shared key');
}

/** True for what a collector says first when it asks for a shared key. */
export const isGreeting = (message: unknown): boolean => textIn(listIn(message)[0]) === 'HELO';

function proofOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
