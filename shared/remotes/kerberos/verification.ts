import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { addSeconds } from '../../kernel/clock.ts';
import { DerError, isOid, type Tlv } from '../../kernel/crypto/der.ts';
import {
  checksum,
  decrypt,
  type EncryptionType,
  encryptionTypes,
  isEncryptionType,
  usages,
} from './encryption.ts';
import { sharedSecret } from './group.ts';
import { type KdcTrust, signedByKdc, UntrustedKdc } from './kdc-signature.ts';
import { isSamePrincipal, nameTypes, type Principal, ticketService } from './names.ts';
import {
  findPaData,
  type Reply,
  readChecksum,
  readKeyInfo,
  readKeyReply,
  readSealedPart,
  type SealedPart,
} from './replies.ts';
import { derivations, keyOfExchange, keysOfSecret } from './reply-key.ts';

/** A sent request, with the data needed to verify its reply. */
export type SentRequest = {
  client: Principal;
  nonce: number;
  exponent: string;
  /** The AS-REQ as sent. */
  request: Uint8Array;
  trust: KdcTrust;
};

type Ticket = Extract<Reply, { kind: 'ticket' }>;

/** Tolerated clock difference between realm and portal in seconds. */
const skewS = 300;

/**
 * Verifies that a KDC of the realm sent this reply to this request, for this client, now (RFC 4556, 3.2.4; RFC 8636;
 * RFC 6806, 11). The ticket and its key are discarded.
 * @throws UntrustedKdc with the first failed check
 */
export async function verifyReply(question: SentRequest, reply: Ticket, now: Date): Promise<void> {
  try {
    await verify(question, reply, now);
  } catch (error) {
    if (error instanceof DerError || error instanceof RangeError || error instanceof TypeError)
      throw new UntrustedKdc('malformed', { cause: error });
    throw error;
  }
}

async function verify(question: SentRequest, reply: Ticket, now: Date): Promise<void> {
  const { client, nonce, exponent, trust } = question;
  const isCanonical = client.type === nameTypes.enterprise;
  if (!isCanonical && !isSamePrincipal(reply.client, client)) throw new UntrustedKdc('client');
  const { encryptionType: type } = reply;
  const keyReply = findPaData(reply.paData, 'pkReply');
  if (!keyReply || !isEncryptionType(type)) throw new UntrustedKdc('algorithm');
  const { signed, derivation } = readKeyReply(keyReply);
  const keyInfo = readKeyInfo(await signedByKdc(signed, trust, now));
  if (keyInfo.nonce !== nonce) throw new UntrustedKdc('nonce');
  const secret = sharedSecret(exponent, keyInfo.publicValue);
  const keys = derivation
    ? [derivedKey(question, keyReply, secret, type, derivation)]
    : keysOfSecret(secret, type);
  const { key, part } = unseal(keys, reply.sealed);
  assertPart(part, question, now);
  // Without either binding, an attacker in the middle could get this reply for another client and change the name.
  if (!isBound(part, key, type, question.request) && !derivation) throw new UntrustedKdc('unbound');
}

function derivedKey(
  { client, request }: SentRequest,
  reply: Uint8Array,
  secret: Uint8Array,
  type: EncryptionType,
  derivation: Tlv,
): Buffer {
  const [dotted, hash] = Object.entries(derivations).find(([one]) => isOid(derivation, one)) ?? [];
  if (!dotted || !hash) throw new UntrustedKdc('algorithm');
  const exchanged = { client, server: ticketService(client.realm), request, reply };
  return keyOfExchange(secret, type, dotted, hash, exchanged);
}

function unseal(keys: readonly Buffer[], sealed: Uint8Array): { key: Buffer; part: SealedPart } {
  for (const key of keys) {
    const plain = decrypt(key, usages.asReply, sealed);
    if (plain) return { key, part: readSealedPart(plain) };
  }
  throw new UntrustedKdc('key');
}

function assertPart({ nonce, server, flags, ...part }: SealedPart, question: SentRequest, now: Date): void {
  if (nonce !== question.nonce) throw new UntrustedKdc('nonce');
  if (!isSamePrincipal(server, ticketService(question.client.realm))) throw new UntrustedKdc('server');
  if (!hasFlag(flags, 9) || !hasFlag(flags, 10)) throw new UntrustedKdc('flags');
  const age = Math.abs(now.getTime() - part.authenticatedAt.getTime());
  if (age > skewS * 1000 || part.endsAt < addSeconds(now, -skewS)) throw new UntrustedKdc('time');
}

/** Ticket flags: 9 is `initial`, 10 `pre-authent` (RFC 4120, 5.3), 15 `enc-pa-rep` (RFC 6806, 11). */
const hasFlag = (flags: Uint8Array, bit: number): boolean =>
  (((flags[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;

/**
 * True if the KDC confirmed the exact request with the reply key. @throws UntrustedKdc if it confirmed another
 * request
 */
function isBound(
  { flags, paData }: SealedPart,
  key: Buffer,
  type: EncryptionType,
  request: Uint8Array,
): boolean {
  const encrypted = hasFlag(flags, 15) ? findPaData(paData, 'encryptedRequest') : undefined;
  if (!encrypted) return false;
  const { type: sumType, bytes } = readChecksum(encrypted);
  const expected = checksum(key, usages.requestChecksum, request);
  const isRight =
    sumType === encryptionTypes[type].checksumType &&
    bytes.length === expected.length &&
    timingSafeEqual(Buffer.from(bytes), expected);
  if (!isRight) throw new UntrustedKdc('request');
  return true;
}
