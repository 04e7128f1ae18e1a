import { z } from 'zod';
import { patchBody } from '../../../shared/http/records/shapes.ts';
import { LoginAnswer } from '../../../shared/identity/login/answers.ts';
import {
  domainRule,
  loginCredentials,
  loginOptions,
  namesDomain,
} from '../../../shared/identity/login/credentials.ts';
import { Passkey, PasskeyName } from '../../../shared/identity/passkeys/passkey.ts';
import {
  Assertion,
  CreationOptions,
  Registration,
  RequestOptions,
} from '../../../shared/identity/passkeys/shapes.ts';
import { PasswordProof } from '../../../shared/identity/second-factor/proof-shapes.ts';

const assertion = Assertion.describe('Response of `navigator.credentials.get()` as JSON.');
const registration = Registration.describe('Response of `navigator.credentials.create()` as JSON.');

const in_browser = z
  .boolean()
  .default(false)
  .describe(
    'True for a page of this portal: the token is returned in the cookie of the browser session, not in the body. Default false.',
  );

/** The proof that the owner of the session is present. */
export const OwnProof = z.union([
  PasswordProof,
  z.strictObject({
    assertion: assertion.describe('A passkey of the account, for the options of `sign-in/options`.'),
  }),
]);

export const PasskeyWrite = z.strictObject({ name: PasskeyName, registration });
/** Only the name can be changed; other members of a passkey are ignored. */
export const PasskeyChange = patchBody(
  z.object({ name: PasskeyName }),
  Object.keys(Passkey.shape).filter((name) => name !== 'name'),
) as z.ZodType<{ name?: string }>;

const recovery_codes = z
  .array(z.string())
  .optional()
  .describe(
    'Ten recovery codes, each valid once. Returned once, with the first second factor of the account.',
  );

export const NewPasskey = Passkey.extend({ recovery_codes });

export const SignInBody = z.strictObject({ assertion, ...loginOptions, in_browser });

export const PendingLogin = z.strictObject({
  challenge_id: z.string().min(1).max(256).describe('`challenge_id` from the answer of `login/2fa`.'),
});

export const SecondFactorOptions = z.union([
  z.strictObject({
    authentication: RequestOptions.describe('Options for `navigator.credentials.get()`.'),
  }),
  z.strictObject({
    registration: CreationOptions.describe(
      'Options for `navigator.credentials.create()`: the login requires to set a second factor up.',
    ),
  }),
]);

const secondFactor = {
  ...loginCredentials,
  ...PendingLogin.shape,
  in_browser,
};

/** A passkey of the user, or a new one with its name. */
export const SecondFactorBody = z
  .union([
    z.strictObject({ ...secondFactor, assertion }),
    z.strictObject({ ...secondFactor, registration, name: PasskeyName }),
  ])
  .refine(namesDomain, domainRule);

/** The token is absent if it is in the cookie. */
export const PasskeyLoginAnswer = LoginAnswer.extend({
  token: LoginAnswer.shape.token.optional(),
  recovery_codes,
});
