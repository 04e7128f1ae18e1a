import {
  DerError,
  expectTag,
  hasField,
  readAll,
  readBits,
  readFields,
  readInteger,
  readOne,
  readTime,
  type Tlv,
  tags,
} from '../../kernel/crypto/der.ts';
import { type Principal, readPrincipal } from './names.ts';
import { type PaData, paTypes } from './request.ts';

/** The reply of a KDC: a ticket, or an error, optionally with the pre-authentication data that it requires. */
export type Reply =
  | { kind: 'ticket'; paData: PaData[]; client: Principal; encryptionType: number; sealed: Uint8Array }
  /** `status` is the NTSTATUS in replies of Active Directory. */
  | { kind: 'refusal'; code: number; paData: PaData[]; status?: number };

/** The encrypted part of a ticket reply (EncASRepPart: RFC 4120, 5.4.2; RFC 6806, 11). */
export type SealedPart = {
  nonce: number;
  flags: Uint8Array;
  authenticatedAt: Date;
  endsAt: Date;
  server: Principal;
  paData: PaData[];
};

export const preauthenticationRequired = 25;

/** @throws DerError */
export function readReply(bytes: Uint8Array): Reply {
  const message = readOne(bytes);
  if (message.tag === 0x7e) return readRefusal(readOne(message.content, tags.sequence));
  const body = readOne(expectTag(message, 0x6b).content, tags.sequence);
  const fields = readFields(body);
  const sealed = readFields(fields(6));
  return {
    kind: 'ticket',
    paData: hasField(body, 2) ? readPaData(fields(2)) : [],
    client: readPrincipal(fields(4), fields(3)),
    encryptionType: readInteger(sealed(0)),
    sealed: sealed(2, tags.octetString).content,
  };
}

/** KRB-ERROR (RFC 4120, 5.9.1). Its e-data is a list of PA-DATA only for code 25. @throws DerError */
function readRefusal(body: Tlv): Reply {
  const fields = readFields(body);
  const code = readInteger(fields(6));
  const data = hasField(body, 12) ? fields(12, tags.octetString).content : undefined;
  const isAsking = code === preauthenticationRequired && data !== undefined;
  const status = isAsking || !data ? undefined : readStatus(data);
  return {
    kind: 'refusal',
    code,
    paData: isAsking ? readPaData(readOne(data)) : [],
    ...(status !== undefined && { status }),
  };
}

/**
 * The NTSTATUS of a KERB-EXT-ERROR in a KERB-ERROR-DATA (MS-KILE, 2.2.1 and 2.2.2). Samba uses PA-DATA as the frame,
 * and a list of PA-DATA after a request with a certificate.
 * @returns undefined for other data
 */
function readStatus(data: Uint8Array): number | undefined {
  try {
    const frame = readOne(data, tags.sequence);
    const parts = readAll(frame.content);
    const isList = parts.every(({ tag }) => tag === tags.sequence);
    const [status] = (isList ? parts : [frame]).flatMap((part) => statusIn(part) ?? []);
    return status;
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

/** @throws DerError */
function statusIn(part: Tlv): number | undefined {
  const fields = readFields(part);
  if (readInteger(fields(1)) !== extendedError) return undefined;
  const value = fields(2, tags.octetString).content;
  return value.length < 12 ? undefined : new DataView(value.buffer, value.byteOffset).getUint32(0, true);
}

/** KERB_ERR_TYPE_EXTENDED */
const extendedError = 3;

/** Some KDCs use the tag of another reply (RFC 4120, 5.4.2). @throws DerError */
export function readSealedPart(plain: Uint8Array): SealedPart {
  const [frame] = readAll(plain);
  if (frame?.tag !== 0x79 && frame?.tag !== 0x7a) throw new DerError('EncASRepPart');
  const body = readOne(frame.content, tags.sequence);
  const fields = readFields(body);
  return {
    nonce: readInteger(fields(2)),
    flags: readBits(fields(4)),
    authenticatedAt: readTime(fields(5)),
    endsAt: readTime(fields(7)),
    server: readPrincipal(fields(10), fields(9)),
    paData: hasField(body, 12) ? readPaData(fields(12)) : [],
  };
}

/** PA-PK-AS-REP in the form with a Diffie-Hellman key. @throws DerError */
export function readKeyReply(value: Uint8Array): { signed: Uint8Array; derivation: Tlv | undefined } {
  const choice = expectTag(readOne(value), 0xa0);
  const body = readOne(choice.content, tags.sequence);
  const signed = expectTag(
    readAll(body.content).find(({ tag }) => tag === 0x80),
    0x80,
  );
  return {
    signed: signed.content,
    derivation: hasField(body, 2) ? readFields(readFields(body)(2))(0, tags.oid) : undefined,
  };
}

/** KDCDHKeyInfo (RFC 4556, 3.2.3.1). @throws DerError */
export function readKeyInfo(content: Uint8Array): { publicValue: Uint8Array; nonce: number } {
  const fields = readFields(readOne(content));
  return { publicValue: readBits(fields(0)), nonce: readInteger(fields(1)) };
}

/** The value of a Checksum (RFC 4120, 5.2.9). @throws DerError */
export function readChecksum(value: Uint8Array): { type: number; bytes: Uint8Array } {
  const fields = readFields(readOne(value));
  return { type: readInteger(fields(0)), bytes: fields(1, tags.octetString).content };
}

export const findPaData = (paData: readonly PaData[], type: keyof typeof paTypes): Uint8Array | undefined =>
  paData.find((one) => one.type === paTypes[type])?.value;

function readPaData(list: Tlv): PaData[] {
  return readAll(expectTag(list, tags.sequence).content).map((one) => {
    const fields = readFields(one);
    return { type: readInteger(fields(1)), value: fields(2, tags.octetString).content };
  });
}
