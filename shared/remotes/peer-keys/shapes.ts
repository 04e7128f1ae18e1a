import { z } from 'zod';

const base64url = z
  .string()
  .max(1_400)
  .regex(/^[\w-]+$/, 'Must be base64url')
  .optional();

/** Of a public key what a signature is checked with; members that say other things are left out. */
export const PublicKey = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: z.string().min(1).max(256),
  alg: z.enum(['RS256', 'ES256', 'EdDSA']).optional(),
  crv: z.enum(['P-256', 'Ed25519']).optional(),
  x: base64url,
  y: base64url,
  n: base64url,
  e: base64url,
});

export type PublicKey = z.output<typeof PublicKey>;

/** A key set as others publish it (RFC 7517, section 5). */
export const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(64) });
