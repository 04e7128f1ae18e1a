import type { ProviderProfile } from './profile.ts';

const portal = 'https://auth.example.com/';

/** LemonLDAP::NG 2.16.1, with a scope for the groups. The issuer ends with a slash. */
export const lemonldap: ProviderProfile = {
  sources: [
    'recorded from LemonLDAP::NG 2.16.1',
    'https://lemonldap-ng.org/documentation/2.0/idpopenidconnect.html',
  ],
  discovery: {
    issuer: portal,
    token_endpoint: `${portal}oauth2/token`,
    userinfo_endpoint: `${portal}oauth2/userinfo`,
    jwks_uri: `${portal}oauth2/jwks`,
    authorization_endpoint: `${portal}oauth2/authorize`,
    end_session_endpoint: `${portal}oauth2/logout`,
    introspection_endpoint: `${portal}oauth2/introspect`,
    backchannel_logout_supported: false,
    backchannel_logout_session_supported: false,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    scopes_supported: ['openid', 'profile', 'email', 'address', 'phone'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    acr_values_supported: ['loa-1', 'loa-5', 'loa-3', 'loa-4', 'loa-2'],
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    claims_supported: ['sub', 'iss', 'auth_time', 'acr'],
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    response_modes_supported: ['query', 'fragment', 'form_post'],
    id_token_signing_alg_values_supported: ['none', 'HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'],
    code_challenge_methods_supported: ['plain', 'S256'],
  },
  idToken: {
    azp: '{client}',
    at_hash: 'QGRbDnpGlsKSDgMVJ0_maA',
    acr: 'loa-2',
    sub: 'ada',
    aud: ['{client}'],
  },
  userinfo: {
    sub: 'ada',
    name: 'Ada Lovelace',
    preferred_username: 'ada',
    email: 'ada@example.com',
    groups: ['engineers', 'authors'],
  },
  token: { token_type: 'Bearer', expires_in: 3_600 },
  // Bound to the session of the provider, or with `offline_access` to the account.
  refreshToken: 'always',
  refresh: { idToken: true, rotates: false },
  scopes: null,
  authentication: ['client_secret_basic', 'client_secret_post'],
  errors: {
    client: { status: 401, headers: { 'www-authenticate': 'Basic' }, body: { error: 'invalid_client' } },
    refreshToken: { status: 400, body: { error: 'invalid_grant' } },
    accessToken: {
      status: 401,
      headers: { 'www-authenticate': 'error=invalid_request,error_description=Invalid request' },
    },
    scope: { status: 400 },
  },
};
