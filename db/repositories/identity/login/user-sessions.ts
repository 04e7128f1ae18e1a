import { and, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { loginSessions as table } from '../../../schema/identity/login-sessions.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';
import type { OwnerPath } from '../service-tokens.ts';

/** Sessions that began and were used after these timestamps are alive. */
export type AliveSince = { admin: Date; user: Date; used: Date; now: Date };

/** The condition that a session has not ended. */
export const isAlive = ({ admin, user, used, now }: AliveSince): SQL | undefined =>
  and(
    gt(table.last_seen_at, used),
    or(isNull(table.idle_until), gt(table.idle_until, now)),
    or(
      and(eq(table.portal, 'admin'), gt(table.created_at, admin)),
      and(eq(table.portal, 'user'), gt(table.created_at, user)),
    ),
  );

/** The list of live sessions of a user, optionally restricted to users of a domain. */
export const sessionsAlive = (since: AliveSince, domainId?: string) => ({
  spec: {
    table,
    select: {
      id: table.id,
      portal: table.portal,
      source_ip: table.source_ip,
      user_agent: table.user_agent,
      platform: table.platform,
      created_at: table.created_at,
      last_seen_at: table.last_seen_at,
    },
    parent: {
      column: table.user_id,
      table: users,
      ...(domainId !== undefined && { where: eq(users.authenticator_id, domainId) }),
    },
    where: isAlive(since),
    search: [table.source_ip, sql`lower(${table.user_agent})`],
    filters: {},
    sorts: { created_at: table.created_at, last_seen_at: table.last_seen_at },
  },
});

/** Fails the batch with `not_found` unless the user exists, and locks the row until the batch ends. */
export const mustHaveUser = (h: Db, { domainId, userId }: OwnerPath): Statement =>
  must(
    h,
    sql`(select ${users.id} from ${users}
      where ${users.id} = ${userId} and ${users.authenticator_id} = ${domainId} for key share) is not null`,
    'not_found',
  );

/** Ends one live session of the user; fails the batch with `not_found` if it does not exist. */
export const endOwnSession = (h: Db, userId: string, id: string, since: AliveSince): Statement[] => [
  must(
    h,
    sql`(select ${table.id} from ${table}
      where ${and(eq(table.id, id), eq(table.user_id, userId), isAlive(since))} for update) is not null`,
    'not_found',
  ),
  h.delete(table).where(eq(table.id, id)),
];
