import { Buffer } from 'node:buffer';
import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import {
  expectTag,
  integer,
  isOid,
  readAll,
  readOne,
  readText,
  sequence,
  type Tlv,
  tags,
} from '../../kernel/crypto/der.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import { type Principal, readRealmAndName } from './names.ts';

/** A smart-card certificate with its relevant parts; issuer and serial number are DER. */
export type Card = {
  der: Buffer;
  algorithm: 'RSA' | 'EC';
  key: KeyObject;
  issuer: Uint8Array;
  serial: Uint8Array;
  names: SubjectNames;
};

/** The names in the subjectAltName of a certificate. */
export type SubjectNames = { principals: Principal[]; upns: string[]; hosts: string[] };

const pkinitSan = '1.3.6.1.5.2.2';
const upnSan = '1.3.6.1.4.1.311.20.2.3';

/**
 * Reads a certificate as PEM or as base64 of DER.
 * @returns undefined if the text is not a certificate, or its key is neither RSA with 2048 to 8192 bits nor on P-256
 */
export function readCard(text: string): Card | undefined {
  const der = derOf(text);
  if (!der) return undefined;
  try {
    const { publicKey: key } = new X509Certificate(der);
    const algorithm = algorithmOf(key);
    return algorithm && { der, algorithm, key, ...identifiersOf(der) };
  } catch {
    return undefined;
  }
}

/**
 * SHA-256 of the public key (SubjectPublicKeyInfo). It does not change if the certificate is renewed with the same
 * key.
 */
export const fingerprintOf = ({ key }: Pick<Card, 'key'>): string =>
  sha256(key.export({ type: 'spki', format: 'der' }));

/** @returns the bytes of one certificate, or undefined */
export function derOf(text: string): Buffer | undefined {
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, '').replace(/\s+/g, '');
  const der = Buffer.from(base64, 'base64');
  if (der.length === 0 || der.toString('base64') !== base64) return undefined;
  try {
    return new X509Certificate(der).raw.length === der.length ? der : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Verifies a signature with SHA-256 and converts it to the CMS form. For elliptic curves cards return `r
 * s`, and CMS uses a SEQUENCE of both.
 * @returns undefined if the signature does not match the key of the card
 */
export function checkSignature(card: Card, text: Uint8Array, signature: Uint8Array): Buffer | undefined {
  const forms = card.algorithm === 'EC' ? [signature, sequenceOfHalves(signature)] : [signature];
  const found = forms.find((form) => form && isSignedBy(card, text, form));
  return found && Buffer.from(found);
}

/** @throws DerError if the certificate is malformed */
export function identifiersOf(der: Uint8Array): Pick<Card, 'issuer' | 'serial' | 'names'> {
  const [body] = readAll(readOne(der, tags.sequence).content);
  const parts = readAll(expectTag(body, tags.sequence).content).filter(({ tag }) => tag !== 0xa0);
  const [serial, , issuer] = parts;
  const extensions = parts.find(({ tag }) => tag === 0xa3);
  return {
    issuer: expectTag(issuer, tags.sequence).raw,
    serial: expectTag(serial, tags.integer).raw,
    names: extensions ? subjectNames(extensions) : { principals: [], upns: [], hosts: [] },
  };
}

function algorithmOf({
  asymmetricKeyType,
  asymmetricKeyDetails: details,
}: KeyObject): Card['algorithm'] | undefined {
  const { modulusLength = 0, namedCurve } = details ?? {};
  if (asymmetricKeyType === 'rsa' && modulusLength >= 2048 && modulusLength <= 8192) return 'RSA';
  return asymmetricKeyType === 'ec' && namedCurve === 'prime256v1' ? 'EC' : undefined;
}

function isSignedBy({ key }: Card, text: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify('sha256', text, key, signature);
  } catch {
    return false;
  }
}

function sequenceOfHalves(signature: Uint8Array): Buffer | undefined {
  if (signature.length !== 64) return undefined;
  const half = (bytes: Uint8Array) => integer(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
  return sequence(half(signature.subarray(0, 32)), half(signature.subarray(32)));
}

/** The names of all `subjectAltName` extensions (RFC 5280, 4.2.1.6). */
function subjectNames(extensions: Tlv): SubjectNames {
  const all = readAll(readOne(extensions.content, tags.sequence).content).map((one) => readAll(one.content));
  const sans = all.filter(([type]) => isOid(type, '2.5.29.17'));
  const names = sans.flatMap((san) =>
    readAll(readOne(expectTag(san.at(-1), tags.octetString).content, tags.sequence).content),
  );
  const others = names.filter(({ tag }) => tag === 0xa0).map(({ content }) => readAll(content));
  const valuesOf = (type: string) =>
    others.filter(([id]) => isOid(id, type)).map(([, value]) => readOne(expectTag(value, 0xa0).content));
  return {
    principals: valuesOf(pkinitSan).map(readRealmAndName),
    upns: valuesOf(upnSan).map((value) => readText(expectTag(value, tags.utf8String))),
    hosts: names.filter(({ tag }) => tag === 0x82).map((name) => readText(name).toLowerCase()),
  };
}
