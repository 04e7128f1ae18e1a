import type { z } from 'zod';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { oidcBase } from '../../../shared/identity/domains/oidc/addresses.ts';
import type { FederationDeps } from '../deps.ts';
import { deviceGrant, type Metadata } from './schema.ts';

type Ctx = Pick<RequestCtx<FederationDeps>, 'deps'>;

/** For programs, the users of each domain have an issuer of their own. */
export const issuerOf = ({ deps }: Ctx, domainId: string): string => `${deps.baseUrl}${oidcBase}/${domainId}`;

/** The metadata depends on the address alone, so it does not reveal which domains exist. */
export function metadataOf(ctx: Ctx, domainId: string): z.input<typeof Metadata> {
  const issuer = issuerOf(ctx, domainId);
  return {
    issuer,
    authorization_endpoint: `${issuer}/start`,
    token_endpoint: `${ctx.deps.baseUrl}${oidcBase}/token`,
    device_authorization_endpoint: `${issuer}/device`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', deviceGrant],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}
