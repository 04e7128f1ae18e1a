import { and, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db, Statement } from '../../client.ts';
import { authenticators } from '../../schema/identity/authenticators.ts';
import { groupParts } from '../../schema/identity/group-parts.ts';
import { groupMembers, groups } from '../../schema/identity/groups.ts';
import { peerRoles } from '../../schema/identity/peers.ts';
import { roles, userRoles } from '../../schema/identity/roles.ts';
import { users } from '../../schema/identity/users.ts';
import { appliesTo, membersOf, membersOfParts } from './membership.ts';
import { arrayOf, must } from './statements.ts';

/** Granted permissions, each with the sites for which it is granted. */
export type GrantedPermissions = Record<string, '*' | readonly string[]>;

/** Selects the roles affected by a change. */
export type AffectedRoles =
  | { user: string }
  | { peer: string }
  | { usersOfDomain: string }
  | { membersOfGroup: string }
  /** The effective members of a meta group with these parts. */
  | { parts: readonly string[]; any: boolean }
  /** Roles that a write grants to or revokes from a user; `user` is absent for a new user. */
  | { assigned: readonly string[]; user?: string };

/** A membership change that may affect groups that waive the enrolment of a second factor. */
export type SkipChange =
  /** The groups of a user of the domain after the write; `user` is absent for a new user. */
  | { domain: string; user?: string; joins: readonly string[] }
  /** The state of a group that may be part of such a meta group. */
  | { part: string }
  /** A setting that determines the groups of all users of a domain. */
  | { groupsOfDomain: string };

/** Fails the batch if the change affects which users are exempt from a second factor. */
export const mustNotChangeSkipping = (h: Db, change: SkipChange): Statement =>
  must(h, sql`not ${changesSkipping(change)}`, 'forbidden:privilege');

export async function isSkippingChanged(db: Db, change: SkipChange): Promise<boolean> {
  const [row] = await db
    .select({ is: sql<boolean>`${changesSkipping(change)}` })
    .from(sql`(values (1)) as once`);
  return row?.is ?? false;
}

/** Fails the batch unless the caller's permissions include all affected ones, to prevent privilege escalation. */
export const mustCover = (h: Db, held: GrantedPermissions, stake: AffectedRoles): Statement =>
  must(h, sql`not exists(select 1 ${excess(held, rolesAt(stake))})`, 'forbidden:privilege');

/** Returns the affected permissions that the caller does not have, for the error details. */
export async function lacking(db: Db, held: GrantedPermissions, stake: AffectedRoles): Promise<string[]> {
  const rows = await db
    .selectDistinct({ permission: sql<string>`permission` })
    .from(sql`(select permission ${excess(held, rolesAt(stake))}) as lacked`)
    .orderBy(sql`permission`);
  return rows.map(({ permission }) => permission);
}

/** The condition that a user has more permissions than these, for bulk deletion. */
export const exceeds = (held: GrantedPermissions, user: PgColumn | SQL): SQL =>
  sql`exists(select 1 ${excess(held, inArray(roles.id, sql`(select ${userRoles.role_id} from ${userRoles} where ${userRoles.user_id} = ${user})`))})`;

/**
 * Users who can administer the installation: active, with the built-in role, in an enabled domain for staff that
 * stores passwords locally, because a directory may be unavailable.
 */
export const administrators = (domainTypes: readonly string[]): SQL => sql`(
  select ${users.id} from ${users} join ${authenticators} on ${authenticators.id} = ${users.authenticator_id}
  join ${userRoles} on ${userRoles.user_id} = ${users.id} join ${roles} on ${roles.id} = ${userRoles.role_id}
  where ${and(eq(users.state, 'active'), eq(users.kind, 'person'), ne(authenticators.state, 'disabled'), ne(authenticators.subjects, 'users'), inArray(authenticators.type, [...domainTypes]), roles.builtin, eq(roles.name, 'administrator'))})`;

/** Fails the batch if no administrator would remain. Lock the guard `administrators` first. */
export const mustKeepAdministrator = (h: Db, domainTypes: readonly string[]): Statement =>
  must(h, sql`exists${administrators(domainTypes)}`, 'invalid_state:last_administrator');

/** `from … where …`: each role with a permission that is not granted for all its sites. */
function excess(held: GrantedPermissions, which: SQL | undefined): SQL {
  const own = sql`(${JSON.stringify(held)}::jsonb -> permission)`;
  const sites = sql`(${roles.scope} -> 'sites')`;
  return sql`from ${roles} cross join lateral unnest(${roles.permissions}) as permission
    where ${which} and (${own} is null or (${own} <> '"*"' and (${sites} = '"*"' or not ${sites} <@ ${own})))`;
}

function rolesAt(stake: AffectedRoles): SQL | undefined {
  if ('assigned' in stake) return differing(stake.assigned, stake.user);
  if ('peer' in stake) {
    return sql`${roles.id} in (select ${peerRoles.role_id} from ${peerRoles} where ${peerRoles.peer_id} = ${stake.peer}::uuid)`;
  }
  if ('usersOfDomain' in stake) {
    return heldByUsers(
      sql`select ${users.id} from ${users} where ${users.authenticator_id} = ${stake.usersOfDomain}`,
    );
  }
  if ('membersOfGroup' in stake) return heldByUsers(membersOf(sql`${stake.membersOfGroup}::uuid`));
  if ('parts' in stake) return heldByUsers(membersOfParts(arrayOf(stake.parts), stake.any));
  return heldByUsers(sql`select ${stake.user}::uuid`);
}

const heldByUsers = (who: SQL): SQL =>
  sql`${roles.id} in (select ${userRoles.role_id} from ${userRoles} where ${userRoles.user_id} in (${who}))`;

/** Roles that the write adds to or removes from the user. */
function differing(assigned: readonly string[], user: string | undefined): SQL | undefined {
  const isAssigned = sql`${roles.id} = any(${arrayOf(assigned)})`;
  if (user === undefined) return isAssigned;
  const present = heldByUsers(sql`select ${user}::uuid`);
  return or(and(isAssigned, sql`not ${present}`), and(present, sql`not ${isAssigned}`));
}

function changesSkipping(change: SkipChange): SQL {
  if ('part' in change) {
    return sql`exists(select 1 from ${groupParts} as link join ${groups} as meta on meta.id = link.group_id
      where link.part_id = ${change.part}::uuid and meta.skip_two_factor)`;
  }
  if ('groupsOfDomain' in change)
    return sql`exists(select 1 from ${groups} as skipping where skipping.skip_two_factor
      and skipping.authenticator_id = ${change.groupsOfDomain}::uuid)`;
  const group = sql`skipping`;
  const present =
    change.user === undefined
      ? sql`'{}'::uuid[]`
      : sql`array(select ${groupMembers.group_id} from ${groupMembers} where ${groupMembers.user_id} = ${change.user}::uuid)`;
  return sql`exists(select 1 from ${groups} as ${group} where ${group}.skip_two_factor
    and ${group}.authenticator_id = ${change.domain}::uuid
    and ${appliesTo(group, arrayOf(change.joins))} is distinct from ${appliesTo(group, present)})`;
}
