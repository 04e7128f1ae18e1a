import { and, asc, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import { type Db, readTogether, type Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { peers } from '../../schema/identity/peers.ts';
import { type CertificateFacts, dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { webhooks } from '../../schema/webhooks/webhooks.ts';
import { type Scope, within } from '../records/scope.ts';

/** The types of objects that have certificates. */
type CertifiedType = 'authenticator' | 'dispatcher' | 'peer' | 'webhook';

/**
 * An object with the certificate that it presents, and PEM bundles: `authorities` for its TLS connections, `anchors` for
 * its KDC. The members of a farm and a site are null for an object that belongs to none.
 */
export type CertifiedObject = {
  type: CertifiedType;
  id: string;
  name: string;
  farm_name: string | null;
  site_id: string | null;
  site_name: string | null;
  presented: CertificateFacts | null;
  authorities: string | null;
  anchors: string | null;
};

/** The scope in which each type is read. A type without one is left out. */
export type CertificateScopes = Readonly<Partial<Record<CertifiedType, Scope>>>;

/** Objects of each type with certificates, at most `limit` of a type, in one round trip. */
export async function findCertificates(
  db: Db,
  scopes: CertificateScopes,
  limit: number,
): Promise<CertifiedObject[]> {
  const reads = Object.entries(scopes).map(
    ([type, scope]) =>
      (h: Db): Statement =>
        readers[type as CertifiedType](h, scope, limit),
  );
  const results = await readTogether(db, (h) => reads.map((read) => read(h)));
  return results.flat() as CertifiedObject[];
}

const nothing = <T>(): SQL<T | null> => sql<T | null>`null`;
const ofNoSite = {
  farm_name: nothing<string>(),
  site_id: nothing<string>(),
  site_name: nothing<string>(),
};

const typed = (type: CertifiedType) => sql<CertifiedType>`${type}::text`;

const ldapsAuthorities = sql<string | null>`${authenticators.params} ->> 'ca_certificate'`;
const kdcAnchors = sql<string | null>`${authenticators.params} #>> '{kerberos,anchors}'`;

/** Neither a private key nor another secret is read. */
const readers = {
  dispatcher: (h, scope, limit) =>
    h
      .select({
        type: typed('dispatcher'),
        id: dispatchers.id,
        name: dispatchers.name,
        farm_name: farms.name,
        site_id: farms.site_id,
        site_name: sites.name,
        presented: dispatchers.certificate,
        authorities: dispatchers.ca_certificate,
        anchors: nothing<string>(),
      })
      .from(dispatchers)
      .innerJoin(farms, eq(farms.id, dispatchers.farm_id))
      .innerJoin(sites, eq(sites.id, farms.site_id))
      .where(
        and(
          or(isNotNull(dispatchers.certificate), isNotNull(dispatchers.ca_certificate)),
          within(sites.id, scope),
        ),
      )
      .orderBy(
        sql`(${dispatchers.certificate} ->> 'not_after')::timestamptz asc nulls last`,
        asc(dispatchers.id),
      )
      .limit(limit),
  authenticator: (h, _, limit) =>
    h
      .select({
        type: typed('authenticator'),
        id: authenticators.id,
        name: authenticators.name,
        ...ofNoSite,
        presented: nothing<CertificateFacts>(),
        authorities: ldapsAuthorities.as('authorities'),
        anchors: kdcAnchors.as('anchors'),
      })
      .from(authenticators)
      .where(sql`coalesce(${ldapsAuthorities}, ${kdcAnchors}) is not null`)
      .orderBy(asc(authenticators.id))
      .limit(limit),
  peer: (h, _, limit) => trustedBy(h, 'peer', peers, limit),
  webhook: (h, _, limit) => trustedBy(h, 'webhook', webhooks, limit),
} satisfies Record<CertifiedType, (h: Db, scope: Scope, limit: number) => Statement>;

const trustedBy = (h: Db, type: CertifiedType, table: typeof peers | typeof webhooks, limit: number) =>
  h
    .select({
      type: typed(type),
      id: table.id,
      name: table.name,
      ...ofNoSite,
      presented: nothing<CertificateFacts>(),
      authorities: table.ca_certificate,
      anchors: nothing<string>(),
    })
    .from(table)
    .where(isNotNull(table.ca_certificate))
    .orderBy(asc(table.id))
    .limit(limit);
