/** Issuers of Microsoft Entra ID for accounts of several tenants. Their configuration names `{tenantid}` instead. */
const manyTenants = /^(https:\/\/[^/]+\/)(?:common|organizations|consumers)(\/v2\.0)$/;

export const tenantPlaceholder = '{tenantid}';

export const isForManyTenants = (issuer: string): boolean => manyTenants.test(issuer);

/** The issuer that the configuration of such a provider names. */
export const templateOf = (issuer: string): string => issuer.replace(manyTenants, `$1${tenantPlaceholder}$2`);
