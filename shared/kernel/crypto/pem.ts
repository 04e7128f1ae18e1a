import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';
const block = new RegExp(`\\s*${begin}([A-Za-z0-9+/=\\s]*)${end}\\s*`, 'y');

/**
 * PEM certificates (RFC 7468) in one spelling: no text around them, lines of 64 characters.
 * @returns undefined for a text that holds anything else, or no certificate at all
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

/** Decoders skip what is no base64 and stop where the certificate ends; only what comes out whole is one. */
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
