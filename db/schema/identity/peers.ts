import { boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';
import { roles } from './roles.ts';

/** A public key of a peer (RFC 7517), with the members needed for verification. */
export type PublicKey = { kty: string; kid: string } & Partial<
  Record<'alg' | 'use' | 'crv' | 'x' | 'y' | 'n' | 'e', string>
>;

/** Other aggregators, which authenticate with signed tokens. Their keys are stored here or read from `jwks_url`. */
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

/**
 * Live sessions of peers; ended sessions are deleted. Only the SHA-256 of the token is stored. `idle_until` as for
 * login sessions.
 */
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
 * Exchanged tokens of peers, by the SHA-256 of issuer and `jti`. They are kept when the peer is deleted, so that a
 * token cannot be reused after the peer is registered again.
 */
export const usedPeerTokens = pgTable(
  'used_peer_tokens',
  {
    digest: text().primaryKey(),
    kept_until: moment().notNull(),
  },
  (t) => [index('used_peer_tokens_age').on(t.kept_until)],
);
