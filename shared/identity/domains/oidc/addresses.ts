import type { Registration } from '../registration.ts';
import { admissionOf } from './settings/admission.ts';
import { type OidcParams, storedParams } from './settings/params.ts';

export const oidcBase = '/api/auth/v7.0/oidc';
export const callbackPath = `${oidcBase}/callback` as const;
export const signedOutPath = `${oidcBase}/signed-out` as const;

export const registrationOf = (
  { id, params }: { id: string; params: OidcParams },
  baseUrl: string,
): Registration => ({
  admission: admissionOf(storedParams(params)),
  redirect_uris: [`${baseUrl}${callbackPath}`],
  post_logout_redirect_uris: params.provider_logout ? [`${baseUrl}${signedOutPath}`] : [],
  backchannel_logout_uri: `${baseUrl}${oidcBase}/${id}/backchannel-logout`,
  jwks_uri: params.client_authentication === 'private_key' ? `${baseUrl}${oidcBase}/${id}/jwks` : null,
});
