import type { ProviderProfile } from './profile.ts';

/** Google Workspace. It has neither groups nor a log-out. */
export const google: ProviderProfile = {
  sources: [
    'https://accounts.google.com/.well-known/openid-configuration',
    'https://developers.google.com/identity/openid-connect/reference',
    'https://developers.google.com/identity/protocols/oauth2/web-server',
  ],
  discovery: {
    issuer: 'https://accounts.google.com',
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    device_authorization_endpoint: 'https://oauth2.googleapis.com/device/code',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
    response_types_supported: ['code', 'token', 'id_token', 'code token', 'code id_token', 'none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    claims_supported: [
      'aud',
      'email',
      'email_verified',
      'exp',
      'family_name',
      'given_name',
      'iat',
      'iss',
      'name',
      'sub',
    ],
    code_challenge_methods_supported: ['plain', 'S256'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
  },
  idToken: {
    azp: '{client}',
    aud: '{client}',
    sub: '110169484474386276334',
    hd: 'example.com',
    email: 'ada@example.com',
    email_verified: true,
    at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
    name: 'Ada Lovelace',
    picture: 'https://lh3.googleusercontent.com/a/ada=s96-c',
    given_name: 'Ada',
    family_name: 'Lovelace',
  },
  userinfo: {
    sub: '110169484474386276334',
    name: 'Ada Lovelace',
    given_name: 'Ada',
    family_name: 'Lovelace',
    picture: 'https://lh3.googleusercontent.com/a/ada=s96-c',
    email: 'ada@example.com',
    email_verified: true,
    hd: 'example.com',
  },
  token: {
    expires_in: 3_599,
    scope:
      'openid https://www.googleapis.com/auth/userinfo.profile https://www.googleapis.com/auth/userinfo.email',
    token_type: 'Bearer',
  },
  refreshToken: 'access_type',
  refresh: { idToken: true, rotates: false },
  scopes: ['openid', 'email', 'profile'],
  authentication: ['client_secret_basic', 'client_secret_post'],
  errors: {
    client: { status: 401, body: { error: 'invalid_client', error_description: 'Unauthorized' } },
    refreshToken: {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    },
    accessToken: {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"' },
      body: { error: 'invalid_request', error_description: 'Invalid Credentials' },
    },
    // Google shows a page: "Error 400: invalid_scope".
    scope: { status: 400 },
  },
};
