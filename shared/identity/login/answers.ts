import { z } from 'zod';
import { version } from '../../kernel/version.ts';
import { Id } from '../../shapes/fields.ts';
import type { TwoFactorLoginResult } from '../login.ts';
import { type Challenge, factorMethods } from '../second-factor/challenges.ts';
import type { LoginResult } from './admission.ts';

/** The response of every successful login. */
export const LoginAnswer = z.strictObject({
  result: z.literal('ok').describe('Always `ok`.'),
  token: z.string().describe('Session token for the header `X-Auth-Token`.'),
  version: z.string().describe('Version of the portal.'),
  expires_in: z.int().describe('Maximum remaining duration of the session in seconds.'),
  user: z
    .strictObject({
      id: Id.describe('Identifier of the user.'),
      name: z.string().describe('Login name of the user.'),
      real_name: z.string().describe('Full name of the user. Empty if unknown.'),
      domain: z.string().describe('Short label of the domain of the user.'),
      portal: z
        .enum(['admin', 'user'])
        .describe('Portal of the session: `admin` (administrators) or `user`.'),
      roles: z.array(z.string()).describe('Names of the roles of the user.'),
      must_change_password: z
        .boolean()
        .describe('True if the user must change the password before any other operation.'),
    })
    .describe('The user that logged in.'),
});

export const loginAnswer = ({
  token,
  expiresInS,
  portal,
  user,
  domain,
  roles,
}: LoginResult): z.input<typeof LoginAnswer> => ({
  result: 'ok',
  token,
  version,
  expires_in: expiresInS,
  user: {
    id: user.id,
    name: user.name,
    real_name: user.real_name,
    domain: domain.small_name,
    portal,
    roles: roles.map(({ name }) => name),
    must_change_password: user.must_change_password,
  },
});

const Enrolment = z.strictObject({
  otpauth_uri: z.string().describe('URI of the secret (`otpauth://`), to be shown as a QR code.'),
  secret: z.string().describe('The secret in Base32, for manual entry.'),
});

export const ChallengeAnswer = z.strictObject({
  result: z.literal('challenge').describe('Always `challenge`: a code is required.'),
  challenge_id: Id.describe('Identifier of the challenge, for the next call.'),
  method: z
    .literal('totp')
    .describe('Type of the code: always `totp` (RFC 6238). A recovery code is accepted in its place.'),
  methods: z
    .array(z.enum(factorMethods))
    .describe(
      'Second factors that the user can use, or set up if `enrolment` is present: `totp`, and `passkey` with `passkeys/second-factor`. Empty if only a recovery code is left.',
    ),
  expires_in: z.int().describe('Seconds until the challenge ends.'),
  enrolment: Enrolment.optional().describe(
    'Secret of a new authenticator app. Present only for a user without a second factor.',
  ),
});

export const recovery_codes = z
  .array(z.string())
  .optional()
  .describe('Ten recovery codes, each valid once. Returned only when an enrolment is finished.');

export const TwoFactorLoginAnswer = z.union([LoginAnswer.extend({ recovery_codes }), ChallengeAnswer]);

/** The token is in the cookie. */
export const SignInAnswer = z.union([
  LoginAnswer.omit({ token: true }).extend({ recovery_codes }),
  ChallengeAnswer,
]);

/** The response of a login that may require a second factor. */
export function twoFactorAnswer(
  result: TwoFactorLoginResult | Challenge,
): z.input<typeof TwoFactorLoginAnswer> {
  if ('token' in result) {
    const { recoveryCodes, ...login } = result;
    return { ...loginAnswer(login), ...(recoveryCodes && { recovery_codes: recoveryCodes }) };
  }
  const { challengeId, expiresInS, methods, enrolment } = result;
  return {
    result: 'challenge',
    challenge_id: challengeId,
    method: 'totp',
    methods,
    expires_in: expiresInS,
    ...(enrolment && { enrolment }),
  };
}
