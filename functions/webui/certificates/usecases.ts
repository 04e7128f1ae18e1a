import { X509Certificate } from 'node:crypto';
import type { z } from 'zod';
import {
  type CertificateScopes,
  type CertifiedObject,
  findCertificates,
} from '../../../db/repositories/sites/certificates.ts';
import type { SignedIn } from '../../../shared/context/principal.ts';
import { scopeOf } from '../../../shared/context/rights.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { type Certificates, mostAuthorities, mostObjects } from './schema.ts';

type Certificate = z.input<typeof Certificates>['items'][number];
type Facts = Pick<Certificate, 'subject' | 'issuer' | 'not_before' | 'not_after' | 'fingerprint'>;

/**
 * The certificates of the objects that the caller may read.
 * @throws AppError `forbidden` for a caller that may not read any of the types
 */
export async function listCertificates({ deps, principal }: WebuiCtx): Promise<z.input<typeof Certificates>> {
  const scopes = scopesFor(principal);
  if (Object.keys(scopes).length === 0)
    throw new AppError('forbidden', 'No role of the caller grants a permission to read');
  const objects = await findCertificates(deps.db, scopes, mostObjects);
  const known = new Map<string, Facts[]>();
  const items = objects.flatMap((object) => certificatesOf(object, known));
  return { items: items.toSorted((a, b) => Date.parse(a.not_after) - Date.parse(b.not_after)) };
}

function scopesFor(principal: SignedIn): CertificateScopes {
  const dispatcher = scopeOf(principal, 'dispatchers.read');
  const authenticator = scopeOf(principal, 'authenticators.read');
  const peer = scopeOf(principal, 'peers.read');
  // Webhooks concern the whole installation.
  const webhook = scopeOf(principal, 'webhooks.read');
  return {
    ...(dispatcher && { dispatcher }),
    ...(authenticator && { authenticator }),
    ...(peer && { peer }),
    ...(webhook === '*' && { webhook }),
  };
}

/** @param known bundles that were read for earlier objects: many nodes trust the same authorities */
function certificatesOf(object: CertifiedObject, known: Map<string, Facts[]>): Certificate[] {
  const { type, id, name, farm_name, site_id, site_name, presented, authorities, anchors } = object;
  const owner = { object_type: type, object_id: id, object_name: name, farm_name, site_id, site_name };
  const ofBundle = (use: Certificate['use'], pem: string | null): Certificate[] => {
    if (pem === null) return [];
    const facts = known.get(pem) ?? factsOf(pem);
    known.set(pem, facts);
    return facts.map((one) => ({ use, ...one, ...owner }));
  };
  const shown: Certificate[] = presented
    ? [
        {
          use: 'presented',
          subject: presented.subject,
          issuer: presented.issuer,
          not_before: presented.not_before ?? null,
          not_after: isoOf(presented.not_after),
          fingerprint: presented.fingerprint ?? null,
          ...owner,
        },
      ]
    : [];
  return [...shown, ...ofBundle('trusted', authorities), ...ofBundle('kdc', anchors)];
}

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const factsOf = (pem: string): Facts[] =>
  (pem.match(block) ?? []).slice(0, mostAuthorities).map((text) => {
    const { subject, issuer, validFrom, validTo, fingerprint256 } = new X509Certificate(text);
    return {
      subject: inOneLine(subject),
      issuer: inOneLine(issuer),
      not_before: isoOf(validFrom),
      not_after: isoOf(validTo),
      fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    };
  });

const inOneLine = (name: string): string => name.split('\n').join(', ');

const isoOf = (time: string): string => new Date(time).toISOString();
