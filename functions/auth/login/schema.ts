import { z } from 'zod';
import { domainRule, loginCredentials, namesDomain } from '../../../shared/identity/login/credentials.ts';
import { languages } from '../../../shared/messages/languages.ts';
import { Id } from '../../../shared/shapes/fields.ts';

export const LoginBody = z.strictObject(loginCredentials).refine(namesDomain, domainRule);
export const TwoFactorLoginBody = z
  .strictObject({
    ...loginCredentials,
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
  .refine(namesDomain, domainRule);

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
  step: z
    .enum(['choose', 'factor', 'signed_out'])
    .optional()
    .describe(
      '`factor`: a sign-in at an identity provider needs a second factor of the portal. `signed_out`: the session was ended. `choose`: all methods, also if there is one identity provider only. Default: the first step of a sign-in.',
    ),
  language: z
    .enum(languages)
    .optional()
    .describe(
      'Language of the page: `en` or `ru`. Default: the language of the user, otherwise `Accept-Language`.',
    ),
});

export const Done = z.strictObject({ result: z.literal('ok').describe('Always `ok`.') });
