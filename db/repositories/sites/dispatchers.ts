import { eq, sql } from 'drizzle-orm';
import { foldName } from '../../../shared/kernel/text.ts';
import type { Db, Statement } from '../../client.ts';
import { type CertificateFacts, dispatchers as table } from '../../schema/sites/dispatchers.ts';
import { farms, type IdentityDomain } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { nodeState } from '../monitoring/component-state.ts';
import { records } from '../records/records.ts';
import { derived, must, nameOf } from '../records/statements.ts';
import { capabilitiesOfKind } from './kinds/capabilities.ts';
import { accountHoldOf } from './kinds/node-logins.ts';

const siteId = derived<string>(
  sql`select ${farms.site_id} from ${farms} where ${farms.id} = ${table.farm_id}`,
);

export const dispatchers = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    farm_id: table.farm_id,
    farm_name: nameOf(farms, table.farm_id),
    site_id: siteId,
    site_name: derived<string>(
      sql`select ${sites.name} from ${sites} join ${farms} on ${farms.site_id} = ${sites.id} where ${farms.id} = ${table.farm_id}`,
    ),
    site_uri: derived<string>(
      sql`select ${sites.uri} from ${sites} join ${farms} on ${farms.site_id} = ${sites.id} where ${farms.id} = ${table.farm_id}`,
    ),
    kind: table.kind,
    capabilities: capabilitiesOfKind(table.kind),
    url: table.url,
    enabled: table.enabled,
    priority: table.priority,
    verify_tls: table.verify_tls,
    ca_certificate: table.ca_certificate,
    health_key: table.health_key,
    timeout_ms: table.timeout_ms,
    account_domain: table.account_domain,
    account_name: table.account_name,
    account_password: table.account_password,
    public_url: table.public_url,
    sends_client_address: table.sends_client_address,
    account_hold: accountHoldOf(sql`${table.id}`),
    creates_users: derived<boolean>(
      sql`select ${farms.creates_users} from ${farms} where ${farms.id} = ${table.farm_id}`,
    ),
    identity_domains: derived<IdentityDomain[]>(
      sql`select ${farms.identity_domains} from ${farms} where ${farms.id} = ${table.farm_id}`,
    ),
    version: table.version,
    status: table.status,
    state: nodeState,
    circuit: table.circuit,
    last_check_at: table.last_check_at,
    last_error: table.last_error,
    response_time_ms: table.response_time_ms,
    certificate: derived<
      (CertificateFacts & { days_left: number }) | null
    >(sql`${table.certificate} || jsonb_build_object('days_left',
      floor(extract(epoch from (${table.certificate} ->> 'not_after')::timestamptz - now()) / 86400)::int)`),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  site: siteId,
  search: [table.name_key, sql`lower(${table.url})`],
  filters: {
    farm_id: (value: string) => eq(table.farm_id, value),
    site_id: (value: string) => sql`${siteId} = ${value}::uuid`,
    enabled: (value: boolean) => eq(table.enabled, value),
    status: (value: string) => sql`${table.status} = ${value}`,
  },
  sorts: {
    name: table.name_key,
    created_at: table.created_at,
    updated_at: table.updated_at,
    priority: table.priority,
  },
  unique: { '/name': ['name_key'] },
});

/** True if a node of any site has the name. */
export async function isNodeNameTaken(db: Db, name: string): Promise<boolean> {
  const found = await db
    .select({ id: table.id })
    .from(table)
    .where(eq(table.name_key, foldName(name)))
    .limit(1);
  return found.length > 0;
}

/** Locks the farm, so that its kind does not change before the end of the transaction. */
export const lockFarm = (h: Db, farmId: string): Statement =>
  h.select({ id: farms.id }).from(farms).where(eq(farms.id, farmId)).for('no key update');

/** Fails the batch with the reason `other_kind` if the nodes of the farm are of several kinds. */
export const mustBeOfOneKind = (h: Db, farmId: string): Statement =>
  must(
    h,
    sql`(select count(distinct ${table.kind}) <= 1 from ${table} where ${table.farm_id} = ${farmId}::uuid)`,
    'invalid_request:other_kind',
  );

/** The dispatchers of one farm as a nested collection. */
export const dispatchersOfFarm = {
  ...dispatchers,
  spec: { ...dispatchers.spec, parent: { column: table.farm_id, table: farms, site: farms.site_id } },
};
