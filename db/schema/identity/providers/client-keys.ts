import { index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../../columns.ts';
import { authenticators } from '../authenticators.ts';

/**
 * Keys with which the portal authenticates to the identity provider of a domain. The newest one signs. The former one
 * is still published, so that assertions on their way can be verified. `public_jwk` is the public JWK, `sealed_private_key` a
 * sealed JWK. The id is the key id (`kid`).
 */
export const clientKeys = pgTable(
  'client_keys',
  {
    id: uuid().primaryKey(),
    authenticator_id: uuid()
      .notNull()
      .references(() => authenticators.id, { onDelete: 'cascade' }),
    public_jwk: jsonb().$type<Record<string, string>>().notNull(),
    sealed_private_key: text().notNull(),
    created_at: moment().notNull(),
  },
  (t) => [index('client_keys_domain').on(t.authenticator_id, t.id)],
);
