import { logOut } from '../../../shared/identity/log-out.ts';
import { LoginAnswer, loginAnswer, TwoFactorLoginAnswer } from '../../../shared/identity/login/answers.ts';
import { logIn } from '../../../shared/identity/login.ts';
import { base, endpoint } from '../deps.ts';
import { inLocaleOfBody } from './locale.ts';
import { Done, LoginBody, TwoFactorLoginBody } from './schema.ts';
import { answerTwoFactorLogin } from './usecases.ts';

const errors = [
  'invalid_credentials',
  'locked_out',
  'redirect_required',
  'no_registered_group',
  'password_expired',
  'forbidden',
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
        summary: 'Log in with domain, login name and password',
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
        summary: 'Log in with domain, login name, password and second factor',
        description:
          'A request without `code` returns a challenge. The same credentials with `code` and `challenge_id` finish the login. If the domain requires no second factor, or a group exempts the user from it, the operation works like `login`.',
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
      summary: "Log out and revoke the caller's token",
      duringPasswordChange: true,
      returns: [200, Done],
      errors: ['invalid_state'],
    },
    (ctx) => logOut(ctx),
  ),
];
