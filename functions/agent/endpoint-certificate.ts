// @peculiar/x509 needs the metadata polyfill but does not load it; it has to come first.
import 'reflect-metadata';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { PKCS8ShroudedKeyBag, PrivateKeyInfo } from 'pkijs';
import { randomToken } from '../../shared/kernel/crypto/digests.ts';

/**
 * The TLS identity of the HTTPS endpoint that an agent opens for the programs of its machine. Texts are PEM with a line
 * end, because agents join the two to one file.
 */
export type EndpointCertificate = {
  /** PKCS#8, encrypted with the password. */
  private_key: string;
  server_certificate: string;
  password: string;
  /** TLS 1.2 cipher suites in the notation of OpenSSL. */
  ciphers: string;
};

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/**
 * TLS 1.2 suites for the type of the key. Without this list, agents offer only RSA suites, which an EC key cannot
 * serve. TLS 1.3 suites do not depend on the key and are always enabled.
 */
const ciphers = 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305';

const dayMs = 86_400_000;
/** Agents request a new certificate at each start, so the validity only has to exceed the uptime of a workplace. */
const days = 3_650;

/**
 * Makes a key pair and a self-signed certificate for the address. An EC key takes about a millisecond; an RSA key would
 * exceed the CPU limit of small Workers plans.
 * @param address IPv4 or IPv6 address for subject and subjectAltName
 * @returns the certificate with its key, and the SHA-256 fingerprint in lowercase hex
 */
export async function issueEndpointCertificate(
  address: string,
  now: Date,
): Promise<{ issued: EndpointCertificate; fingerprint: string }> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // The leading `01` keeps the serial number positive.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: `CN=${address}`,
    keys,
    signingAlgorithm: algorithm,
    // A day back, for clocks that are behind.
    notBefore: new Date(now.getTime() - dayMs),
    notAfter: new Date(now.getTime() + days * dayMs),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: address }]),
    ],
  });
  const password = randomToken();
  const issued = {
    private_key: pem('ENCRYPTED PRIVATE KEY', await encrypted(keys.privateKey, password)),
    server_certificate: pem('CERTIFICATE', certificate.rawData),
    password,
    ciphers,
  };
  return { issued, fingerprint: Buffer.from(await certificate.getThumbprint('SHA-256')).toString('hex') };
}

/** An EncryptedPrivateKeyInfo (RFC 5958, 3) by PBES2. The password is random, so that more rounds would add nothing. */
async function encrypted(key: CryptoKey, password: string): Promise<ArrayBuffer> {
  const bag = new PKCS8ShroudedKeyBag({
    parsedValue: PrivateKeyInfo.fromBER(await crypto.subtle.exportKey('pkcs8', key)),
  });
  await bag.makeInternalValues({
    password: Uint8Array.from(Buffer.from(password)).buffer,
    contentEncryptionAlgorithm: { name: 'AES-CBC', length: 256, iv: randomBytes(16) },
    hmacHashAlgorithm: 'SHA-256',
    iterationCount: 2_048,
  });
  return bag.toSchema().toBER();
}

const pem = (label: string, der: ArrayBuffer): string => `${x509.PemConverter.encode(der, label)}\n`;
