import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../../kernel/config-error.ts';
import type { Config } from '../../../runtime/config/config.ts';
import { fileReason } from '../file-faults.ts';

export type TlsFiles = {
  /** PEM: the server certificate, followed by its chain. */
  certPem: string;
  keyPem: string;
  certFile: string;
  keyFile: string;
  /** A warning about a certificate that clients will reject; the portal starts nevertheless. */
  warning: string | undefined;
};

/**
 * Reads and verifies the files of `TLS_CERT_FILE` and `TLS_KEY_FILE`.
 * @returns undefined if they are not set
 * @throws ConfigError with one line for files that are unreadable, not PEM, or do not match
 */
export function readTlsFiles({
  tlsCertFile: certFile,
  tlsKeyFile: keyFile,
}: Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>): TlsFiles | undefined {
  if (!certFile || !keyFile) return undefined;
  const certPem = read('TLS_CERT_FILE', certFile, 'a PEM file with the certificate and its chain');
  const keyPem = read('TLS_KEY_FILE', keyFile, 'a PEM file with the private key');
  const chain = certificatesIn(certPem, certFile);
  const [leaf] = chain;
  const key = keyIn(keyPem, keyFile);
  if (!leaf?.checkPrivateKey(key)) throw new ConfigError([mismatch(chain, key, certFile, keyFile)]);
  try {
    createSecureContext({ cert: certPem, key: keyPem, minVersion: 'TLSv1.2' });
  } catch (cause) {
    const reason =
      cause instanceof Error ? cause.message.replace(/^error:[^:]*:[^:]*:[^:]*:/, '') : String(cause);
    throw new ConfigError(
      [`TLS_CERT_FILE: OpenSSL rejects ${certFile} (${reason}); issue another certificate`],
      {
        cause,
      },
    );
  }
  return { certPem, keyPem, certFile, keyFile, warning: validityOf(leaf, certFile) };
}

function read(variable: string, path: string, expected: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(
      [`${variable}: ${path} cannot be read (${fileReason(cause)}); provide ${expected}`],
      {
        cause,
      },
    );
  }
}

const block =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*(?:-----END (?:X509 |TRUSTED )?CERTIFICATE-----)?/g;

function certificatesIn(pem: string, path: string): X509Certificate[] {
  const blocks = pem.match(block) ?? [];
  if (blocks.length === 0)
    throw new ConfigError([
      `TLS_CERT_FILE: ${path} contains no PEM certificate; convert it, for example with openssl x509 -inform der, or set another file`,
    ]);
  return blocks.map((one, index) => {
    try {
      return new X509Certificate(one);
    } catch (cause) {
      throw new ConfigError(
        [
          `TLS_CERT_FILE: certificate ${index + 1} of ${blocks.length} in ${path} is damaged or truncated; copy the file again`,
        ],
        { cause },
      );
    }
  });
}

function keyIn(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const isEncrypted = /ENCRYPTED/.test(pem);
    const fault = isEncrypted
      ? `is encrypted with a passphrase; decrypt it with openssl pkey -in … -out …`
      : `contains no PEM private key, or a damaged one; set another file`;
    throw new ConfigError([`TLS_KEY_FILE: ${path} ${fault}`], { cause });
  }
}

function mismatch(
  chain: readonly X509Certificate[],
  key: KeyObject,
  certFile: string,
  keyFile: string,
): string {
  const at = chain.findIndex((certificate) => certificate.checkPrivateKey(key));
  return at > 0
    ? `TLS_CERT_FILE: in ${certFile} the certificate of the server is number ${at + 1}; put it first, before its chain`
    : `TLS_KEY_FILE: ${keyFile} is not the key of the certificate in ${certFile}; set matching files`;
}

function validityOf(
  { validFromDate: from, validToDate: to }: X509Certificate,
  path: string,
): string | undefined {
  const now = new Date();
  if (to < now) return `TLS_CERT_FILE: ${path} expired on ${to.toISOString()}; clients reject it; renew it`;
  if (from > now) return `TLS_CERT_FILE: ${path} is valid from ${from.toISOString()} only; check the clock`;
  return undefined;
}
