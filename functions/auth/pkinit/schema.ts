import { z } from 'zod';

const base64 = (description: string) => z.string().meta({ description: `Base64: ${description}` });
const Certificate = z.string().min(1).max(65_536).meta({ description: 'X.509, PEM or base64 of DER' });
const ChallengeId = z.string().min(1).max(8192).meta({ description: '`challenge_id` of `login`' });
const Signature = z.base64().min(1).max(8192).meta({
  description: 'Base64: over `data_to_sign`, with SHA-256; of a curve as a SEQUENCE or as `r || s`',
});

export const PkinitLogin = z.strictObject({
  certificate: Certificate,
  chain: z
    .array(Certificate)
    .max(8)
    .nullish()
    .meta({ description: 'Certificates between this one and an authority that the KDC knows' }),
  username: z
    .string()
    .min(1)
    .max(256)
    .nullish()
    .meta({ description: 'One of the names in the certificate; the first unless given' }),
});
export const PkinitRaw = z.strictObject({ challenge_id: ChallengeId, signature: Signature });
export const PkinitFinalize = z.strictObject({
  challenge_id: ChallengeId,
  signature: Signature.nullish(),
});

export const PkinitTask = z.strictObject({
  challenge_id: z.string(),
  realm: z.string(),
  principal: z.string(),
  digest_algorithm: z.literal('sha256'),
  signature_algorithm: z.enum(['RSASSA-PKCS1-v1_5', 'ECDSA']),
  data_to_sign: base64('what the card signs'),
  digest: base64('SHA-256 of it, for cards that sign digests'),
  expires_in: z.int().meta({ description: 'Seconds' }),
});
export const PkinitResponse = z.strictObject({ response: base64('AS-REP of the KDC (RFC 4120)') });
