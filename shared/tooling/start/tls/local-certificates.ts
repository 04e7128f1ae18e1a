// @peculiar/x509 needs the metadata polyfill but does not load it, so it must be imported first.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

export type IssuedCertificate = { certPem: string; keyPem: string };

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const caDays = 3_650;
/** Browsers reject certificates with a validity above 398 days. */
const leafDays = 395;

/** Creates a certificate authority that can only issue end-entity certificates. */
export async function issueCa(): Promise<IssuedCertificate> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // A unique name, because a trust store may contain the CAs of several data folders.
    name: `CN=Local development CA ${randomBytes(4).toString('hex')}`,
    keys,
    signingAlgorithm: algorithm,
    ...serialAndTerm(caDays),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return issued(certificate, keys);
}

/** Issues a server certificate for DNS names and addresses. */
export async function issueLeaf(
  ca: IssuedCertificate,
  names: readonly string[],
  days = leafDays,
): Promise<IssuedCertificate> {
  const issuer = new x509.X509Certificate(ca.certPem);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.keyPem),
    signingAlgorithm: algorithm,
    ...serialAndTerm(days),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return issued(certificate, keys);
}

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

const importKey = (pem: string) =>
  crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), algorithm, false, ['sign']);

/** The validity starts a day ago, for clients with slow clocks; the leading `01` keeps the serial number positive. */
function serialAndTerm(days: number): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const dayMs = 86_400_000;
  return {
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + days * dayMs),
  };
}

async function issued(certificate: x509.X509Certificate, keys: CryptoKeyPair): Promise<IssuedCertificate> {
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certPem: `${certificate.toString('pem')}\n`,
    keyPem: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  };
}
