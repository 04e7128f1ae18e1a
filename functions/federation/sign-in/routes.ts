import { z } from 'zod';
import { callbackPath, oidcBase } from '../../../shared/identity/domains/oidc/addresses.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { endpoint } from '../deps.ts';
import { startProgram } from '../program-request.ts';
import { finishSignIn } from './callback.ts';
import { CallbackAnswer, ConfirmAnswer, SecondFactorBody, StartQuery } from './schema.ts';
import { finishWithFactor } from './second-factor.ts';
import { startSignIn } from './start.ts';
import { startTest } from './test-sign-in.ts';

const params = z.object({ auth_uuid: Id.describe('Identifier of the authentication domain.') });

const ofProvider = ['upstream_failed', 'upstream_refused', 'upstream_unavailable'] as const;
const ofAccount = ['account_disabled', 'forbidden', 'locked_out', 'no_registered_group'] as const;
const callback = {
  access: 'public',
  browser: 'any',
  startsAt: '/signin',
  description:
    'Opens the browser session and returns a page that opens the next one. Only the browser that started the sign-in can finish it, once, within 10 minutes. A domain that requires a second factor which the provider has not checked continues on the sign-in page.',
  returns: [200, null],
  alsoReturns: ['text/html'],
  errors: ['login_expired', 'invalid_credentials', 'not_found', ...ofProvider, ...ofAccount],
} as const;

export const signInOperations = [
  endpoint(
    {
      id: 'identityProvider.start',
      route: `GET ${oidcBase}/{auth_uuid}/start`,
      access: 'public',
      browser: 'any',
      begins: true,
      startsAt: '/signin',
      summary: 'Start a sign-in at an identity provider',
      description:
        'Redirects the browser to the provider of the domain, which returns it to the callback. With `redirect_uri`, it is the authorization request of a program (RFC 6749, 4.1.1, and RFC 8252): after the sign-in, the person is asked for consent, and the browser is sent to the program.',
      params,
      query: StartQuery,
      returns: [200, null],
      orReturns: [302, null],
      errors: [...ofProvider, 'forbidden'],
    },
    (ctx, { params: { auth_uuid }, query }) =>
      query.redirect_uri !== undefined
        ? startProgram(ctx, auth_uuid, query.redirect_uri, query)
        : query.test !== undefined
          ? startTest(ctx, auth_uuid, query.test, query)
          : startSignIn(ctx, auth_uuid, query),
  ),
  endpoint(
    {
      ...callback,
      id: 'identityProvider.finish',
      route: `GET ${callbackPath}`,
      begins: true,
      summary: 'Finish a sign-in with the answer of the identity provider',
      query: CallbackAnswer,
    },
    (ctx, { query }) => finishSignIn(ctx, query),
  ),
  endpoint(
    {
      ...callback,
      id: 'identityProvider.finishByForm',
      route: `POST ${callbackPath}`,
      summary: 'Finish a sign-in with the answer of the identity provider in a form',
      body: { required: CallbackAnswer },
      form: true,
    },
    (ctx, { body }) => finishSignIn(ctx, body),
  ),
  endpoint(
    {
      id: 'identityProvider.confirm',
      route: `POST ${oidcBase}/second-factor`,
      access: 'public',
      summary: 'Finish a sign-in by an identity provider with a second factor',
      description:
        'For the sign-in page after a callback, which has set a cookie for this operation. A request without `code` returns a challenge. The token is returned in a cookie, as by `POST /signin`.',
      body: { required: SecondFactorBody },
      returns: [200, ConfirmAnswer],
      errors: ['invalid_credentials', 'login_expired', 'not_found', ...ofAccount],
    },
    (ctx, { body }) => finishWithFactor(ctx, body),
  ),
];
