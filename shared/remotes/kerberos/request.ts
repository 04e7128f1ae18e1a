import { Buffer } from 'node:buffer';
import { createHash, randomInt } from 'node:crypto';
import { addSeconds } from '../../kernel/clock.ts';
import {
  bitString,
  explicit,
  generalString,
  integer,
  kerberosTime,
  octets,
  oid,
  sequence,
  set,
  tlv,
} from '../../kernel/crypto/der.ts';
import { newExponent, publicKeyInfo } from './group.ts';
import { nameTypes, type Principal, principalName, ticketService } from './names.ts';
import { derivations } from './reply-key.ts';

/** Types of PA-DATA: RFC 4556, 3.1.3; RFC 6113, 5.2; RFC 6806, 11; RFC 8070. */
export const paTypes = {
  pkRequest: 16,
  pkReply: 17,
  cookie: 133,
  encryptedRequest: 149,
  freshness: 150,
} as const;

export const contentTypes = {
  authData: '1.3.6.1.5.2.3.1',
  dhKeyData: '1.3.6.1.5.2.3.2',
  signedData: '1.2.840.113549.1.7.2',
} as const;
export const algorithms = {
  sha256: '2.16.840.1.101.3.4.2.1',
  rsaSha256: '1.2.840.113549.1.1.11',
  rsaSha512: '1.2.840.113549.1.1.13',
  ecdsaSha256: '1.2.840.10045.4.3.2',
} as const;

export type PaData = { type: number; value: Uint8Array };

/**
 * A request that a card is to sign. The bytes are kept as they are: the signature covers them, and so do the checksum and
 * the key of the reply.
 */
export type Drafted = {
  /** KDC-REQ-BODY and AuthPack. */
  body: Buffer;
  authPack: Buffer;
  /** The signed attributes as they are signed, a SET (RFC 5652, 5.4). */
  toSign: Buffer;
  nonce: number;
  /** The private Diffie-Hellman exponent, hexadecimal. */
  exponent: string;
};

const ticketS = 600;
/** RFC 4120, 5.4.1: the KDC may put its own name for the client in the reply (bit 15). */
const canonicalize = Buffer.from([0x00, 0x01, 0x00, 0x00]);

/** KDC-REQ-BODY for a ticket that nobody uses. */
export const requestBody = (client: Principal, nonce: number, now: Date): Buffer =>
  sequence(
    explicit(0, bitString(client.type === nameTypes.enterprise ? canonicalize : Buffer.alloc(4))),
    explicit(1, principalName(client)),
    explicit(2, generalString(client.realm)),
    explicit(3, principalName(ticketService(client.realm))),
    explicit(5, kerberosTime(addSeconds(now, ticketS))),
    explicit(7, integer(nonce)),
    // The strongest first: a KDC takes the first one that it knows.
    explicit(8, sequence(integer(18), integer(17))),
  );

/** AS-REQ (RFC 4120, 5.4.1; its fields begin with 1). */
export const asRequest = (body: Uint8Array, paData: readonly PaData[]): Buffer =>
  tlv(
    0x6a,
    sequence(
      explicit(1, integer(5)),
      explicit(2, integer(10)),
      explicit(
        3,
        sequence(
          ...paData.map(({ type, value }) =>
            sequence(explicit(1, integer(type)), explicit(2, octets(value))),
          ),
        ),
      ),
      explicit(4, body),
    ),
  );

/** A nonce without its top bit, which old KDCs take for a sign. */
export const newNonce = (): number => randomInt(1, 2 ** 31);

/** What asks whether the KDC offers certificates, and for its freshness token (RFC 8070). */
export const preflight = (client: Principal, now: Date): Buffer =>
  asRequest(requestBody(client, newNonce(), now), [{ type: paTypes.freshness, value: new Uint8Array() }]);

/** Drafts the request; the freshness token is the one of the preflight, if the KDC gave one. */
export function draft(client: Principal, freshness: Uint8Array | undefined, now: Date): Drafted {
  const [nonce, exponent] = [newNonce(), newExponent()];
  const body = requestBody(client, nonce, now);
  const authPack = authPackOf({ body, nonce, exponent, freshness, now });
  return { body, authPack, toSign: signedAttributes(authPack), nonce, exponent };
}

type AuthPackParts = Pick<Drafted, 'body' | 'nonce' | 'exponent'> & {
  freshness: Uint8Array | undefined;
  now: Date;
};

/** AuthPack (RFC 4556, 3.2.1; RFC 8636, 4). The checksum of the body is SHA-1 whatever the rest uses. */
const authPackOf = ({ body, nonce, exponent, freshness, now }: AuthPackParts): Buffer =>
  sequence(
    explicit(
      0,
      sequence(
        explicit(0, integer(now.getUTCMilliseconds() * 1000)),
        explicit(1, kerberosTime(now)),
        explicit(2, integer(nonce)),
        explicit(3, octets(createHash('sha1').update(body).digest())),
        ...(freshness ? [explicit(4, octets(freshness))] : []),
      ),
    ),
    explicit(1, publicKeyInfo(exponent)),
    // Without these some KDCs sign their reply by way of SHA-1.
    explicit(2, sequence(...signatures.map((dotted) => sequence(oid(dotted))))),
    explicit(4, sequence(...Object.keys(derivations).map((dotted) => sequence(explicit(0, oid(dotted)))))),
  );

const signatures = [algorithms.rsaSha256, algorithms.rsaSha512, algorithms.ecdsaSha256];

/** Exactly two attributes (RFC 5652, 11), in ascending order of their bytes as DER has it. */
const signedAttributes = (authPack: Uint8Array): Buffer =>
  set(
    sequence(oid('1.2.840.113549.1.9.3'), set(oid(contentTypes.authData))),
    sequence(oid('1.2.840.113549.1.9.4'), set(octets(createHash('sha256').update(authPack).digest()))),
  );
