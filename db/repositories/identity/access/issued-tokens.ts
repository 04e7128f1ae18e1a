import { eq, type SQL, sql } from 'drizzle-orm';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { serviceTokens as table } from '../../../schema/identity/service-tokens.ts';
import { users } from '../../../schema/identity/users.ts';
import { derived } from '../../records/statements.ts';

const ofUser = <T>(column: SQL): SQL<T> =>
  derived<T>(
    sql`select ${column} from ${users} join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}
      where ${users.id} = ${table.user_id}`,
  );

/** The list of the service tokens of all users, including expired tokens that were not revoked. */
export const issuedTokens = {
  spec: {
    table,
    select: {
      id: table.id,
      name: table.name,
      user_id: table.user_id,
      user: ofUser<string>(sql`${users.name}`),
      authenticator_id: ofUser<string>(sql`${authenticators.id}`),
      authenticator_name: ofUser<string>(sql`${authenticators.name}`),
      own: table.own,
      permissions: table.permissions,
      created_at: table.created_at,
      expires_at: table.expires_at,
      last_seen_at: table.last_seen_at,
    },
    search: [table.name_key, ofUser<string>(sql`${users.name_key}`)],
    filters: {
      authenticator: (value: string) => sql`${ofUser(sql`${authenticators.id}`)} = ${value}::uuid`,
      user: (value: string) => eq(table.user_id, value),
      own: (value: boolean) => eq(table.own, value),
      expires_after: (value: string) => sql`${table.expires_at} >= ${value}::timestamptz`,
      expires_before: (value: string) => sql`${table.expires_at} < ${value}::timestamptz`,
      unused_since: (value: string) =>
        sql`coalesce(${table.last_seen_at}, ${table.created_at}) < ${value}::timestamptz`,
    },
    sorts: { expires_at: table.expires_at, created_at: table.created_at, name: table.name_key },
  },
};
