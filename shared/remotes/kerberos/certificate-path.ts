import { Buffer } from 'node:buffer';
import { BasicConstraints, Certificate, CertificateChainValidationEngine } from 'pkijs';
import { algorithms } from './request.ts';

/** Extensions whose meaning is looked after, here or by the library; any other that is critical ends a path. */
const understood = new Set([
  ...['2.5.29.14', '2.5.29.15', '2.5.29.17', '2.5.29.18', '2.5.29.19', '2.5.29.30', '2.5.29.31', '2.5.29.32'],
  ...['2.5.29.33', '2.5.29.35', '2.5.29.36', '2.5.29.37', '2.5.29.54'],
]);

/** Signatures by SHA-256 and its longer sisters; PSS, which may hide SHA-1 in its parameters, is none of Kerberos. */
const strongSignatures = new Set<string>([
  ...[algorithms.rsaSha256, '1.2.840.113549.1.1.12', algorithms.rsaSha512],
  ...[algorithms.ecdsaSha256, '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4'],
]);

export const isStrongSignature = (dotted: string): boolean => strongSignatures.has(dotted);

/** @throws Error for bytes that are no certificate */
export const parseCertificate = (der: Uint8Array): Certificate => Certificate.fromBER(Uint8Array.from(der));

/** @returns the certificates of a PEM text */
export const parseAnchors = (pem: string): Certificate[] =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END/g)].map(([, base64 = '']) =>
    parseCertificate(Buffer.from(base64, 'base64')),
  );

/**
 * True when a way leads from the certificate to one of the anchors (RFC 5280, 6.1). The library builds and checks it;
 * it does not look at path lengths, at unknown critical extensions of the leaf, nor at the strength of signatures.
 * Revocation is not asked for.
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

/** The library goes round for ever where two certificates issued one another; no honest path takes so many steps. */
function boundedSearch(): CertificateChainValidationEngine['findIssuer'] {
  let steps = 0;
  return async (certificate, engine, crypto) => {
    if (++steps > mostSteps) throw new Error('too many steps');
    return engine.defaultFindIssuer(certificate, engine, crypto);
  };
}

const mostSteps = 16;

const isSame = (a: Certificate | undefined, b: Certificate): boolean =>
  a !== undefined && Buffer.from(a.tbsView).equals(Buffer.from(b.tbsView));

/** @param path the leaf first, the anchor last */
function isSound(path: readonly Certificate[]): boolean {
  const issuers = path.slice(1);
  return (
    path.every(hasOnlyKnownDemands) &&
    path.slice(0, -1).every(({ signatureAlgorithm }) => isStrongSignature(signatureAlgorithm.algorithmId)) &&
    issuers.every((issuer, at) => isLongEnough(issuer, issuers.slice(0, at)))
  );
}

const hasOnlyKnownDemands = ({ extensions = [] }: Certificate): boolean =>
  extensions.every(({ critical, extnID }) => !critical || understood.has(extnID));

/** `pathLenConstraint` counts the authorities below but for those that issued themselves (RFC 5280, 4.2.1.9). */
function isLongEnough({ extensions = [] }: Certificate, below: readonly Certificate[]): boolean {
  const constraints = extensions.find(({ extnID }) => extnID === '2.5.29.19')?.parsedValue;
  const limit = constraints instanceof BasicConstraints ? constraints.pathLenConstraint : undefined;
  if (limit === undefined) return true;
  return typeof limit === 'number' && below.filter((one) => !one.issuer.isEqual(one.subject)).length <= limit;
}
