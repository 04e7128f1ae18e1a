import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';

/** Either authorizes the portal on a dispatcher or logs a peer aggregator in. The two forms cannot be combined. */
export const JwtauthBody = z.union([
  z.strictObject({
    dispatcher_id: Id.describe('Identifier of the dispatcher node on which the portal authorizes itself.'),
  }),
  z.strictObject({
    token: z
      .string()
      .min(1)
      .max(8192)
      .describe(
        'JWT with `typ` `peer+jwt`, signed by a registered peer. Claims: `iss` and `sub` the issuer of the peer, `aud` the base URL of this portal, `iat`, `exp` at most 600 seconds later, and `jti`.',
      ),
  }),
]);

export const JwtauthAnswer = z.union([
  z.strictObject({
    result: z.literal('ok').describe('Always `ok`.'),
    dispatcher_id: Id.describe('Identifier of the dispatcher.'),
    expires_in: z.int().describe('Seconds for which the session key of the dispatcher is valid.'),
  }),
  z.strictObject({
    result: z.literal('ok').describe('Always `ok`.'),
    token: z.string().describe('Session token for the header `X-Auth-Token`.'),
    expires_in: z.int().describe('Seconds for which the session is valid.'),
  }),
]);
