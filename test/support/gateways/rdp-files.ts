import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as x509 from '@peculiar/x509';

const run = promisify(execFile);
const openssl = '/usr/bin/openssl';
export const hasOpenssl = existsSync(openssl);

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 } as const;
const generate = (): Promise<CryptoKeyPair> =>
  crypto.subtle.generateKey({ ...algorithm, publicExponent: new Uint8Array([1, 0, 1]) }, true, [
    'sign',
    'verify',
  ]);

/** The signing material of files, all PEM: a certificate followed by that of its issuer, and its key. */
export type RdpSigner = { certificates: string; key: string; caPem: string };

export async function createRdpSigner(): Promise<RdpSigner> {
  const [caKeys, keys] = await Promise.all([generate(), generate()]);
  const dates = { notBefore: new Date(Date.now() - 86_400_000), notAfter: new Date(Date.now() + 86_400_000) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates,
    // With its highest bit set, so that it needs a leading zero.
    serialNumber: '00f1',
    name: 'CN=Signers of files',
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    ...dates,
    serialNumber: '00e2d3c4b5a6',
    subject: 'CN=Portal, O=Ünïcode',
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)],
  });
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  const caPem = ca.toString('pem');
  return {
    certificates: `${leaf.toString('pem')}\n${caPem}`,
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
    caPem,
  };
}

/** The lines of an `.rdp` file, which is UTF-16LE behind a byte order mark. @throws Error for any other form */
export function linesOf(file: Uint8Array): string[] {
  const text = new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }).decode(file);
  if (!text.startsWith('\ufeff') || !text.endsWith('\r\n')) throw new Error('neither mark nor last line end');
  return text.slice(1, -2).split('\r\n');
}

/** Returns the settings of an `.rdp` file by name, each with its type. @throws Error for a duplicate setting */
export function settingsOf(file: Uint8Array): Record<string, string> {
  const entries = linesOf(file).map((line) => /^([^:]+):(.*)$/s.exec(line)?.slice(1) ?? [line, '']);
  if (new Set(entries.map(([name]) => name)).size !== entries.length)
    throw new Error('a setting is there twice');
  return Object.fromEntries(entries);
}

/**
 * Verifies a signed file like a reader of it: `signscope` names the settings, in whatever order the file has them;
 * openssl must find these lines and itself to be signed.
 * @throws Error with the output of openssl
 */
export async function verify(file: Uint8Array, caPem: string): Promise<void> {
  const lines = linesOf(file);
  const scope = lines.find((line) => line.startsWith('signscope:s:')) ?? '';
  const signature = lines.find((line) => line.startsWith('signature:s:'))?.slice('signature:s:'.length) ?? '';
  const named = scope
    .slice('signscope:s:'.length)
    .split(',')
    .map((name) => name.toLowerCase());
  const signed = named.map((name) => lines.find((line) => line.startsWith(`${name}:`)));
  const message = Buffer.from([...signed, scope, '\0'].join('\r\n'), 'utf16le');
  const blob = Buffer.from(signature, 'base64');
  const cms = blob.subarray(12);
  if (blob.readUInt32LE(0) !== 0x10001 || blob.readUInt32LE(4) !== 1 || blob.readUInt32LE(8) !== cms.length)
    throw new Error('the head of the signature is wrong');
  const folder = await mkdtemp(join(tmpdir(), 'rdp-'));
  const [signatureFile, content, ca] = ['signature', 'content', 'ca'].map((name) => join(folder, name));
  try {
    await Promise.all([
      writeFile(join(folder, 'signature'), cms),
      writeFile(join(folder, 'content'), message),
      writeFile(join(folder, 'ca'), caPem),
    ]);
    const args = ['-inform', 'DER', '-in', signatureFile, '-content', content, '-CAfile', ca];
    const words = ['cms', '-verify', '-binary', '-purpose', 'any', '-out', '/dev/null', ...args];
    await run(openssl, words.map(String));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
