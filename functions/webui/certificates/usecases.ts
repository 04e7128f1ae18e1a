import { X509Certificate } from 'node:crypto';
import type { z } from 'zod';
import { nodeCertificates } from '../../../db/repositories/sites/certificates.ts';
import type { WebuiCtx } from '../deps.ts';
import { type Certificates, mostAuthorities, mostNodes } from './schema.ts';

type Certificate = z.input<typeof Certificates>['items'][number];
type Facts = Pick<Certificate, 'use' | 'subject' | 'issuer' | 'not_after' | 'fingerprint'>;
type NodeRow = Awaited<ReturnType<typeof nodeCertificates>>[number];

/** The certificates of the nodes within the scope of the caller. */
export async function listCertificates({ deps, scope }: WebuiCtx): Promise<z.input<typeof Certificates>> {
  const rows = await nodeCertificates(deps.db, scope, mostNodes);
  const known = new Map<string, Facts[]>();
  const items = rows.flatMap((row) => certificatesOf(row, known));
  return { items: items.toSorted((a, b) => Date.parse(a.not_after) - Date.parse(b.not_after)) };
}

/** @param known bundles that were read for earlier nodes: many nodes trust the same authorities */
function certificatesOf(row: NodeRow, known: Map<string, Facts[]>): Certificate[] {
  const { id, name, farm_name, site_id, site_name, certificate, authorities } = row;
  const node = { dispatcher_id: id, dispatcher_name: name, farm_name, site_id, site_name };
  const trusted = authorities === null ? [] : (known.get(authorities) ?? authoritiesOf(authorities));
  if (authorities !== null) known.set(authorities, trusted);
  const presented: Facts[] = certificate
    ? [{ ...certificate, use: 'presented', not_after: isoOf(certificate.not_after), fingerprint: null }]
    : [];
  return [...presented, ...trusted].map((facts) => ({ ...facts, ...node }));
}

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const authoritiesOf = (pem: string): Facts[] =>
  (pem.match(block) ?? []).slice(0, mostAuthorities).map((text) => {
    const { subject, issuer, validTo, fingerprint256 } = new X509Certificate(text);
    return {
      use: 'trusted',
      subject: inOneLine(subject),
      issuer: inOneLine(issuer),
      not_after: isoOf(validTo),
      fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    };
  });

const inOneLine = (name: string): string => name.split('\n').join(', ');

const isoOf = (time: string): string => new Date(time).toISOString();
