import { boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';
import { roles } from './roles.ts';

/** A public key of a peer (RFC 7517), of the members that a signature is checked with. */
export type PublicKey = { kty: string; kid: string } & Partial<
  Record<'alg' | 'use' | 'crv' | 'x' | 'y' | 'n' | 'e', string>
>;

/** Other aggregators that come with tokens they signed; their keys are here or at an address of theirs. */
export const peers = pgTable(
  'peers',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    comments: text().notNull().default(''),
    issuer: byteText().notNull(),
    jwks: jsonb().$type<{ keys: PublicKey[] }>(),
    jwks_url: text(),
    ca_certificate: text(),
    enabled: boolean().notNull().default(true),
  },
  (t) => [uniqueIndex('peers_name_key').on(t.name_key), uniqueIndex('peers_issuer').on(t.issuer)],
);

export const peerRoles = pgTable(
  'peer_roles',
  {
    peer_id: uuid()
      .notNull()
      .references(() => peers.id, { onDelete: 'cascade' }),
    role_id: uuid()
      .notNull()
      .references(() => roles.id, { onDelete: 'restrict' }),
  },
  (t) => [primaryKey({ columns: [t.peer_id, t.role_id] }), index('peer_roles_role').on(t.role_id)],
);

/** Live sessions of peers; an ended one is deleted. Only the SHA-256 of the token is kept. `idle_until` as for login sessions. */
export const peerSessions = pgTable(
  'peer_sessions',
  {
    id: uuid().primaryKey(),
    token_hash: text().notNull(),
    peer_id: uuid()
      .notNull()
      .references(() => peers.id, { onDelete: 'cascade' }),
    created_at: moment().notNull(),
    last_seen_at: moment().notNull(),
    idle_until: moment(),
  },
  (t) => [
    uniqueIndex('peer_sessions_token').on(t.token_hash),
    index('peer_sessions_peer').on(t.peer_id),
    index('peer_sessions_age').on(t.created_at),
  ],
);

/**
 * Tokens of peers that have been exchanged, by the SHA-256 of issuer and `jti`. They outlive their peer: one who is
 * registered again shall not find them unused.
 */
export const usedPeerTokens = pgTable(
  'used_peer_tokens',
  {
    digest: text().primaryKey(),
    kept_until: moment().notNull(),
  },
  (t) => [index('used_peer_tokens_age').on(t.kept_until)],
);
