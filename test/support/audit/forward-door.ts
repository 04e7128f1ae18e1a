import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { encode } from '@msgpack/msgpack';

/**
 * A collector that requires a shared key, according to the handshake phase of Fluentd's forward protocol, version 1.
 */
export type Doorkeeper = {
  sharedKey: string;
  /** The name that it reports. */
  hostname?: string;
  /** The collector requires user authentication as well. */
  asksForUsers?: boolean;
  /** It does not have the key itself, and admits all senders. */
  isImpostor?: boolean;
  /** Some collectors send the random bytes of the nonce as text, which they are not. */
  spellsNonceAsText?: boolean;
  /** Names of the senders that proved the key, in their order. */
  letIn: string[];
};

export const doorkeeper = (sharedKey: string, given: Partial<Doorkeeper> = {}): Doorkeeper => ({
  sharedKey,
  letIn: [],
  ...given,
});

/** HELO, PING and PONG, with verified digests. @returns whether the sender may send */
export async function openDoor(
  { sharedKey, hostname = 'collector-1', asksForUsers, isImpostor, spellsNonceAsText, letIn }: Doorkeeper,
  socket: Socket,
  messages: AsyncGenerator<unknown>,
): Promise<boolean> {
  const nonce = randomBytes(16);
  const auth = asksForUsers ? randomBytes(16) : '';
  socket.write(
    spellsNonceAsText ? greetingOfText(nonce) : encode(['HELO', { nonce, auth, keepalive: false }]),
  );
  const { value } = await messages.next();
  const [name, sender, salt, proof, user, password, ...more]: unknown[] = Array.isArray(value) ? value : [];
  if (name !== 'PING' || typeof sender !== 'string' || typeof salt !== 'string' || more.length > 0)
    throw new Error('not a PING');
  if (user !== '' || password !== '') throw new Error('nobody asked for a user');
  const isProved = proof === proofOf(salt, sender, nonce, sharedKey);
  if (isProved) letIn.push(sender);
  if (!isProved && !isImpostor) {
    socket.write(encode(['PONG', false, 'shared_key mismatch', '', '']));
    return false;
  }
  const known = isImpostor ? 'a guess' : sharedKey;
  socket.write(encode(['PONG', true, '', hostname, proofOf(salt, hostname, nonce, known)]));
  return true;
}

const proofOf = (salt: string, hostname: string, nonce: Buffer, sharedKey: string): string =>
  createHash('sha512')
    .update(Buffer.concat([Buffer.from(salt), Buffer.from(hostname), nonce, Buffer.from(sharedKey)]))
    .digest('hex');

/** An array of two; a map of three, in which the nonce has the header of a text of sixteen bytes. */
const greetingOfText = (nonce: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([0x92]),
    encode('HELO'),
    Buffer.from([0x83]),
    encode('nonce'),
    Buffer.from([0xa0 | nonce.length]),
    nonce,
    encode('auth'),
    encode(''),
    encode('keepalive'),
    encode(true),
  ]);
