import { z } from 'zod';
import { Certificates, Comments, flagFilter, Id, Ids, Moment, Name } from '../../../shared/http/fields.ts';
import { PublicKey } from '../../../shared/remotes/peer-keys/shapes.ts';

/** Nothing but public members is taken: a private key that was pasted by mistake is not kept. */
const Keys = z.strictObject({
  keys: z
    .array(z.strictObject({ ...PublicKey.shape, use: z.literal('sig').optional() }))
    .min(1)
    .max(16)
    .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'Each `kid` once'),
});

const Issuer = z
  .string()
  .max(512)
  .regex(/^https?:\/\/[\x21-\x7e]+$/, 'The base URL of the peer')
  .meta({ description: 'The `iss` of its tokens, letter by letter', example: 'https://other.example.com' });

export const PeerWrite = z.object({
  name: Name,
  comments: Comments,
  issuer: Issuer,
  jwks: Keys.nullable()
    .default(null)
    .meta({
      description: 'The public keys that it signs with, unless `jwks_url` tells where they are',
      example: {
        keys: [
          {
            kty: 'EC',
            kid: 'main',
            alg: 'ES256',
            crv: 'P-256',
            x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
            y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
          },
        ],
      },
    }),
  jwks_url: z
    .string()
    .max(2048)
    .nullable()
    .default(null)
    .meta({ description: 'Where it publishes its keys; https', example: null }),
  ca_certificate: Certificates.nullable()
    .default(null)
    .meta({ description: 'Who vouches for the server of `jwks_url`, unless a public authority does' }),
  roles: Ids.default([]).meta({ description: 'What its sessions may do, and no more' }),
  enabled: z.boolean().default(true),
});

export const Peer = z.strictObject({
  id: Id,
  ...PeerWrite.shape,
  created_at: Moment,
  updated_at: Moment,
});

export const peerFilters = { enabled: flagFilter };
