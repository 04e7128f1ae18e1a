import { base, endpoint } from '../deps.ts';
import { Done, LoginAnswer, LoginBody, TwoFactorLoginBody } from './schema.ts';
import { answerLogin, logOut } from './usecases.ts';

const errors = [
  'invalid_credentials',
  'locked_out',
  'two_factor_required',
  'no_registered_group',
  'forbidden',
  'overloaded',
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_timeout',
] as const;

export const loginOperations = [
  endpoint(
    {
      id: 'login.create',
      route: `POST ${base}/login`,
      access: 'public',
      summary: 'Authenticate by domain, login and password',
      body: { required: LoginBody },
      returns: [200, LoginAnswer],
      errors,
    },
    (ctx, { body }) => answerLogin(ctx, body),
  ),
  endpoint(
    {
      id: 'login.createTwoFactor',
      route: `POST ${base}/login/2fa`,
      access: 'public',
      summary: 'Two-factor authentication by domain, login and password',
      description: 'On a domain without a second factor this is `login`.',
      body: { required: TwoFactorLoginBody },
      returns: [200, LoginAnswer],
      errors,
    },
    (ctx, { body: { code: _, challenge_id: __, ...body } }) => answerLogin(ctx, body),
  ),
  endpoint(
    {
      id: 'login.end',
      route: `POST ${base}/logout`,
      access: 'signed-in',
      summary: "End the validity of the caller's token",
      duringPasswordChange: true,
      returns: [200, Done],
      errors: ['invalid_state'],
    },
    (ctx) => logOut(ctx),
  ),
];
