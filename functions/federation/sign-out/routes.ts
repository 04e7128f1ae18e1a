import { z } from 'zod';
import { oidcBase, signedOutPath } from '../../../shared/identity/domains/oidc/addresses.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { endpoint } from '../deps.ts';
import { endByProvider } from './backchannel.ts';
import { showSignedOut, signOut } from './sign-out.ts';

const params = z.object({ auth_uuid: Id.describe('Identifier of the authentication domain.') });

const SignedOut = z.strictObject({
  result: z.literal('ok').describe('Always `ok`.'),
  location: z
    .string()
    .describe('Address to open next: of the provider, which ends its session, or of the sign-in page.'),
});

const ReturnQuery = z.object({
  state: z.string().max(256).optional().describe('The value that the portal has sent to the provider.'),
});

const LogoutBody = z.object({
  logout_token: z
    .string()
    .max(16_384)
    .optional()
    .describe('Logout token of the provider. Required; a request without it is refused with 400.'),
});

export const signOutOperations = [
  endpoint(
    {
      id: 'identityProvider.signOut',
      route: `POST ${oidcBase}/sign-out`,
      access: 'signed-in',
      needsLogin: true,
      browser: 'any',
      duringPasswordChange: true,
      summary: 'End the browser session, also at the identity provider',
      description:
        'For sessions that began at a provider. Others end as by `POST /signout`. The session of the portal ends even if the provider is unreachable.',
      returns: [200, SignedOut],
    },
    signOut,
  ),
  endpoint(
    {
      id: 'identityProvider.returnFromSignOut',
      route: `GET ${signedOutPath}`,
      access: 'public',
      browser: 'any',
      summary: 'Return to the sign-in page after a sign-out at the identity provider',
      query: ReturnQuery,
      returns: [200, null],
      orReturns: [302, null],
    },
    (ctx, { query: { state } }) => showSignedOut(ctx, state),
  ),
  endpoint(
    {
      id: 'identityProvider.endSessions',
      route: `POST ${oidcBase}/{auth_uuid}/backchannel-logout`,
      access: 'public',
      rateLimit: 'failures',
      summary: 'End the sessions that the identity provider has ended',
      description:
        'Back-channel logout (OpenID Connect Back-Channel Logout 1.0): the provider calls it with a signed token that names a session or all sessions of a person. A token counts once.',
      params,
      body: { required: LogoutBody },
      maxBodyBytes: 32_768,
      form: true,
      returns: [200, null],
      errors: ['not_found', 'upstream_failed', 'upstream_unavailable'],
    },
    async (ctx, { params: { auth_uuid }, body: { logout_token } }) =>
      endByProvider(ctx, auth_uuid, logout_token),
  ),
];
