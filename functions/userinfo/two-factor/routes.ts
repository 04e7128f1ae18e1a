import {
  finishEnrolment,
  removeOwnFactor,
  startEnrolment,
} from '../../../shared/identity/second-factor/own-factor.ts';
import { base, endpoint } from '../deps.ts';
import { EnrolmentAnswer, EnrolmentStep, Removal } from './schema.ts';

const errors = [
  'invalid_credentials',
  'invalid_state',
  'locked_out',
  'no_registered_group',
  'password_expired',
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_timeout',
] as const;

export const twoFactorOperations = [
  endpoint(
    {
      id: 'userinfo.enrolTwoFactor',
      route: `POST ${base}/two_factor`,
      access: 'signed-in',
      needsLogin: true,
      duringPasswordChange: true,
      summary: "Set up the caller's second factor",
      description:
        'Two steps. A request with `password`, or `fresh_sign_in` for users of identity providers, returns the secret for the authenticator app, valid for 300 seconds in this session. An account with a passkey also requires `recovery_code`. A request with the first `code` of the app finishes the enrolment and returns the recovery codes.',
      body: { required: EnrolmentStep },
      returns: [200, EnrolmentAnswer],
      errors: [...errors, 'two_factor_required'],
      shownOnce: ['otpauth_uri', 'secret', 'recovery_codes'],
    },
    async (ctx, { body }) =>
      'code' in body
        ? { recovery_codes: await finishEnrolment(ctx, body.code) }
        : startEnrolment(
            ctx,
            'password' in body ? { password: body.password, code: body.recovery_code } : body,
          ),
  ),
  endpoint(
    {
      id: 'userinfo.removeTwoFactor',
      route: `DELETE ${base}/two_factor`,
      access: 'signed-in',
      needsLogin: true,
      duringPasswordChange: true,
      summary: "Remove the caller's second factor",
      description: 'If the domain requires a second factor, the next login starts a new enrolment.',
      body: { required: Removal },
      returns: [204, null],
      errors,
    },
    (ctx, { body }) => removeOwnFactor(ctx, body),
  ),
];
