import { and, asc, eq, isNotNull, or, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { type CertificateFacts, dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { type Scope, within } from '../records/scope.ts';

/**
 * Returns nodes within the scope with the certificate that they present and the authorities that they trust, in order of
 * expiry.
 */
export const nodeCertificates = (db: Db, scope: Scope, limit: number) =>
  db
    .select({
      id: dispatchers.id,
      name: dispatchers.name,
      farm_name: farms.name,
      site_id: farms.site_id,
      site_name: sites.name,
      certificate: sql<CertificateFacts | null>`${dispatchers.certificate}`,
      authorities: dispatchers.ca_certificate,
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
    .limit(limit);
