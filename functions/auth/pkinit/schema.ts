import { z } from 'zod';

const Certificate = z
  .string()
  .min(1)
  .max(65_536)
  .describe('X.509 certificate in PEM, or base64 of its DER form.');
const ChallengeId = z.string().min(1).max(8192).describe('`challenge_id` that `pkinit/login` returned.');
const Signature = z
  .base64()
  .min(1)
  .max(8192)
  .describe(
    'Signature of `data_to_sign` with SHA-256, in base64. An ECDSA signature is a DER SEQUENCE or `r || s`.',
  );

export const PkinitLogin = z.strictObject({
  certificate: Certificate.describe('Certificate of the card: X.509 in PEM, or base64 of its DER form.'),
  chain: z
    .array(Certificate)
    .max(8)
    .nullish()
    .describe(
      'Intermediate certificates between the certificate of the card and an authority that the KDC trusts. Default: none.',
    ),
  username: z
    .string()
    .min(1)
    .max(256)
    .nullish()
    .describe('Principal name from the certificate. Default: the first one in the certificate.'),
});
export const PkinitRaw = z.strictObject({ challenge_id: ChallengeId, signature: Signature });
export const PkinitFinalize = z.strictObject({
  challenge_id: ChallengeId,
  signature: Signature.nullish().describe(
    'Signature of `data_to_sign`, as for `pkinit/raw`. Absent if `pkinit/raw` was called before.',
  ),
});

export const PkinitTask = z.strictObject({
  challenge_id: z.string().describe('Encrypted state of the login, for the next call.'),
  realm: z.string().describe('Kerberos realm of the domain.'),
  principal: z.string().describe('Kerberos principal that logs in.'),
  digest_algorithm: z.literal('sha256').describe('Digest of the signature: always SHA-256.'),
  signature_algorithm: z
    .enum(['RSASSA-PKCS1-v1_5', 'ECDSA'])
    .describe('Signature algorithm: `RSASSA-PKCS1-v1_5` for an RSA key, `ECDSA` for an elliptic-curve key.'),
  data_to_sign: z.string().describe('Data that the card signs, in base64.'),
  digest: z.string().describe('SHA-256 of `data_to_sign` in base64, for cards that sign digests.'),
  expires_in: z.int().describe('Seconds within which the login must be finished.'),
});
export const PkinitResponse = z.strictObject({
  response: z.string().describe('AS-REP message of the KDC (RFC 4120) in base64.'),
});
