import { z } from 'zod';
import { Id } from '../../../shared/http/fields.ts';
import { languages } from '../../../shared/messages/languages.ts';
import { LoginAnswer } from '../login-answer.ts';

const credentials = {
  username: z.string().min(1).max(256).meta({ example: 'admin' }),
  password: z.string().min(1).max(1024).meta({ example: 'a long pass phrase of yours' }),
  authId: z.string().max(64).optional().meta({ description: '`authUuid` of the domain list' }),
  auth: z.string().max(256).optional().meta({ description: 'Name of the domain' }),
  authSmallName: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Label of the domain', example: 'builtin' }),
  portal: z.enum(['admin', 'user']).optional().meta({ description: 'This portal, or none' }),
  platform: z.string().max(128).optional(),
  locale: z.string().max(35).optional(),
};

const namesDomain = (body: { authId?: unknown; auth?: unknown; authSmallName?: unknown }): boolean =>
  body.authId !== undefined || body.auth !== undefined || body.authSmallName !== undefined;
const rule = { message: 'One of authId, auth, authSmallName must be given', params: { code: 'required' } };

export const LoginBody = z.strictObject(credentials).refine(namesDomain, rule);
export const TwoFactorLoginBody = z
  .strictObject({
    ...credentials,
    code: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Of the device, or a recovery code; without one a challenge is given' }),
    challenge_id: z.string().max(256).optional().meta({
      description: 'Of the challenge that was given; it is met once, from the network that asked for it',
    }),
  })
  .refine(namesDomain, rule);

const Enrolment = z.strictObject({
  otpauth_uri: z.string().meta({ description: 'For a picture that the device reads' }),
  secret: z.string().meta({ description: 'Base32, for a device that is typed into' }),
});

const Challenge = z.strictObject({
  result: z.literal('challenge'),
  challenge_id: Id,
  method: z.literal('totp'),
  expires_in: z.int().meta({ description: 'Seconds' }),
  enrolment: Enrolment.optional().meta({ description: 'Only for a user without a device' }),
});

const recovery_codes = z
  .array(z.string())
  .optional()
  .meta({ description: 'Ten, when the code finished an enrolment; each is good once, shown this once' });

export const TwoFactorLoginAnswer = z.union([LoginAnswer.extend({ recovery_codes }), Challenge]);

/** The token is in the cookie. */
export const SignInAnswer = z.union([
  LoginAnswer.omit({ token: true }).extend({ recovery_codes }),
  Challenge,
]);

export const PageToken = z.strictObject({
  token: z.string().meta({ description: 'For the header X-Auth-Token' }),
  expires_in: z.literal(600).meta({ description: 'Seconds; it ends with the browser session at the latest' }),
});

export const SignInQuery = z.strictObject({
  next: z
    .string()
    .max(256)
    .optional()
    .meta({ description: 'The page to go to afterwards, one of this portal' }),
  language: z.enum(languages).optional(),
});

export const Done = z.strictObject({ result: z.literal('ok') });
