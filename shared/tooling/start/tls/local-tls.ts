import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { ConfigError } from '../../../kernel/config-error.ts';
import { preparePrivateFolder, replaceFile } from '../data-folder.ts';
import { dataFolderFault } from '../file-faults.ts';
import type { IssuedCertificate } from './local-certificates.ts';

export type LocalTls = {
  certPem: string;
  keyPem: string;
  certFile: string;
  keyFile: string;
  /** The CA certificate for clients. */
  caFile: string;
};

/** A certificate is renewed this many milliseconds before its end. */
const renewBeforeMs = 30 * 86_400_000;
const always = ['localhost', '127.0.0.1', '::1'];

/**
 * Provides a certificate for the loopback names and `hosts` (DNS names or addresses), issued by a private CA in
 * `folder`. An existing certificate is reused while it is valid for the names; the CA does not change.
 * @throws ConfigError if the files cannot be read or written, or those of the CA are damaged
 */
export async function ensureLocalTls(folder: string, hosts: readonly string[]): Promise<LocalTls> {
  return ensure(folder, hosts).catch((error: unknown) => {
    throw dataFolderFault(folder, error);
  });
}

async function ensure(folder: string, hosts: readonly string[]): Promise<LocalTls> {
  preparePrivateFolder(folder);
  assertIntact(folder);
  const names = [...new Set([...always, ...hosts.filter(isNameable)])];
  const ca = readPair(folder, 'ca') ?? store(folder, 'ca', await (await certificates()).issueCa());
  const known = readPair(folder, 'localhost');
  const leaf =
    known && covers(known, ca, names)
      ? known
      : store(folder, 'localhost', await (await certificates()).issueLeaf(ca, names));
  return {
    ...leaf,
    certFile: join(folder, 'localhost.pem'),
    keyFile: join(folder, 'localhost-key.pem'),
    caFile: join(folder, 'ca.pem'),
  };
}

/** A damaged CA is not replaced silently, because clients trust it. */
function assertIntact(folder: string): void {
  const files = { 'ca.pem': (pem: string) => new X509Certificate(pem), 'ca-key.pem': createPrivateKey };
  for (const [name, read] of Object.entries(files)) {
    const path = join(folder, name);
    if (!existsSync(path)) continue;
    const pem = readFileSync(path, 'utf8');
    try {
      read(pem);
    } catch (cause) {
      const remedy = `restore it, or remove ca.pem and ca-key.pem for a new authority, which clients must then trust`;
      throw new ConfigError([`DATA_DIR: ${path} is damaged; ${remedy}`], { cause });
    }
  }
}

/** Imported on demand, because loading takes a tenth of a second. */
const certificates = () => import('./local-certificates.ts');

/** Excludes unspecified addresses, which are not destinations. */
const isNameable = (host: string): boolean => host !== '0.0.0.0' && host !== '::';

/** A matching certificate and key with sufficient validity; undefined otherwise. */
function readPair(folder: string, name: string): IssuedCertificate | undefined {
  try {
    const pair = {
      certPem: readFileSync(join(folder, `${name}.pem`), 'utf8'),
      keyPem: readFileSync(join(folder, `${name}-key.pem`), 'utf8'),
    };
    const certificate = new X509Certificate(pair.certPem);
    const endsMs = certificate.validToDate.getTime();
    if (endsMs - Date.now() < renewBeforeMs) return undefined;
    return certificate.checkPrivateKey(createPrivateKey(pair.keyPem)) ? pair : undefined;
  } catch {
    return undefined;
  }
}

function covers(leaf: IssuedCertificate, ca: IssuedCertificate, names: readonly string[]): boolean {
  const certificate = new X509Certificate(leaf.certPem);
  if (!certificate.verify(new X509Certificate(ca.certPem).publicKey)) return false;
  const written = certificate.subjectAltName?.split(', ') ?? [];
  return written.length === names.length && names.every((name) => isFor(certificate, name));
}

const isFor = (certificate: X509Certificate, name: string): boolean =>
  (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;

/** The key is written first: after a crash in between, certificate and key do not match and are replaced. */
function store(folder: string, name: string, issued: IssuedCertificate): IssuedCertificate {
  replaceFile(join(folder, `${name}-key.pem`), issued.keyPem, 0o600);
  replaceFile(join(folder, `${name}.pem`), issued.certPem, 0o644);
  return issued;
}
