import type { X509Certificate } from 'node:crypto';
import type { PresentedCertificate } from '../http/transport.ts';

const mostNames = 100;
const longestText = 1_024;

/** Describes a certificate. The texts are those of the server, so they are limited and have no invisible characters. */
export const describeCertificate = (certificate: X509Certificate): PresentedCertificate => ({
  subject: nameText(certificate.subject),
  issuer: nameText(certificate.issuer),
  names: namesIn(certificate.subjectAltName ?? ''),
  not_before: new Date(certificate.validFrom).toISOString(),
  not_after: new Date(certificate.validTo).toISOString(),
  fingerprint: certificate.fingerprint256,
  is_authority: certificate.ca,
  is_self_signed: isSelfSigned(certificate),
  pem: certificate.toString(),
});

function isSelfSigned(certificate: X509Certificate): boolean {
  if (certificate.subject !== certificate.issuer) return false;
  try {
    return certificate.verify(certificate.publicKey);
  } catch {
    // OpenSSL does not support the key.
    return false;
  }
}

/** Node separates the attributes of distinguished names by line feeds. */
const nameText = (name: string | undefined): string => plain((name ?? '').split('\n').join(', '));

/** Node writes unusual names as JSON texts. */
function namesIn(text: string): string[] {
  const found = text.matchAll(/(?:^|, )(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,"]*)/g);
  return [...found]
    .slice(0, mostNames)
    .map(([, name = '']) => plain(name.startsWith('"') ? unquoted(name) : name));
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

const plain = (text: string): string => text.replace(/\p{C}/gu, '').slice(0, longestText);
