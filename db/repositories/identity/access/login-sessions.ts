import { eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions as table } from '../../../schema/identity/login-sessions.ts';
import { users } from '../../../schema/identity/users.ts';
import { derived } from '../../records/statements.ts';
import { type AliveSince, isAlive } from '../login/user-sessions.ts';

const ofUser = <T>(column: SQL): SQL<T> =>
  derived<T>(
    sql`select ${column} from ${users} join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}
      where ${users.id} = ${table.user_id}`,
  );

/** The list of the live sessions of all users. */
export const allSessions = (since: AliveSince) => ({
  spec: {
    table,
    select: {
      id: table.id,
      user_id: table.user_id,
      user: ofUser<string>(sql`${users.name}`),
      authenticator_id: ofUser<string>(sql`${authenticators.id}`),
      authenticator_name: ofUser<string>(sql`${authenticators.name}`),
      portal: table.portal,
      source_ip: table.source_ip,
      user_agent: table.user_agent,
      platform: table.platform,
      created_at: table.created_at,
      last_seen_at: table.last_seen_at,
    },
    where: isAlive(since),
    search: [ofUser<string>(sql`${users.name_key}`), table.source_ip, sql`lower(${table.user_agent})`],
    filters: {
      authenticator: (value: string) => sql`${ofUser(sql`${authenticators.id}`)} = ${value}::uuid`,
      user: (value: string) => eq(table.user_id, value),
      portal: (value: string) => sql`${table.portal} = ${value}`,
      source_ip: (value: string) => eq(table.source_ip, value),
    },
    sorts: { last_seen_at: table.last_seen_at, created_at: table.created_at },
  },
});

export type SessionOwner = { userId: string; user: string };

/** @returns the user of a session, which may have ended */
export async function findSessionOwner(db: Db, id: string): Promise<SessionOwner | undefined> {
  const [row] = await db
    .select({ userId: users.id, user: users.name })
    .from(table)
    .innerJoin(users, eq(users.id, table.user_id))
    .where(eq(table.id, id));
  return row;
}
