import { z } from 'zod';
import { Id } from '../../../shared/http/fields.ts';

/** Member names are the specification's own. */
export const Domain = z.strictObject({
  authUuid: Id,
  auth: z.string(),
  authSmallName: z.string(),
  type: z.string(),
  priority: z.int(),
  isCustom: z.boolean(),
  isTwoFactor: z.boolean(),
  isPkinit: z.boolean(),
});

const Certificate = z.string().min(1).max(65_536);
const ChallengeId = z.string().min(1).max(8192);

export const PkinitLogin = z.strictObject({
  certificate: Certificate,
  chain: z.array(Certificate).max(8).optional(),
  username: z.string().min(1).max(256).optional(),
});
export const PkinitRaw = z.strictObject({
  challenge_id: ChallengeId,
  signature: z.string().min(1).max(8192),
});
export const PkinitFinalize = z.strictObject({
  challenge_id: ChallengeId,
  signature: z.string().min(1).max(8192).optional(),
});
