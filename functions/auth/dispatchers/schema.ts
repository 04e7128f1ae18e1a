import { z } from 'zod';
import { Id } from '../../../shared/http/fields.ts';

/** For a dispatcher of ours, or from a peer aggregator; both at once mean nothing. */
export const JwtauthBody = z.union([
  z.strictObject({ dispatcher_id: Id }),
  z.strictObject({
    token: z.string().min(1).max(8192).meta({
      description:
        'A JWT signed by a registered peer. Header: `typ` `peer+jwt`, `kid`, `alg`. Claims: `iss` and `sub` the issuer of the peer, `aud` the base URL of this portal, `iat`, `exp` at most 600 seconds later, `jti`.',
    }),
  }),
]);

const lifeOf = (what: string) => z.int().meta({ description: `Seconds for which ${what} holds` });

export const JwtauthAnswer = z.union([
  z.strictObject({
    result: z.literal('ok'),
    dispatcher_id: Id,
    expires_in: lifeOf('the session key'),
  }),
  z.strictObject({
    result: z.literal('ok'),
    token: z.string().meta({ description: 'For the header X-Auth-Token' }),
    expires_in: lifeOf('the session'),
  }),
]);
