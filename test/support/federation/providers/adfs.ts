import type { ProviderProfile } from './profile.ts';

const issuer = 'https://fs.example.com/adfs';

/** AD FS of Windows Server 2019 and later: an application group with a server application and a web API of the same identifier. */
export const adfs: ProviderProfile = {
  sources: [
    'https://learn.microsoft.com/windows-server/identity/ad-fs/development/custom-id-tokens-in-ad-fs',
    'https://learn.microsoft.com/windows-server/identity/ad-fs/development/ad-fs-openid-connect-oauth-concepts',
    'https://learn.microsoft.com/windows-server/identity/ad-fs/development/ad-fs-logout-openid-connect',
  ],
  discovery: {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize/`,
    token_endpoint: `${issuer}/oauth2/token/`,
    jwks_uri: `${issuer}/discovery/keys`,
    token_endpoint_auth_methods_supported: [
      'client_secret_post',
      'client_secret_basic',
      'private_key_jwt',
      'windows_client_authentication',
    ],
    response_types_supported: [
      'code',
      'id_token',
      'code id_token',
      'id_token token',
      'code token',
      'code id_token token',
    ],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'implicit',
      'password',
    ],
    subject_types_supported: ['pairwise'],
    scopes_supported: [
      ...['winhello_cert', 'openid', 'vpn_cert', 'email', 'logon_cert', 'profile', 'user_impersonation'],
      ...['aza', 'allatclaims'],
    ],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256'],
    access_token_issuer: 'http://fs.example.com/adfs/services/trust',
    claims_supported: [
      'aud',
      'iss',
      'iat',
      'exp',
      'auth_time',
      'nonce',
      'at_hash',
      'c_hash',
      'sub',
      'upn',
      'unique_name',
    ],
    microsoft_multi_refresh_token: true,
    userinfo_endpoint: `${issuer}/userinfo`,
    capabilities: [],
    end_session_endpoint: `${issuer}/oauth2/logout`,
    as_access_token_token_binding_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  },
  // No name: it is composed of its parts. One group is a text, and several are an array.
  idToken: {
    aud: '{client}',
    nbf: 1_700_000_000,
    sub: 'rT1v8Ik0Yc3p8Vd6zv9sN0m4l3yZ0o0rK2p8n0cXk1E=',
    upn: 'ada@example.com',
    unique_name: 'EXAMPLE\\ada',
    email: 'ada@example.com',
    given_name: 'Ada',
    family_name: 'Lovelace',
    group: 'engineers',
    pwd_exp: '5011424',
    sid: 'S-1-5-21-1004336348-1177238915-682003330-1105',
    apptype: 'Confidential',
    appid: '{client}',
    authmethod: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    ver: '1.0',
    scp: 'allatclaims openid',
  },
  userinfo: { sub: 'rT1v8Ik0Yc3p8Vd6zv9sN0m4l3yZ0o0rK2p8n0cXk1E=' },
  token: { token_type: 'bearer', expires_in: 3_600, resource: '{client}', scope: 'allatclaims openid' },
  refreshToken: 'always',
  refresh: { idToken: true, rotates: false },
  scopes: ['openid', 'allatclaims', 'profile', 'email'],
  authentication: ['client_secret_basic', 'client_secret_post'],
  errors: {
    client: {
      status: 401,
      body: {
        error: 'invalid_client',
        error_description:
          'MSIS9622: Client authentication failed. Please verify the credential provided for client authentication is valid.',
      },
    },
    refreshToken: {
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: "MSIS9615: The refresh token received in 'refresh_token' parameter has expired.",
      },
    },
    accessToken: { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
    // AD FS shows a page: MSIS9224.
    scope: { status: 400 },
  },
};
