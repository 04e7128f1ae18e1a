import { isForManyTenants, templateOf, tenantPlaceholder } from '../../../remotes/oidc/provider/issuers.ts';
import type { Settings } from '../domain-type.ts';
import { storedParams } from './settings/params.ts';

/** The tenants whose users may sign in, if the issuer is for several tenants. */
export function tenantsOf(params: Settings): readonly string[] {
  const { issuer, allowed_tenants } = storedParams(params);
  return isForManyTenants(issuer) ? allowed_tenants : [];
}

/** The issuer of the ID tokens of a tenant, or the only issuer of the provider. */
export function issuerOf(params: Settings, tenant: string | undefined): string {
  const { issuer } = storedParams(params);
  return tenant === undefined ? issuer : templateOf(issuer).replace(tenantPlaceholder, tenant);
}
