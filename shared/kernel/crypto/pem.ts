import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';
const label = /-----BEGIN ([^-]*)-----/g;

/**
 * Normalises PEM certificates (RFC 7468): lines of 64 characters. Text outside of the blocks is ignored (5.2), for example
 * that of `openssl x509 -text`.
 * @returns undefined if the text contains no certificate, a damaged one, or another block such as a key
 */
export function cleanCertificates(text: string): string | undefined {
  const found: string[] = [];
  for (const { 0: mark, index } of text.matchAll(label)) {
    const from = index + mark.length;
    const to = text.indexOf(end, from);
    const base64 = mark === begin && to >= 0 ? text.slice(from, to).replace(/\s+/g, '') : '';
    if (!isCertificate(base64)) return undefined;
    found.push(base64);
  }
  return found.length === 0 ? undefined : found.map(spelled).join('');
}

/** True for a certificate with the trust settings of OpenSSL, which other programs cannot read. */
export const hasTrustSettings = (text: string): boolean =>
  text.includes('-----BEGIN TRUSTED CERTIFICATE-----');

/**
 * Decoders ignore characters outside of base64 and bytes after the certificate, so the re-encoded value is compared.
 */
function isCertificate(base64: string): boolean {
  const der = Buffer.from(base64, 'base64');
  if (der.toString('base64') !== base64) return false;
  try {
    return new X509Certificate(der).raw.length === der.length;
  } catch {
    return false;
  }
}

const spelled = (base64: string): string => [begin, ...(base64.match(/.{1,64}/g) ?? []), end, ''].join('\n');
