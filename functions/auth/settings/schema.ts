import { z } from 'zod';

export const Settings = z.strictObject({
  version: z.string(),
  portal_type: z.enum(['admin', 'user', 'universal']),
  languages: z.array(z.string()),
  default_language: z.string(),
  site_name: z.string(),
  password_policy: z.strictObject({
    min_length: z.int(),
    min_length_two_factor: z.int(),
    max_length: z.int(),
  }),
  session: z.strictObject({
    admin_absolute_s: z.int(),
    user_absolute_s: z.int(),
    idle_s: z.int(),
    max_per_user: z.int(),
  }),
  lockout: z.strictObject({ max_tries: z.int(), block_s: z.int() }),
  two_factor: z.strictObject({ methods: z.array(z.string()) }),
  client_download_url: z.string(),
});

const Jwk = z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string(), use: z.literal('sig') });
export const Jwks = z.strictObject({ keys: z.array(Jwk) });
