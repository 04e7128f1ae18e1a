import type { ProviderProfile } from './profile.ts';

const issuer = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_EXAMPLE';
const host = 'https://example.auth.eu-central-1.amazoncognito.com';

/** A user pool of Amazon Cognito. Its userinfo endpoint sends booleans as texts. */
export const cognito: ProviderProfile = {
  sources: [
    'https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html',
    'https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html',
    'https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html',
    'https://docs.aws.amazon.com/cognito/latest/developerguide/logout-endpoint.html',
  ],
  discovery: {
    authorization_endpoint: `${host}/oauth2/authorize`,
    end_session_endpoint: `${host}/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code', 'token'],
    revocation_endpoint: `${host}/oauth2/revoke`,
    scopes_supported: ['openid', 'email', 'phone', 'profile'],
    subject_types_supported: ['public'],
    token_endpoint: `${host}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    userinfo_endpoint: `${host}/oauth2/userInfo`,
  },
  idToken: {
    at_hash: 'r0m1xv2QcPq3B7pGZkKDbw',
    sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    'cognito:groups': ['engineers'],
    email_verified: true,
    'cognito:username': 'ada',
    origin_jti: 'b0f3c6f4-4f6a-4a0c-9a3c-3d1a7d9f2b10',
    aud: '{client}',
    event_id: '64f513be-32db-42b0-b78e-b02127b4f463',
    token_use: 'id',
    jti: '4d2b1f0a-7c55-4d0b-8a0d-7c0f2c9e6a55',
    given_name: 'Ada',
    family_name: 'Lovelace',
    email: 'ada@example.com',
  },
  userinfo: {
    sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    email_verified: 'true',
    given_name: 'Ada',
    family_name: 'Lovelace',
    email: 'ada@example.com',
    username: 'ada',
  },
  token: { expires_in: 3_600, token_type: 'Bearer' },
  refreshToken: 'always',
  refresh: { idToken: true, rotates: false },
  scopes: ['openid', 'email', 'profile'],
  authentication: ['client_secret_basic', 'client_secret_post'],
  errors: {
    client: { status: 400, body: { error: 'invalid_client' } },
    refreshToken: { status: 400, body: { error: 'invalid_grant' } },
    accessToken: {
      status: 401,
      headers: { 'www-authenticate': 'error="invalid_token", error_description="Access token is expired"' },
      body: { error: 'invalid_token', error_description: 'Access token is expired' },
    },
    scope: 'invalid_scope',
  },
};
