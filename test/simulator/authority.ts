import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** Certificate faults that a client distinguishes. */
export type CertificateKind = 'good' | 'expired' | 'wrong_name' | 'self_signed' | 'unknown_ca';

/** Both PEM. */
export type ServerCertificate = { key: string; cert: string };

export type Authority = {
  readonly caPem: string;
  /** A server certificate for localhost, 127.0.0.1 and ::1 (except for `wrong_name`). */
  issue(kind?: CertificateKind): Promise<ServerCertificate>;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
const localNames: x509.JsonGeneralNames = [
  { type: 'dns', value: 'localhost' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
];

/** A certificate authority of its own; several simulators may share one, so that a client trusts a single root. */
export async function createAuthority(name = 'Simulated dispatchers'): Promise<Authority> {
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(-1, 365),
    serialNumber: newSerial(),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { caPem: root.toString('pem'), issue: (kind = 'good') => issue(root, keys, kind) };
}

/** An authority whose certificate the nodes send along with their own. */
export async function sendingAuthority(name = 'Company'): Promise<Authority> {
  const authority = await createAuthority(name);
  const issueWithChain: Authority['issue'] = async (kind) => {
    const { key, cert } = await authority.issue(kind);
    return { key, cert: `${cert}\n${authority.caPem}` };
  };
  return { ...authority, issue: issueWithChain };
}

async function issue(
  root: x509.X509Certificate,
  rootKeys: CryptoKeyPair,
  kind: CertificateKind,
): Promise<ServerCertificate> {
  if (kind === 'unknown_ca') return (await createAuthority('Somebody else')).issue('good');
  const keys = await newKeys();
  const signer = kind === 'self_signed' ? keys : rootKeys;
  const leaf = await x509.X509CertificateGenerator.create({
    ...(kind === 'expired' ? validity(-30, -1) : validity(-1, 365)),
    serialNumber: newSerial(),
    subject: 'CN=dispatcher',
    issuer: kind === 'self_signed' ? 'CN=dispatcher' : root.subject,
    publicKey: keys.publicKey,
    signingKey: signer.privateKey,
    signingAlgorithm: algorithm,
    extensions: await leafExtensions(kind, keys, signer),
  });
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'), cert: leaf.toString('pem') };
}

async function leafExtensions(
  kind: CertificateKind,
  keys: CryptoKeyPair,
  signer: CryptoKeyPair,
): Promise<x509.Extension[]> {
  const names: x509.JsonGeneralNames =
    kind === 'wrong_name' ? [{ type: 'dns', value: 'elsewhere.example' }] : localNames;
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
    await x509.AuthorityKeyIdentifierExtension.create(signer.publicKey),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
}

const newKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** Begins with 01: a DER integer with its highest bit set would be negative. */
const newSerial = (): string => `01${randomBytes(15).toString('hex')}`;

const validity = (fromDays: number, toDays: number): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(Date.now() + fromDays * dayMs),
  notAfter: new Date(Date.now() + toDays * dayMs),
});
