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

/** PA-DATA types: RFC 4556, 3.1.3; RFC 6113, 5.2; RFC 6806, 11; RFC 8070. */
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
 * A request to be signed by a card. The bytes must not change, because the signature, the checksum and the reply key
 * cover them.
 */
export type UnsignedRequest = {
  /** KDC-REQ-BODY and AuthPack. */
  body: Buffer;
  authPack: Buffer;
  /** The signed attributes in the form to be signed, a SET (RFC 5652, 5.4). */
  toSign: Buffer;
  nonce: number;
  /** The private Diffie-Hellman exponent in hexadecimal. */
  exponent: string;
};

const ticketS = 600;
/** RFC 4120, 5.4.1: allows the KDC to return its canonical name of the client (bit 15). */
const canonicalize = Buffer.from([0x00, 0x01, 0x00, 0x00]);

/** KDC-REQ-BODY for a ticket that is never used. */
export const requestBody = (client: Principal, nonce: number, now: Date): Buffer =>
  sequence(
    explicit(0, bitString(client.type === nameTypes.enterprise ? canonicalize : Buffer.alloc(4))),
    explicit(1, principalName(client)),
    explicit(2, generalString(client.realm)),
    explicit(3, principalName(ticketService(client.realm))),
    explicit(5, kerberosTime(addSeconds(now, ticketS))),
    explicit(7, integer(nonce)),
    // In order of preference: a KDC selects the first supported type.
    explicit(8, sequence(integer(18), integer(17))),
  );

/** AS-REQ (RFC 4120, 5.4.1; its fields start at 1). */
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

/** A nonce without its top bit, which old KDCs interpret as a sign. */
const newNonce = (): number => randomInt(1, 2 ** 31);

/** A request that checks if the KDC supports certificates, and gets its freshness token (RFC 8070). */
export const preflight = (client: Principal, now: Date): Buffer =>
  asRequest(requestBody(client, newNonce(), now), [{ type: paTypes.freshness, value: new Uint8Array() }]);

/** Creates the request; `freshness` is the token of the preflight, if any. */
export function createRequest(
  client: Principal,
  freshness: Uint8Array | undefined,
  now: Date,
): UnsignedRequest {
  const [nonce, exponent] = [newNonce(), newExponent()];
  const body = requestBody(client, nonce, now);
  const authPack = authPackOf({ body, nonce, exponent, freshness, now });
  return { body, authPack, toSign: signedAttributes(authPack), nonce, exponent };
}

type AuthPackParts = Pick<UnsignedRequest, 'body' | 'nonce' | 'exponent'> & {
  freshness: Uint8Array | undefined;
  now: Date;
};

/** AuthPack (RFC 4556, 3.2.1; RFC 8636, 4). The checksum of the body is always SHA-1. */
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
    // Without this list some KDCs sign their reply with SHA-1.
    explicit(2, sequence(...signatures.map((dotted) => sequence(oid(dotted))))),
    explicit(4, sequence(...Object.keys(derivations).map((dotted) => sequence(explicit(0, oid(dotted)))))),
  );

const signatures = [algorithms.rsaSha256, algorithms.rsaSha512, algorithms.ecdsaSha256];

/** Exactly two attributes (RFC 5652, 11), in DER order. */
const signedAttributes = (authPack: Uint8Array): Buffer =>
  set(
    sequence(oid('1.2.840.113549.1.9.3'), set(oid(contentTypes.authData))),
    sequence(oid('1.2.840.113549.1.9.4'), set(octets(createHash('sha256').update(authPack).digest()))),
  );
