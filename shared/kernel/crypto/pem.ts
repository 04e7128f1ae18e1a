import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';
const block = new RegExp(`\\s*${begin}([A-Za-z0-9+/=\\s]*)${end}\\s*`, 'y');

/**
 * Normalises PEM certificates (RFC 7468): lines of 64 characters, no text between the blocks.
 * @returns undefined if the text contains no certificate, or anything else
 */
export function cleanCertificates(text: string): string | undefined {
  const found: string[] = [];
  for (let at = 0; at < text.length; at = block.lastIndex) {
    block.lastIndex = at;
    const base64 = block.exec(text)?.[1]?.replace(/\s+/g, '');
    if (base64 === undefined || !isCertificate(base64)) return undefined;
    found.push(base64);
  }
  return found.length === 0 ? undefined : found.map(spelled).join('');
}

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
