import type { ProviderProfile } from './profile.ts';

const issuer = 'https://gitlab.example.com';

/** GitLab, whose ID tokens have the direct groups alone: the others come from the userinfo endpoint. */
export const gitlab: ProviderProfile = {
  sources: [
    'https://docs.gitlab.com/integration/openid_connect_provider/',
    'https://github.com/gitlabhq/gitlabhq config/initializers/doorkeeper_openid_connect.rb',
  ],
  discovery: {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    jwks_uri: `${issuer}/oauth/discovery/keys`,
    scopes_supported: [
      'api',
      'read_api',
      'read_user',
      'read_repository',
      'sudo',
      'openid',
      'profile',
      'email',
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: ['authorization_code', 'password', 'client_credentials', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claim_types_supported: ['normal'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'sub_legacy',
      'name',
      'nickname',
      'preferred_username',
      'groups',
    ],
    code_challenge_methods_supported: ['plain', 'S256'],
  },
  idToken: {
    sub: '42',
    aud: '{client}',
    sub_legacy: '4c64a5a3a1e0bd9dd8b7bb5cd1c25df77a2b3ac8d0ae4ac2a2a3ee1b9d5d1c6f',
    email: 'ada@example.com',
    email_verified: true,
    groups_direct: ['example/authors'],
  },
  userinfo: {
    sub: '42',
    sub_legacy: '4c64a5a3a1e0bd9dd8b7bb5cd1c25df77a2b3ac8d0ae4ac2a2a3ee1b9d5d1c6f',
    name: 'Ada Lovelace',
    nickname: 'ada',
    preferred_username: 'ada',
    email: 'ada@example.com',
    email_verified: true,
    profile: 'https://gitlab.example.com/ada',
    picture: 'https://gitlab.example.com/uploads/-/system/user/avatar/42/avatar.png',
    groups: ['example/engineers', 'example/authors'],
    'https://gitlab.org/claims/groups/developer': ['example/engineers'],
  },
  token: {
    token_type: 'Bearer',
    expires_in: 7_200,
    scope: 'openid profile email',
    created_at: 1_700_000_000,
  },
  refreshToken: 'always',
  refresh: { idToken: true, rotates: true },
  // Those that are selected for the application.
  scopes: ['openid', 'profile', 'email'],
  authentication: ['client_secret_basic', 'client_secret_post'],
  errors: {
    client: {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="Doorkeeper", error="invalid_client"' },
      body: {
        error: 'invalid_client',
        error_description: 'Client authentication failed due to unknown client.',
      },
    },
    refreshToken: {
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: 'The provided authorization grant is invalid, expired, revoked.',
      },
    },
    accessToken: {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="Doorkeeper", error="invalid_token"' },
    },
    scope: 'invalid_scope',
  },
};
