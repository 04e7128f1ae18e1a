import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';
import { authenticators } from './authenticators.ts';

/**
 * Users of a domain. `password_hash` includes its parameters (see shared/identity/passwords). `directory_id` is the
 * immutable identifier of the directory entry, absent until the first login that finds it. It is unique only together with
 * `directory_authority`, the issuer or the identity of the directory that vouches for it; empty until the first sign-in if the
 * domain has not shown one. `card_fingerprint` is the
 * SHA-256 of the public key of the smart card used at `directory_checked_at`, the last login that the directory
 * confirmed. `access_ended_at` is the time when the user was last deactivated; a login that began earlier is
 * rejected. `given_name` and `family_name` are those of an identity provider that maintains the domain. `deprovisioned_at` is
 * the time when it deleted the user, whose row stays, so that the deletion also refuses a later login. `deactivated_by` is set while
 * provisioning has deactivated the user, and may activate it again. `last_login_at` has no index, because each login would then write all indexes.
 */
export const users = pgTable(
  'users',
  {
    ...recordColumns,
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    name_key: byteText().notNull(),
    real_name: text().notNull().default(''),
    given_name: text().notNull().default(''),
    family_name: text().notNull().default(''),
    email: text().notNull().default(''),
    comments: text().notNull().default(''),
    state: text().$type<'active' | 'inactive'>().notNull().default('active'),
    kind: text().$type<'person' | 'service'>().notNull().default('person'),
    language: text(),
    password_hash: text(),
    password_changed_at: moment(),
    must_change_password: boolean().notNull().default(false),
    attributes: jsonb().$type<Record<string, string>>().notNull().default({}),
    last_login_at: moment(),
    directory_id: text(),
    directory_authority: text().notNull().default(''),
    directory_checked_at: moment(),
    card_fingerprint: text(),
    access_ended_at: moment(),
    deprovisioned_at: moment(),
    deactivated_by: text().$type<'provisioning'>(),
  },
  (t) => [
    uniqueIndex('users_name_key').on(t.authenticator_id, t.name_key),
    uniqueIndex('users_directory_id').on(t.authenticator_id, t.directory_id, t.directory_authority),
    index('users_name').on(t.name_key, t.id),
    index('users_created').on(t.created_at, t.id),
    index('users_created_at').on(t.authenticator_id, t.created_at, t.id),
    index('users_updated_at').on(t.authenticator_id, t.updated_at, t.id),
    index('users_search').using('gin', t.name_key.op('gin_trgm_ops')),
    index('users_real_name_search').using('gin', sql`lower(${t.real_name}) gin_trgm_ops`),
    index('users_email_search').using('gin', sql`lower(${t.email}) gin_trgm_ops`),
  ],
);

/** Sealed password hashes that a user may not reuse, including the current one. */
export const passwordHistory = pgTable(
  'password_history',
  {
    id: uuid().primaryKey(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    sealed_hash: text().notNull(),
    at: moment().notNull(),
  },
  (t) => [index('password_history_user').on(t.user_id, t.at)],
);
