import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { revokeAccessOfUser } from '../../../db/repositories/identity/access-revocation.ts';
import {
  addProvisionedUser,
  changeProvisionedUser,
  findFormerUser,
  findProvisionedUser,
  leaveGroups,
  mustBeAsRead,
} from '../../../db/repositories/identity/scim/users.ts';
import { mustKeepAdministrator } from '../../../db/repositories/records/privileges.ts';
import { lockGuard } from '../../../db/repositories/records/statements.ts';
import { changesBetween, entityAction } from '../../../shared/context/audit-entry.ts';
import { accountDiffers } from '../../../shared/identity/account-members.ts';
import { administratorTypes } from '../../../shared/identity/domains/registry.ts';
import { applyChanges, changesOf, type PatchOperation } from '../../../shared/identity/scim/patch.ts';
import {
  attributesOf,
  fieldsOf,
  type ProvisionedUser,
  type UserFields,
  writableUser,
} from '../../../shared/identity/scim/users.ts';
import { assertVersion } from '../../../shared/identity/scim/versions.ts';
import { AppError, notFound } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import { foldName, startOf } from '../../../shared/kernel/text.ts';
import { type ScimScope, untilUncontested } from './scope.ts';

type StoredUser = NonNullable<Awaited<ReturnType<typeof findProvisionedUser>>>;
/** The target of a request: an identifier, and the header `If-Match`. */
export type Target = { id: string; ifMatch: string | undefined };

/** @throws AppError `not_found` */
export async function findUser({ ctx, domainId }: ScimScope, id: string): Promise<StoredUser> {
  const row = await findProvisionedUser(ctx.deps.db, domainId, id);
  if (!row) throw notFound();
  return row;
}

/**
 * Creates a user. One that provisioning itself has deleted or deactivated, with the same identifier and without roles, is active
 * again. One with the name alone gets the identifier if the account was never used.
 * @throws AppError `invalid_request`, `already_exists` with the reason
 */
export const createUser = (scope: ScimScope, body: Record<string, unknown>): Promise<ProvisionedUser> =>
  untilUncontested(undefined, async () => {
    const fields = fieldsOf(body);
    const former = await findFormer(scope, fields);
    if (!former) return insertUser(scope, fields);
    if (former.directory_id !== null) assertMayActivate(former, fields);
    const obstacle = obstacleTo(former, fields);
    if (obstacle) throw new AppError('already_exists', exists[obstacle], { reason: obstacle });
    return write(scope, former, fields, { restores: true });
  });

const findFormer = ({ ctx, domainId }: ScimScope, { directory_id: subject, name }: UserFields) =>
  findFormerUser(ctx.deps.db, domainId, { subject, nameKey: foldName(name) });

const exists = {
  active: 'A user with this name or identifier exists',
  in_use: 'An administrator must bind an account that is in use',
  deactivated_by_administrator: 'An administrator has deactivated the user',
} as const;

/** Why a request to create a user does not lead to this one. */
function obstacleTo(
  former: StoredUser,
  { directory_id: subject }: UserFields,
): keyof typeof exists | undefined {
  if (former.directory_id === null) {
    if (subject === null) return 'active';
    return former.hasRoles || former.last_login_at !== null ? 'in_use' : keptOut(former);
  }
  if (former.deprovisioned_at === null && former.state === 'active') return 'active';
  return keptOut(former);
}

const keptOut = ({ state, deactivated_by }: StoredUser) =>
  state === 'inactive' && deactivated_by !== 'provisioning' ? 'deactivated_by_administrator' : undefined;

async function insertUser({ ctx, domainId }: ScimScope, fields: UserFields): Promise<ProvisionedUser> {
  const id = newId();
  const object = { type: 'user', id, name: fields.name, revision: 1 } as const;
  const audit = entityAction(ctx, 'create', object, changesBetween({}, fields));
  const row = { id, authenticator_id: domainId, ...fields, name_key: foldName(fields.name) };
  const [created] = await atomically(ctx.deps.db, (h) => [
    addProvisionedUser(h, row),
    appendAudit(h, audit),
  ]).catch(taken);
  return onlyRow(created);
}

/** @throws AppError `already_exists` for a name or an identifier that another user has */
function taken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new AppError('already_exists', 'A user with this name or identifier exists', {}, { cause: error });
}

/** Writes that return their row are built on a row that the batch has locked. */
function onlyRow(result: unknown): ProvisionedUser {
  const [row] = result as ProvisionedUser[];
  if (!row) throw new Error('a write has returned no row');
  return row;
}

