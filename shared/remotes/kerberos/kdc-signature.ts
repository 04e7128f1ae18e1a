import { Buffer } from 'node:buffer';
import { type Attribute, Certificate, ContentInfo, ExtKeyUsage, SignedData, type SignerInfo } from 'pkijs';
import { isOid, readOne } from '../../kernel/crypto/der.ts';
import { identifiersOf, type SubjectNames } from './card.ts';
import { isStrongSignature, leadsToAnchor, parseAnchors } from './certificate-path.ts';
import { isSamePrincipal, ticketService } from './names.ts';
import { contentTypes } from './request.ts';

/** Requirements for the certificate of a KDC. */
export type KdcTrust = {
  realm: string;
  /** PEM certificates of the trust anchors. */
  anchors: string;
  /** Host names that are accepted instead of the name of the realm. */
  hosts: readonly string[];
  eku: 'kdc' | 'server_auth';
};

/** A KDC reply that is not trusted. `reason` is a stable word. */
export class UntrustedKdc extends Error {
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`the KDC is not trusted: ${reason}`, options);
    this.name = 'UntrustedKdc';
    this.reason = reason;
  }
}

const purposes = { kdc: ['1.3.6.1.5.2.3.5'], server_auth: ['1.3.6.1.5.2.3.5', '1.3.6.1.5.5.7.3.1'] };
const digests = new Set(['2.16.840.1.101.3.4.2.1', '2.16.840.1.101.3.4.2.2', '2.16.840.1.101.3.4.2.3']);

/**
 * Returns the content signed by a KDC of the realm (RFC 4556, 3.2.4).
 * @param contentInfo DER of the CMS ContentInfo
 * @throws UntrustedKdc
 */
export async function signedByKdc(contentInfo: Uint8Array, trust: KdcTrust, now: Date): Promise<Buffer> {
  const signed = parse(contentInfo);
  const [signer, ...others] = signed.signerInfos;
  if (!signer || others.length > 0) throw new UntrustedKdc('signers');
  assertForm(signed, signer);
  const certificate = await verified(signed);
  await assertTrusted(certificate, signed, trust, now);
  return Buffer.from(signed.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer());
}

function parse(contentInfo: Uint8Array): SignedData {
  try {
    const { contentType, content } = ContentInfo.fromBER(Uint8Array.from(contentInfo));
    if (contentType === contentTypes.signedData) return new SignedData({ schema: content });
  } catch (cause) {
    throw new UntrustedKdc('malformed', { cause });
  }
  throw new UntrustedKdc('content_type');
}

/** The library requires a signed content type, but does not check its value. */
function assertForm({ encapContentInfo }: SignedData, { signedAttrs, ...signer }: SignerInfo): void {
  const types = (signedAttrs?.attributes ?? []).filter(({ type }) => type === '1.2.840.113549.1.9.3');
  const isKeyInfo = (attribute: Attribute) =>
    attribute.values.length === 1 &&
    isOid(readOne(new Uint8Array(attribute.values[0].toBER())), contentTypes.dhKeyData);
  if (encapContentInfo.eContentType !== contentTypes.dhKeyData) throw new UntrustedKdc('content_type');
  if (types.length !== 1 || !types.every(isKeyInfo)) throw new UntrustedKdc('content_type');
  if (!digests.has(signer.digestAlgorithm.algorithmId)) throw new UntrustedKdc('weak_signature');
  const { algorithmId } = signer.signatureAlgorithm;
  // For plain RSA the digest is specified in the digest algorithm (RFC 3370, 3.2).
  if (algorithmId !== '1.2.840.113549.1.1.1' && !isStrongSignature(algorithmId))
    throw new UntrustedKdc('weak_signature');
}

async function verified(signed: SignedData): Promise<Certificate> {
  try {
    const result = await signed.verify({ signer: 0, extendedMode: true });
    if (result.signatureVerified && result.signerCertificate) return result.signerCertificate;
  } catch (cause) {
    throw new UntrustedKdc('signature', { cause });
  }
  throw new UntrustedKdc('signature');
}

async function assertTrusted(
  certificate: Certificate,
  { certificates = [] }: SignedData,
  { anchors, realm, hosts, eku }: KdcTrust,
  now: Date,
): Promise<void> {
  const chain = certificates.filter((one) => one instanceof Certificate);
  if (!(await leadsToAnchor(certificate, chain, parseAnchors(anchors), now))) throw new UntrustedKdc('chain');
  if (!maySign(certificate) || !purposesOf(certificate).some((purpose) => purposes[eku].includes(purpose)))
    throw new UntrustedKdc('purpose');
  const der = new Uint8Array(certificate.toSchema().toBER());
  if (!isNamed(identifiersOf(der).names, realm, hosts)) throw new UntrustedKdc('name');
}

/** Bit 0 of the key usage, if present, is `digitalSignature` (RFC 5280, 4.2.1.3). */
const maySign = ({ extensions = [] }: Certificate): boolean =>
  extensions.every(
    ({ extnID, parsedValue }) =>
      extnID !== '2.5.29.15' || (parsedValue?.valueBlock.valueHexView[0] & 0x80) !== 0,
  );

const purposesOf = ({ extensions = [] }: Certificate): string[] =>
  extensions.flatMap(({ parsedValue }) =>
    parsedValue instanceof ExtKeyUsage ? parsedValue.keyPurposes : [],
  );

const isNamed = (
  { principals, hosts: names }: SubjectNames,
  realm: string,
  hosts: readonly string[],
): boolean =>
  principals.some((principal) => isSamePrincipal(principal, ticketService(realm))) ||
  names.some((name) => hosts.some((host) => host.toLowerCase() === name));
