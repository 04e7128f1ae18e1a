import { z } from 'zod';

export const Settings = z.strictObject({
  version: z.string().describe('Version of the portal.'),
  portal_type: z
    .enum(['admin', 'user', 'universal'])
    .describe('`admin`: administrator portal; `user`: user portal; `universal`: both.'),
  languages: z.array(z.string()).describe('Supported languages.'),
  default_language: z.string().describe('Language of users who have not chosen one: `ui.default_language`.'),
  site_name: z.string().describe('Name of the installation, from the themes.'),
  password_policy: z
    .strictObject({
      min_length: z.int().describe('Minimum number of characters of a password.'),
      min_length_two_factor: z
        .int()
        .describe('Minimum number of characters of a password in a domain with a second factor.'),
      max_length: z.int().describe('Maximum number of characters of a password.'),
    })
    .describe('Rules for passwords of the internal domain.'),
  session: z
    .strictObject({
      admin_absolute_s: z.int().describe('Seconds after which an administrator session ends.'),
      user_absolute_s: z.int().describe('Seconds after which a user session ends.'),
      idle_s: z.int().describe('Seconds without a request after which a session ends.'),
      max_per_user: z
        .int()
        .describe(
          'Maximum number of sessions of one user. If it is exceeded, the oldest session ends. 0 means no limit.',
        ),
    })
    .describe('Limits of sessions.'),
  lockout: z
    .strictObject({
      max_tries: z
        .int()
        .describe(
          'Number of failed logins from one network after which the account is locked for that network.',
        ),
      block_s: z
        .int()
        .describe(
          'Duration of the first lock in seconds. Each further lock lasts twice as long, at most one hour.',
        ),
    })
    .describe('Rules for locking accounts.'),
  two_factor: z
    .strictObject({
      methods: z
        .array(z.string())
        .describe('Types of second factors: `totp` (authenticator app), `passkey`.'),
    })
    .describe('Second factors that the portal supports.'),
  service_tokens: z
    .strictObject({
      own: z
        .boolean()
        .describe('True if users can create service tokens for their own account: `service_tokens.own`.'),
    })
    .describe('Rules for service tokens.'),
  client_download_url: z.string().describe('Download address of the client program. Empty if not set.'),
});

const Jwk = z.looseObject({
  kty: z.string().describe('Key type (RFC 7517).'),
  kid: z.string().describe('Key identifier. The header `kid` of a token names it.'),
  alg: z.string().describe('Signature algorithm of the key.'),
  use: z.literal('sig').describe('Purpose of the key: always `sig`.'),
});
export const Jwks = z.strictObject({
  keys: z.array(Jwk).describe('Public keys of the portal: one, or two during a rotation.'),
});
