import { and, eq, sql } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { roles, userRoles } from '../../schema/identity/roles.ts';
import { users } from '../../schema/identity/users.ts';

export type BuiltinRole = { name: string; comments: string; permissions: readonly string[] };

/** Sets the built-in roles to the definitions of this version. */
export const setBuiltinRoles = (h: Db, builtins: readonly BuiltinRole[]): Statement =>
  h
    .insert(roles)
    .values(
      builtins.map(({ name, comments, permissions }) => ({
        id: newId(),
        name,
        name_key: foldName(name),
        comments,
        permissions: [...permissions],
        builtin: true,
      })),
    )
    .onConflictDoUpdate({
      target: roles.name_key,
      set: { permissions: sql`excluded.permissions`, comments: sql`excluded.comments`, builtin: true },
    });

export async function hasDomains(db: Db): Promise<boolean> {
  const [row] = await db.select({ id: authenticators.id }).from(authenticators).limit(1);
  return row !== undefined;
}

/**
 * Inserts the built-in domain and its first administrator. If two processes run this, the unique name lets one
 * succeed.
 */
export function addFirstAdministrator(h: Db, domainType: string, passwordHash: string): Statement[] {
  const [domain, user] = [newId(), newId()];
  return [
    h.insert(authenticators).values({
      id: domain,
      name: 'Built-in',
      name_key: 'built-in',
      small_name: 'builtin',
      small_name_key: 'builtin',
      type: domainType,
      comments: 'Accounts of this portal',
      builtin: true,
    }),
    h.insert(users).values({
      id: user,
      authenticator_id: domain,
      name: 'admin',
      name_key: 'admin',
      real_name: 'Administrator',
      password_hash: passwordHash,
    }),
    h.insert(userRoles).select(
      h
        .select({ user_id: sql<string>`${user}::uuid`.as('user_id'), role_id: roles.id })
        .from(roles)
        .where(and(roles.builtin, eq(roles.name, 'administrator'))),
    ),
  ];
}
