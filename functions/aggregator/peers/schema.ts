import { z } from 'zod';
import { PublicKey } from '../../../shared/remotes/peer-keys/shapes.ts';
import { Address } from '../../../shared/shapes/addresses.ts';
import {
  Certificates,
  Comments,
  CreatedAt,
  flagFilter,
  Id,
  Ids,
  Name,
  UpdatedAt,
} from '../../../shared/shapes/fields.ts';

/** Only public key parameters are accepted, so that a private key that was pasted by mistake is not stored. */
const Keys = z.strictObject({
  keys: z
    .array(
      z.strictObject({
        ...PublicKey.shape,
        use: z.literal('sig').optional().describe('Purpose of the key: always `sig`.'),
      }),
    )
    .min(1)
    .max(16)
    .refine(
      (keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length,
      'Each `kid` can occur only once',
    )
    .describe('Public keys with distinct `kid`. Private key parameters are rejected.'),
});

const Issuer = Address('peer')
  .meta({ example: 'https://other.example.com' })
  .describe('Base URL of the peer. Must be identical to the claim `iss` of its tokens.');

export const PeerWrite = z.object({
  name: Name.describe('Name of the peer aggregator, unique regardless of case.'),
  comments: Comments,
  issuer: Issuer,
  jwks: Keys.nullable()
    .default(null)
    .meta({
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
    })
    .describe('Public keys that the peer signs with. Null if `jwks_url` is set.'),
  jwks_url: Address('keys')
    .nullable()
    .default(null)
    .meta({ example: null })
    .describe('HTTPS address where the peer publishes its keys. Null if `jwks` is set.'),
  ca_certificate: Certificates.nullable()
    .default(null)
    .describe(
      'PEM certificates trusted for the server of `jwks_url`. Null: the public certificate authorities are trusted.',
    ),
  roles: Ids.default([]).describe(
    'Identifiers of the roles of the peer. Its sessions have the permissions of these roles. Default: none.',
  ),
  enabled: z.boolean().default(true).describe('If false, tokens of the peer are rejected. Default true.'),
});

export const Peer = z.strictObject({
  id: Id.describe('Identifier of the peer. Set by the portal.'),
  ...PeerWrite.shape,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const peerFilters = { enabled: flagFilter.describe('Only peers with this value of `enabled`.') };
