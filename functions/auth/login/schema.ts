import { z } from 'zod';
import { languages } from '../../../shared/messages/languages.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { LoginAnswer } from '../login-answer.ts';

const credentials = {
  username: z
    .string()
    .min(1)
    .max(256)
    .meta({ example: 'admin' })
    .describe('Login name: a plain name, or with a domain as `DOMAIN\\name` or `name@suffix`.'),
  password: z
    .string()
    .min(1)
    .max(1024)
    .meta({ example: 'a long pass phrase of yours' })
    .describe('Password of the user.'),
  authId: z.string().max(64).optional().describe('Identifier of the domain: `authUuid` of the domain list.'),
  auth: z.string().max(256).optional().describe('Name of the domain.'),
  authSmallName: z
    .string()
    .max(64)
    .optional()
    .meta({ example: 'builtin' })
    .describe('Short label of the domain.'),
  portal: z
    .enum(['admin', 'user'])
    .optional()
    .describe(
      'Portal of the session: `admin` (administrators) or `user`. Without access to it, the login is rejected with 403. Default: `admin` for a user with a role, otherwise `user`.',
    ),
  platform: z
    .string()
    .max(128)
    .optional()
    .describe('Platform of the client, for the session list and the audit log. Default: not known.'),
  locale: z
    .string()
    .max(35)
    .optional()
    .describe(
      'Language of texts in the session, such as `en` or `ru-RU`. Default: the language of the user, otherwise `Accept-Language`.',
    ),
};

const namesDomain = (body: { authId?: unknown; auth?: unknown; authSmallName?: unknown }): boolean =>
  body.authId !== undefined || body.auth !== undefined || body.authSmallName !== undefined;
const rule = { message: 'One of authId, auth, authSmallName is required', params: { code: 'required' } };

export const LoginBody = z.strictObject(credentials).refine(namesDomain, rule);
export const TwoFactorLoginBody = z
  .strictObject({
    ...credentials,
    code: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Code of the authenticator app, or a recovery code. Without it, the response is a challenge.',
      ),
    challenge_id: z
      .string()
      .max(256)
      .optional()
      .describe(
        '`challenge_id` from the challenge. Valid once, and only from the network that requested it.',
      ),
  })
  .refine(namesDomain, rule);

const Enrolment = z.strictObject({
  otpauth_uri: z.string().describe('URI of the secret (`otpauth://`), to be shown as a QR code.'),
  secret: z.string().describe('The secret in Base32, for manual entry.'),
});

const Challenge = z.strictObject({
  result: z.literal('challenge').describe('Always `challenge`: a code is required.'),
  challenge_id: Id.describe('Identifier of the challenge, for the next call.'),
  method: z.literal('totp').describe('Type of the second factor: always `totp` (RFC 6238).'),
  expires_in: z.int().describe('Seconds until the challenge ends.'),
  enrolment: Enrolment.optional().describe(
    'Secret of a new authenticator app. Present only for a user without a second factor.',
  ),
});

const recovery_codes = z
  .array(z.string())
  .optional()
  .describe('Ten recovery codes, each valid once. Returned only when an enrolment is finished.');

export const TwoFactorLoginAnswer = z.union([LoginAnswer.extend({ recovery_codes }), Challenge]);

/** The token is in the cookie. */
export const SignInAnswer = z.union([
  LoginAnswer.omit({ token: true }).extend({ recovery_codes }),
  Challenge,
]);

export const PageToken = z.strictObject({
  token: z.string().describe('Token for the header `X-Auth-Token`.'),
  user_id: Id.describe(
    'Identifier of the user of the token. A page that was opened by another user must not use the token.',
  ),
  expires_in: z
    .literal(600)
    .describe('Seconds until the token expires. It expires earlier if the browser session ends.'),
});

export const SignInQuery = z.strictObject({
  next: z.string().max(256).optional().describe('Path of the page of this portal to open after the login.'),
  language: z
    .enum(languages)
    .optional()
    .describe(
      'Language of the page: `en` or `ru`. Default: the language of the user, otherwise `Accept-Language`.',
    ),
});

export const Done = z.strictObject({ result: z.literal('ok').describe('Always `ok`.') });
