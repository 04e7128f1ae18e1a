import { z } from 'zod';

/** A base64url text. The limits are far above what authenticators send. */
const Bytes = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/);

const CredentialId = Bytes(1364).meta({ example: 'xvKnlZLbQmC0Ddhj2eNHKw' });
const transports = z
  .array(
    z
      .string()
      .min(1)
      .max(32)
      .regex(/^[\w-]+$/),
  )
  .max(8);
const literalKey = z.literal('public-key').describe('Always `public-key`.');

/** Members of a credential that the portal does not evaluate. */
const ignored = {
  authenticatorAttachment: z
    .string()
    .max(32)
    .nullish()
    .describe('How the authenticator is attached. Ignored. Default: not known.'),
  clientExtensionResults: z
    .record(z.string().max(64), z.unknown())
    .optional()
    .describe('Results of extensions. Ignored. Default: none.'),
};

const base = {
  id: CredentialId.describe('Identifier of the credential, in base64url.'),
  rawId: CredentialId.describe('The same as `id`.'),
  type: literalKey,
  ...ignored,
};

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.get()` (AuthenticationResponseJSON). */
export const Assertion = z.strictObject({
  ...base,
  response: z
    .strictObject({
      clientDataJSON: Bytes(4096).describe('Client data that the authenticator signed.'),
      authenticatorData: Bytes(4096).describe('Authenticator data with the flags and the counter.'),
      signature: Bytes(2048).describe('Signature of both.'),
      userHandle: Bytes(128)
        .nullish()
        .describe('Handle of the user in the authenticator. Required without a password. Default: not sent.'),
    })
    .describe('Response of the authenticator.'),
});
export type Assertion = z.output<typeof Assertion>;

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.create()` (RegistrationResponseJSON). */
export const Registration = z.strictObject({
  ...base,
  response: z
    .strictObject({
      clientDataJSON: Bytes(4096).describe('Client data of the registration.'),
      attestationObject: Bytes(8192).describe('Attestation object with the public key.'),
      transports: transports.optional().describe('Transports of the authenticator. Default: not known.'),
      authenticatorData: Bytes(8192)
        .optional()
        .describe('Part of `attestationObject`. Ignored. Default: none.'),
      publicKey: Bytes(4096).nullish().describe('Part of `attestationObject`. Ignored. Default: none.'),
      publicKeyAlgorithm: z
        .int()
        .min(-65_536)
        .max(65_535)
        .optional()
        .describe('Number of the COSE algorithm of the key. Ignored. Default: none.'),
    })
    .describe('Response of the authenticator.'),
});
export type Registration = z.output<typeof Registration>;

const Descriptors = z.array(
  z.strictObject({
    id: z.string().describe('Identifier of the credential, in base64url.'),
    type: literalKey,
    transports: z.array(z.string()).describe('Transports of its authenticator.'),
  }),
);

const challenge = z.string().describe('Challenge, valid once and for 300 seconds.');
const timeout = z.int().describe('Time limit for the user in milliseconds.');
const verification = z
  .literal('required')
  .describe('Always `required`: the authenticator verifies the user.');

/** `PublicKeyCredentialRequestOptionsJSON`. */
export const RequestOptions = z.strictObject({
  challenge,
  timeout,
  rpId: z.string().describe('Host name of the portal.'),
  allowCredentials: Descriptors.describe(
    'Passkeys of the user. Empty without a user: the authenticator offers those that it has.',
  ),
  userVerification: verification,
});
export type RequestOptions = z.input<typeof RequestOptions>;

/** `PublicKeyCredentialCreationOptionsJSON`. */
export const CreationOptions = z.strictObject({
  rp: z
    .strictObject({
      id: z.string().describe('Host name of the portal.'),
      name: z.string().describe('Name of the installation.'),
    })
    .describe('Relying party.'),
  user: z
    .strictObject({
      id: z.string().describe('Random handle of the user, in base64url.'),
      name: z.string().describe('Login name with the domain.'),
      displayName: z.string().describe('Full name of the user, or the login name.'),
    })
    .describe('Account that the authenticator shows.'),
  challenge,
  pubKeyCredParams: z
    .array(
      z.strictObject({
        type: literalKey,
        alg: z.int().describe('Number of the COSE algorithm: -8 (EdDSA), -7 (ES256) or -257 (RS256).'),
      }),
    )
    .describe('Accepted algorithms, the preferred one first.'),
  timeout,
  excludeCredentials: Descriptors.describe('Passkeys that the user has already.'),
  authenticatorSelection: z
    .strictObject({
      residentKey: z.literal('required').describe('Always `required`.'),
      requireResidentKey: z.literal(true).describe('Always true.'),
      userVerification: verification,
    })
    .describe('Required abilities of the authenticator.'),
  attestation: z.literal('none').describe('Always `none`.'),
});
export type CreationOptions = z.input<typeof CreationOptions>;
