import { and, eq, or, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { users } from '../../schema/identity/users.ts';
import { derived } from '../records/statements.ts';
import { parameterOverrides } from './login/sessions.ts';
import { isEnrolled } from './second-factors.ts';

/** Returns a user by folded name and the folded name or label of the domain, with the password parameters. */
export async function findAccount(db: Db, domainKey: string, userKey: string) {
  const [row] = await db
    .select({
      user: users,
      domain: authenticators,
      parameters: parameterOverrides,
      isEnrolled: derived<boolean>(isEnrolled(users.id)),
    })
    .from(users)
    .innerJoin(authenticators, eq(authenticators.id, users.authenticator_id))
    .where(
      and(
        eq(users.name_key, userKey),
        or(eq(authenticators.small_name_key, domainKey), eq(authenticators.name_key, domainKey)),
      ),
    )
    // A matching label has precedence over a matching name of another domain.
    .orderBy(sql`${authenticators.small_name_key} = ${domainKey} desc`)
    .limit(1);
  return row;
}

export const setPassword = (
  h: Db,
  userId: string,
  { hash, mustChange, at }: { hash: string; mustChange: boolean; at: Date },
): Statement =>
  h
    .update(users)
    .set({
      password_hash: hash,
      password_changed_at: at,
      must_change_password: mustChange,
      updated_at: at,
      revision: sql`${users.revision} + 1`,
    })
    .where(eq(users.id, userId));
