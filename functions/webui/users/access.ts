import type { z } from 'zod';
import { readUserAccess } from '../../../db/repositories/identity/access/user-access.ts';
import { type Permission, permissions } from '../../../shared/context/permissions.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import { scopeOf } from '../../../shared/context/rights.ts';
import { domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { aliveSince, showSession } from '../../../shared/identity/login-sessions.ts';
import { Passkey } from '../../../shared/identity/passkeys/passkey.ts';
import { ServiceToken } from '../../../shared/identity/service-tokens.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { viewOf } from '../../../shared/shapes/views.ts';
import type { WebuiCtx } from '../deps.ts';
import type { refusals, UserAccess } from './access-schema.ts';

type Found = NonNullable<Awaited<ReturnType<typeof readUserAccess>>>;
type Access = z.input<typeof UserAccess>;
type Sites = NonNullable<Access['roles']>[number]['sites'];
type Refusal = (typeof refusals)[number];

const token = viewOf(ServiceToken);
const passkey = viewOf(Passkey);

/** @throws AppError `not_found` */
export async function showAccess(ctx: WebuiCtx, id: string): Promise<Access> {
  const { principal, deps } = ctx;
  const reads = (permission: Permission): boolean => scopeOf(principal, permission) !== undefined;
  const query = { since: aliveSince(ctx), sites: scopeOf(principal, 'sites.read') };
  const found = await readUserAccess(deps.db, id, query);
  if (!found) throw notFound();
  const show = showSession(ctx);
  const { sessions, tokens, groups } = found;
  const isActive = ({ state }: Found['groups'][number]) => state === 'active';
  return {
    is_self: ownerOf(principal).id === id,
    refusals: refusalsOf(found),
    must_change_password: found.must_change_password,
    ...bindingOf(found),
    roles: reads('roles.read') ? rolesOf(found) : null,
    permissions: reads('roles.read') ? permissionsOf(found) : null,
    groups: reads('groups.read') ? groups : null,
    two_factor: {
      enrolled_at: found.enrolled_at?.toISOString() ?? null,
      is_required: found.domain.two_factor,
      is_waived: groups.filter(isActive).some(({ skip_two_factor }) => skip_two_factor),
    },
    passkeys: found.passkeys.map(passkey),
    locks: found.locks.map(({ locked_until, ...lock }) => ({
      ...lock,
      locked_until: locked_until?.toISOString() ?? '',
    })),
    sessions: { items: sessions.map(show), total: sessions[0]?.total ?? 0 },
    tokens: { items: tokens.map(token), total: tokens[0]?.total ?? 0 },
  };
}

/** A service user does not sign in, and needs no person outside of the portal. */
function bindingOf({ domain, directory_id, kind }: Found): Pick<Access, 'binding' | 'bound_by' | 'tenants'> {
  const { binding } = domainTypeOf(domain.type);
  if (!binding || kind === 'service') return { binding: 'none', bound_by: null, tenants: [] };
  return {
    binding: directory_id === null ? 'unbound' : 'bound',
    bound_by: binding.by,
    tenants: binding.by === 'subject' ? [...binding.tenantsOf(domain.params)] : [],
  };
}

/** The conditions of a login that do not depend on the credentials. */
function refusalsOf(found: Found): Refusal[] {
  const { state, kind, domain, roles, last_login_at } = found;
  const isStaff = roles.length > 0;
  const { binding, bound_by } = bindingOf(found);
  const reasons: Record<Refusal, boolean> = {
    user_inactive: state === 'inactive',
    domain_disabled: domain.state === 'disabled',
    service_account: kind === 'service',
    users_only: domain.subjects === 'users' && isStaff,
    staff_only: domain.subjects === 'staff' && !isStaff,
    // The first login binds a user of a directory by the name if the account was never used.
    not_bound: binding === 'unbound' && (bound_by === 'subject' || isStaff || last_login_at !== null),
  };
  return (Object.keys(reasons) as Refusal[]).filter((reason) => reasons[reason]);
}

const sitesOf = ({ siteNames }: Found, ids: '*' | readonly string[]): Sites => {
  if (ids === '*') return ids;
  const names = new Map(siteNames.map(({ id, name }) => [id, name]));
  return ids.map((id) => ({ id, name: names.get(id) ?? null }));
};

const rolesOf = (found: Found): Access['roles'] =>
  found.roles.map(({ scope, ...role }) => ({ ...role, sites: sitesOf(found, scope.sites) }));

/** Each permission with the union of the sites of the roles that grant it. */
function permissionsOf(found: Found): Access['permissions'] {
  return permissions.flatMap((id) => {
    const granting = found.roles.filter((role) => role.permissions.includes(id));
    if (granting.length === 0) return [];
    const scopes = granting.map(({ scope }) => scope.sites);
    const ids = scopes.includes('*')
      ? '*'
      : [...new Set(scopes.flatMap((sites) => (sites === '*' ? [] : sites)))];
    return [{ id, sites: sitesOf(found, ids), roles: granting.map((role) => role.id) }];
  });
}
