import { type Ask, addRole, addUser, asker, create, unique, usersPath, type World } from '../factories.ts';
import type { Json, TestPortal } from '../portal.ts';

export const secondsFrom = (now: Date, seconds: number): string =>
  new Date(now.getTime() + seconds * 1000).toISOString();

export const serviceTokensPath = (domain: Json, user: Json): string =>
  `${usersPath(domain)}/${user.id}/tokens`;

export const serviceTokenBody = ({ deps }: TestPortal, given: object = {}) => ({
  name: unique('token'),
  expires_at: secondsFrom(deps.clock(), 30 * 86_400),
  permissions: ['sites.read'],
  ...given,
});

/** A service account with these permissions, as an administrator creates it: without a password. */
export async function addServiceUser(
  { admin, domain }: Pick<World, 'admin' | 'domain'>,
  permissions: readonly string[],
  given: object = {},
): Promise<{ user: Json; role: Json }> {
  const role = permissions.length > 0 ? await addRole(admin, permissions) : undefined;
  const roles = role ? [role.id] : [];
  return { user: await addUser(admin, domain, { kind: 'service', password: null, roles, ...given }), role };
}

/** A token of a service, and requests with it. */
export async function addServiceToken(
  { portal, admin, domain }: Pick<World, 'portal' | 'admin' | 'domain'>,
  user: Json,
  given: object = {},
): Promise<{ made: Json; ask: Ask }> {
  const made = await create(admin, serviceTokensPath(domain, user), serviceTokenBody(portal, given));
  return { made, ask: asker(portal, made.token) };
}
