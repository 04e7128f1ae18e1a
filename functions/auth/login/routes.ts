import { logIn } from '../../../shared/identity/login.ts';
import { base, endpoint } from '../deps.ts';
import { LoginAnswer, loginAnswer } from '../login-answer.ts';
import { inLocaleOfBody } from './locale.ts';
import { Done, LoginBody, TwoFactorLoginAnswer, TwoFactorLoginBody } from './schema.ts';
import { answerTwoFactorLogin, logOut } from './usecases.ts';

const errors = [
  'invalid_credentials',
  'locked_out',
  'no_registered_group',
  'password_expired',
  'forbidden',
  'overloaded',
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_timeout',
] as const;

export const loginOperations = [
  inLocaleOfBody(
    endpoint(
      {
        id: 'login.create',
        route: `POST ${base}/login`,
        access: 'public',
        summary: 'Authenticate by domain, login and password',
        body: { required: LoginBody },
        returns: [200, LoginAnswer],
        errors: [...errors, 'two_factor_required'],
      },
      async (ctx, { body }) => loginAnswer(await logIn(ctx, body)),
    ),
  ),
  inLocaleOfBody(
    endpoint(
      {
        id: 'login.createTwoFactor',
        route: `POST ${base}/login/2fa`,
        access: 'public',
        summary: 'Two-factor authentication by domain, login and password',
        description:
          'On a domain without a second factor, and for whom a group spares it, this is `login`. Otherwise credentials ' +
          'without `code` give a challenge; the same credentials with `code` and `challenge_id` meet it.',
        body: { required: TwoFactorLoginBody },
        returns: [200, TwoFactorLoginAnswer],
        errors,
      },
      (ctx, { body }) => answerTwoFactorLogin(ctx, body),
    ),
  ),
  endpoint(
    {
      id: 'login.end',
      route: `POST ${base}/logout`,
      access: 'signed-in',
      needsLogin: true,
      forPeers: true,
      summary: "End the validity of the caller's token",
      duringPasswordChange: true,
      returns: [200, Done],
      errors: ['invalid_state'],
    },
    (ctx) => logOut(ctx),
  ),
];
