import { z } from 'zod';
import { ChallengeAnswer, LoginAnswer, recovery_codes } from '../../../shared/identity/login/answers.ts';
import { languages } from '../../../shared/messages/languages.ts';
import { Id } from '../../../shared/shapes/fields.ts';
import { portal, programMembers } from '../program-query.ts';

export const StartQuery = z.strictObject({
  next: z.string().max(256).optional().describe('Path of the page of this portal to open after the sign-in.'),
  portal,
  language: z
    .enum(languages)
    .optional()
    .describe('Language of the pages in the session: `en` or `ru`. Default: the language of the user.'),
  login_hint: z
    .string()
    .max(256)
    .optional()
    .describe('Login name or e-mail address that the provider proposes. Default: none.'),
  fresh: z
    .enum(['true'])
    .optional()
    .describe(
      '`true`: the provider must ask the person again, whose session then proves the presence once within ten minutes.',
    ),
  test: Id.optional().describe(
    'Identifier of a test sign-in, which shows what the provider sends and opens no session. Only the browser session that has created it can begin it.',
  ),
  ...programMembers,
});

const parameter = (text: string, max: number) => z.string().max(max).optional().describe(text);

/** The answer of a provider (RFC 6749, 4.1.2, and RFC 9207). Providers add members of their own, which are ignored. */
export const CallbackAnswer = z.object({
  state: z.string().min(1).max(256).describe('The value that the portal has sent to the provider.'),
  code: parameter('Authorization code. Absent if the provider refused the sign-in.', 4096),
  iss: parameter('Issuer of the answer (RFC 9207).', 1024),
  error: parameter('Error code of the provider, such as `access_denied`.', 256),
  error_description: parameter('Text of the provider about the error. It is not shown.', 4096),
  error_uri: parameter('Address of a page about the error. It is not shown.', 4096),
});

export const SecondFactorBody = z.strictObject({
  code: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('Code of the authenticator app, or a recovery code. Without it, the response is a challenge.'),
  challenge_id: z
    .string()
    .max(256)
    .optional()
    .describe('`challenge_id` from the challenge. Valid once, and only from the network that requested it.'),
});

/** The token is in the cookie. */
export const ConfirmAnswer = z.union([
  LoginAnswer.omit({ token: true }).extend({ recovery_codes }),
  ChallengeAnswer.extend({
    username: z.string().describe('Login name of the user whose second factor is required.'),
  }),
]);
