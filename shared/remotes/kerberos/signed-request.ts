import { Buffer } from 'node:buffer';
import { explicit, integer, octets, oid, sequence, set, tlv } from '../../kernel/crypto/der.ts';
import type { Card } from './card.ts';
import { algorithms, asRequest, contentTypes, paTypes, type UnsignedRequest } from './request.ts';

const absent = new Uint8Array();
const withNull = (dotted: string): Buffer => sequence(oid(dotted), tlv(0x05));

/**
 * The AS-REQ with the signature of the card.
 * @param chain DER of intermediate certificates between the card and an authority of the KDC
 * @param cookie a value that the KDC requires to be returned (RFC 6113, 5.2)
 */
export function signedRequest(
  { body, authPack, toSign }: UnsignedRequest,
  card: Card,
  chain: readonly Uint8Array[],
  signature: Uint8Array,
  cookie: Uint8Array | undefined,
): Buffer {
  const contentInfo = signedData(authPack, toSign, card, chain, signature);
  return asRequest(body, [
    ...(cookie ? [{ type: paTypes.cookie, value: cookie }] : []),
    // The OCTET STRING is tagged IMPLICIT (RFC 4556, 3.2.1).
    { type: paTypes.pkRequest, value: sequence(tlv(0x80, contentInfo)) },
    { type: paTypes.encryptedRequest, value: absent },
  ]);
}

/** ContentInfo with SignedData (RFC 5652, 5.1); version 3, because the content type is not `data`. */
function signedData(
  content: Uint8Array,
  signedAttributes: Uint8Array,
  { der, algorithm, issuer, serial }: Card,
  chain: readonly Uint8Array[],
  signature: Uint8Array,
): Buffer {
  // The signed bytes with another tag (RFC 5652, 5.4).
  const attributes = Buffer.from(signedAttributes);
  attributes[0] = 0xa0;
  const signer = sequence(
    integer(1),
    sequence(issuer, serial),
    sequence(oid(algorithms.sha256)),
    attributes,
    algorithm === 'RSA' ? withNull(algorithms.rsaSha256) : sequence(oid(algorithms.ecdsaSha256)),
    octets(signature),
  );
  const data = sequence(
    integer(3),
    set(sequence(oid(algorithms.sha256))),
    sequence(oid(contentTypes.authData), explicit(0, octets(content))),
    tlv(0xa0, der, ...chain),
    set(signer),
  );
  return sequence(oid(contentTypes.signedData), explicit(0, data));
}
