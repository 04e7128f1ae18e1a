import { Buffer } from 'node:buffer';
import { BasicConstraints, Certificate, CertificateChainValidationEngine } from 'pkijs';
import { algorithms } from './request.ts';

/** Extensions processed here or by the library. A path with any other critical extension is rejected. */
const supportedExtensions = new Set([
  ...['2.5.29.14', '2.5.29.15', '2.5.29.17', '2.5.29.18', '2.5.29.19', '2.5.29.30', '2.5.29.31', '2.5.29.32'],
  ...['2.5.29.33', '2.5.29.35', '2.5.29.36', '2.5.29.37', '2.5.29.54'],
]);

/** SHA-256 and stronger. PSS is not used by Kerberos and is excluded, because its parameters may select SHA-1. */
const strongSignatures = new Set<string>([
  ...[algorithms.rsaSha256, '1.2.840.113549.1.1.12', algorithms.rsaSha512],
  ...[algorithms.ecdsaSha256, '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4'],
]);

export const isStrongSignature = (dotted: string): boolean => strongSignatures.has(dotted);

/** @throws Error if the bytes are not a certificate */
export const parseCertificate = (der: Uint8Array): Certificate => Certificate.fromBER(Uint8Array.from(der));

/** @returns the certificates of a PEM text */
export const parseAnchors = (pem: string): Certificate[] =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END/g)].map(([, base64 = '']) =>
    parseCertificate(Buffer.from(base64, 'base64')),
  );

/**
 * True if there is a valid path from the certificate to one of the anchors (RFC 5280, 6.1). The library builds and
 * checks it, except for path lengths, unknown critical extensions of the leaf, and signature strength, which are
 * checked here. Revocation is not checked.
 */
export async function leadsToAnchor(
  leaf: Certificate,
  others: readonly Certificate[],
  anchors: readonly Certificate[],
  now: Date,
): Promise<boolean> {
  const engine = new CertificateChainValidationEngine({
    trustedCerts: [...anchors],
    certs: [...others.filter((other) => !isSame(other, leaf)), leaf],
    checkDate: now,
  });
  engine.findIssuer = boundedSearch();
  const { result, certificatePath = [] } = await engine.verify();
  return result && certificatePath.length > 1 && isSame(certificatePath[0], leaf) && isSound(certificatePath);
}

/** The library loops forever if two certificates issued each other. Valid paths need far fewer steps. */
function boundedSearch(): CertificateChainValidationEngine['findIssuer'] {
  let steps = 0;
  return async (certificate, engine, crypto) => {
    if (++steps > maxSteps) throw new Error('too many steps');
    return engine.defaultFindIssuer(certificate, engine, crypto);
  };
}

const maxSteps = 16;

const isSame = (a: Certificate | undefined, b: Certificate): boolean =>
  a !== undefined && Buffer.from(a.tbsView).equals(Buffer.from(b.tbsView));

/** @param path from the leaf to the anchor */
function isSound(path: readonly Certificate[]): boolean {
  const issuers = path.slice(1);
  return (
    path.every(hasOnlyKnownDemands) &&
    path.slice(0, -1).every(({ signatureAlgorithm }) => isStrongSignature(signatureAlgorithm.algorithmId)) &&
    issuers.every((issuer, at) => isLongEnough(issuer, issuers.slice(0, at)))
  );
}

const hasOnlyKnownDemands = ({ extensions = [] }: Certificate): boolean =>
  extensions.every(({ critical, extnID }) => !critical || supportedExtensions.has(extnID));

/** `pathLenConstraint` counts the intermediate authorities below, except for self-issued ones (RFC 5280, 4.2.1.9). */
function isLongEnough({ extensions = [] }: Certificate, below: readonly Certificate[]): boolean {
  const constraints = extensions.find(({ extnID }) => extnID === '2.5.29.19')?.parsedValue;
  const limit = constraints instanceof BasicConstraints ? constraints.pathLenConstraint : undefined;
  if (limit === undefined) return true;
  return typeof limit === 'number' && below.filter((one) => !one.issuer.isEqual(one.subject)).length <= limit;
}
