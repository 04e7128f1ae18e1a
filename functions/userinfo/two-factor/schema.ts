import { z } from 'zod';
import { FreshSignIn } from '../../../shared/identity/second-factor/proof-shapes.ts';

const Password = z
  .string()
  .min(1)
  .max(1024)
  .meta({ example: 'a long pass phrase of yours' })
  .describe('Password of the user.');
const Code = z
  .string()
  .min(1)
  .max(64)
  .meta({ example: '123456' })
  .describe('Current code of the authenticator app.');

export const EnrolmentStep = z.union([
  z.strictObject({
    password: Password,
    recovery_code: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('A recovery code. Required if the account has a passkey.'),
  }),
  FreshSignIn,
  z.strictObject({ code: Code }),
]);

export const EnrolmentAnswer = z.union([
  z.strictObject({
    otpauth_uri: z.string().describe('URI of the secret (`otpauth://`), to be shown as a QR code.'),
    secret: z.string().describe('The secret in Base32, for manual entry.'),
  }),
  z.strictObject({
    recovery_codes: z
      .array(z.string())
      .describe('Ten recovery codes, each valid once. Returned only in this response.'),
  }),
]);

export const Removal = z.union([
  z.strictObject({
    password: Password,
    code: Code.describe('Current code of the authenticator app, or a recovery code.'),
  }),
  FreshSignIn,
]);
