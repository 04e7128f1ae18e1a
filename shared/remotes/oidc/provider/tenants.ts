import { Buffer } from 'node:buffer';
import { OidcError } from '../port.ts';
import { tenantPlaceholder } from './issuers.ts';

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The issuer of the tenant of an ID token that is not validated yet. The caller validates the token with it.
 * @throws OidcError `tenant_not_allowed`
 */
export function issuerOfTenant(template: string, idToken: string, allowed: readonly string[]): string {
  const tenant = tenantIn(idToken);
  if (tenant === undefined || !allowed.includes(tenant)) throw notAllowed(allowed, tenant);
  return template.replace(tenantPlaceholder, tenant);
}

/** @throws OidcError `tenant_not_allowed` */
export function assertTenant(claims: Readonly<Record<string, unknown>>, allowed: readonly string[]): void {
  const tenant = typeof claims.tid === 'string' ? claims.tid : undefined;
  if (allowed.length > 0 && !(tenant !== undefined && allowed.includes(tenant)))
    throw notAllowed(allowed, tenant);
}

const notAllowed = (allowed: readonly string[], found: string | undefined): OidcError =>
  new OidcError('tenant_not_allowed', { claim: 'tid', expected: allowed.join(', '), found });

function tenantIn(idToken: string): string | undefined {
  const [, payload = ''] = idToken.split('.');
  try {
    const { tid } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof tid === 'string' && guid.test(tid) ? tid : undefined;
  } catch {
    return undefined;
  }
}
