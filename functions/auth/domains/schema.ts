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
