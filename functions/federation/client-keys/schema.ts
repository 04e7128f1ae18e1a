import { z } from 'zod';

const ClientKey = z.strictObject({
  kty: z.literal('RSA').describe('Key type (RFC 7517): `RSA`.'),
  alg: z.literal('RS256').describe('Signature algorithm: `RS256`.'),
  use: z.literal('sig').describe('Use of the key: `sig`, signatures.'),
  kid: z.string().describe('Key identifier. The assertions of the portal name it.'),
  n: z.string().describe('Modulus, base64url.'),
  e: z.string().describe('Exponent, base64url.'),
});

export const ClientKeys = z.strictObject({
  keys: z
    .array(ClientKey)
    .describe('The signing key, and its predecessor if there is one. Empty without a key.'),
});
