import { z } from 'zod';
import { loginCredentials } from '../login/credentials.ts';

/** For users whose password the portal or their directory checks. */
export const PasswordProof = z.strictObject({
  password: loginCredentials.password,
  code: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'Current code of the authenticator app, or a recovery code. Required if the account has a second factor. Default: none.',
    ),
});

/** For users of identity providers, whose passwords the portal never sees. */
export const FreshSignIn = z.strictObject({
  fresh_sign_in: z
    .literal(true)
    .describe(
      'For users of identity providers: this session began with a sign-in there that is at most ten minutes old, and not used for another change. `start` with `fresh` asks for one.',
    ),
});

/** The proof that the owner of the session is present. */
export const OwnerProof = z.union([PasswordProof, FreshSignIn]);