/**
 * Changes a user.
 * @param become returns the new fields, for the stored user
 * @throws AppError `not_found`, `precondition_failed`, `invalid_request`, `already_exists`, `forbidden`, `invalid_state` for the
 *   last administrator
 */
export const changeUser = (
  scope: ScimScope,
  { id, ifMatch }: Target,
  become: (row: StoredUser) => UserFields | Promise<UserFields>,
): Promise<ProvisionedUser> =>
  untilUncontested(ifMatch, async () => {
    const row = await findUser(scope, id);
    assertVersion(ifMatch, row);
    const fields = await become(row);
    if (canonicalJson(fields) === canonicalJson(writtenOf(row))) return row;
    assertMayActivate(row, fields);
    assertMayIdentify(row, fields);
    return write(scope, row, fields, {});
  });

/** Applies the operations of a PATCH. @throws AppError as `changeUser` */
export async function patchUser(
  scope: ScimScope,
  target: Target,
  operations: readonly PatchOperation[],
): Promise<ProvisionedUser> {
  const changes = await changesOf(operations, writableUser, scope.work);
  return changeUser(scope, target, async (row) =>
    fieldsOf(await applyChanges(attributesOf(row), changes, writableUser, scope.work), row),
  );
}

const writtenOf = (row: UserFields): UserFields => ({
  name: row.name,
  real_name: row.real_name,
  given_name: row.given_name,
  family_name: row.family_name,
  email: row.email,
  state: row.state,
  directory_id: row.directory_id,
});

/** Activation returns the roles to the account, and an identity provider does not grant roles. */
function assertMayActivate({ state, hasRoles }: StoredUser, next: UserFields): void {
  if (state === 'inactive' && next.state === 'active' && hasRoles)
    throw new AppError('forbidden', 'An administrator must activate an account with roles', {
      reason: 'has_roles',
    });
}

/**
 * The first identifier gives the account to a person at the identity provider, who was found by the name only. Before that, the
 * provider does not decide who an account with roles belongs to.
 */
function assertMayIdentify(row: StoredUser, next: UserFields): void {
  if (row.directory_id !== null) return;
  const isInUse = row.hasRoles || row.last_login_at !== null;
  if (isInUse && next.directory_id !== null)
    throw new AppError('forbidden', 'An administrator must bind an account that is in use', {
      reason: 'in_use',
    });
  if (row.hasRoles && accountDiffers(row, next, ['identity']))
    throw new AppError('forbidden', 'An administrator must rename an account with roles that is not bound', {
      reason: 'not_bound',
    });
}

type Options = { restores?: boolean; removes?: boolean };

async function write(
  { ctx }: ScimScope,
  row: StoredUser,
  fields: UserFields,
  { restores, removes }: Options,
): Promise<ProvisionedUser> {
  const ends = row.state === 'active' && fields.state === 'inactive';
  const object = { type: 'user', id: row.id, name: fields.name, revision: row.revision + 1 } as const;
  const audit = entityAction(ctx, 'update', object, changesBetween(writtenOf(row), fields));
  const deprovisioned_at = removes ? ctx.now : null;
  const columns = {
    ...fields,
    name_key: foldName(fields.name),
    ...((restores || removes) && { deprovisioned_at }),
    ...(row.state !== fields.state && { deactivated_by: ends ? ('provisioning' as const) : null }),
  };
  const results = await atomically(ctx.deps.db, (h) => [
    // Before the row, as in other writes that can concern administrators.
    lockGuard(h, 'administrators'),
    mustBeAsRead(h, row),
    changeProvisionedUser(h, row.id, columns),
    ...(removes ? [leaveGroups(h, row.id)] : []),
    ...(ends || removes ? endAccess(h, row.id) : []),
    appendAudit(h, audit),
  ]).catch(taken);
  return onlyRow(results[2]);
}

const endAccess = (h: Db, id: string): Statement[] => [
  mustKeepAdministrator(h, administratorTypes),
  ...revokeAccessOfUser(h, id),
];

/**
 * Ends the account. The row stays with its identifier, so that a later sign-in is refused, and gets another name, so that a new
 * user can have the name (RFC 7644, 3.6).
 * @throws AppError `not_found`, `precondition_failed`, `invalid_state` for the last administrator
 */
export const deleteUser = (scope: ScimScope, { id, ifMatch }: Target): Promise<void> =>
  untilUncontested(ifMatch, async () => {
    const row = await findUser(scope, id);
    assertVersion(ifMatch, row);
    const name = `${startOf(foldName(row.name), 95)}~${newId().replaceAll('-', '')}`;
    await write(scope, row, { ...writtenOf(row), name, state: 'inactive' }, { removes: true });
  });
