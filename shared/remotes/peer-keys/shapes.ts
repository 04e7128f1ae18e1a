import { z } from 'zod';

const base64url = z
  .string()
  .max(1_400)
  .regex(/^[\w-]+$/, 'Must be base64url')
  .optional();

/** A public key with the members needed to verify signatures; other members are ignored. */
export const PublicKey = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']).describe('Key type (RFC 7517): `RSA`, `EC` or `OKP`.'),
  kid: z.string().min(1).max(256).describe('Key identifier. The header `kid` of a token names it.'),
  alg: z
    .enum(['RS256', 'ES256', 'EdDSA'])
    .optional()
    .describe('Signature algorithm: `RS256`, `ES256` or `EdDSA`. Absent if the key type decides.'),
  crv: z
    .enum(['P-256', 'Ed25519'])
    .optional()
    .describe('Curve: `P-256` of an `EC` key, `Ed25519` of an `OKP` key. Absent for an `RSA` key.'),
  x: base64url.describe('X coordinate of an `EC` key or the public key of an `OKP` key, base64url.'),
  y: base64url.describe('Y coordinate of an `EC` key, base64url.'),
  n: base64url.describe('Modulus of an `RSA` key, base64url.'),
  e: base64url.describe('Exponent of an `RSA` key, base64url.'),
});

export type PublicKey = z.output<typeof PublicKey>;

/** A published key set (RFC 7517, section 5). */
export const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(64) });
