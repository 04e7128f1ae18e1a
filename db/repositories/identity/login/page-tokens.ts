import { and, eq, gt, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../../client.ts';
import { authenticators } from '../../../schema/identity/authenticators.ts';
import { loginSessions } from '../../../schema/identity/login-sessions.ts';
import { pageTokens } from '../../../schema/identity/page-tokens.ts';
import { users } from '../../../schema/identity/users.ts';
import { must } from '../../records/statements.ts';
import { mayAct, principalColumns } from './sessions.ts';

/** Maximum number of page tokens per session. The oldest tokens are deleted. */
const maxPerSession = 32;

/** Returns the result of `findSession` for the hash of a page token. */
export async function findPageSession(db: Db, tokenHash: string, now: Date) {
  const [row] = await db
    .select({ session: loginSessions, ...principalColumns })
    .from(pageTokens)
    .innerJoin(loginSessions, eq(loginSessions.id, pageTokens.session_id))
    .innerJoin(users, eq(users.id, loginSessions.user_id))
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(and(eq(pageTokens.token_hash, tokenHash), gt(pageTokens.expires_at, now), mayAct));
  return row;
}

/** Stores a page token; fails the batch with `invalid_token` if the session has ended meanwhile. */
export const startPageToken = (h: Db, token: typeof pageTokens.$inferInsert): Statement[] => [
  must(
    h,
    sql`(select ${loginSessions.id} from ${loginSessions} where ${loginSessions.id} = ${token.session_id}
      for update) is not null`,
    'invalid_token',
  ),
  h.insert(pageTokens).values(token),
  h.delete(pageTokens).where(
    sql`${pageTokens.id} in (select id from ${pageTokens} where ${pageTokens.session_id} = ${token.session_id}
        order by expires_at desc, id desc offset ${maxPerSession})`,
  ),
];
