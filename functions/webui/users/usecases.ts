import type { z } from 'zod';
import type { Db, Statement } from '../../../db/client.ts';
import {
  endCredentials,
  revokeAccessOfUser,
  theUser,
} from '../../../db/repositories/identity/access-revocation.ts';
import { authenticators } from '../../../db/repositories/identity/authenticators.ts';
import { liftLocks } from '../../../db/repositories/identity/login/logins.ts';
import { removeSecondFactors } from '../../../db/repositories/identity/second-factors.ts';
import { revokeTokensOf } from '../../../db/repositories/identity/service-tokens.ts';
import { accountKey } from '../../../db/repositories/identity/users.ts';
import { protectedUsers } from '../../../db/repositories/records/deletion-protection.ts';
import { type AffectedRoles, mustKeepAdministrator } from '../../../db/repositories/records/privileges.ts';
import { lockGuard } from '../../../db/repositories/records/statements.ts';
import { ownerOf } from '../../../shared/context/principal.ts';
import { heldBy, powerOver } from '../../../shared/context/privileges.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import {
  changeRecord,
  createRecord,
  type Extras,
  removeRecord,
  removeRecords,
} from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { accountDiffers } from '../../../shared/identity/account-members.ts';
import { administratorTypes, domainTypeOf } from '../../../shared/identity/domains/registry.ts';
import { retirePassword } from '../../../shared/identity/password-history.ts';
import { assertPassword } from '../../../shared/identity/password-policy.ts';
import { conflict, invalid, notFound } from '../../../shared/kernel/errors.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import type { WebuiCtx } from '../deps.ts';
import { userCrud } from './record.ts';
import { UserWrite } from './schema.ts';
import { writableBody } from './writable-body.ts';

const { kind } = userCrud;
type Write = z.output<typeof UserWrite>;
type Row = Awaited<ReturnType<typeof kind.records.create>>;

/** @throws AppError `forbidden` with the permissions that the roles grant and the caller lacks */
export async function createUser(ctx: WebuiCtx, domainId: string, requested: Write): Promise<Answer> {
  const domain = await authenticators.find(ctx.deps.db, domainId, { scope: '*' });
  if (!domain) throw notFound();
  const { supports } = domainTypeOf(domain.type);
  const body = writableBody(supports, requested);
  if (!supports.createsUsers && body.kind === 'person') throw notAddedHere();
  if (supports.ownPassword && body.kind === 'person' && body.password === null) throw passwordRequired();
  const secret = supports.ownPassword ? await passwordColumns(ctx, body, domain.two_factor) : {};
  const columns = { authenticator_id: domainId, ...secret };
  const power = powerOver(ctx, [{ assigned: body.roles }], [{ domain: domainId, joins: body.groups }]);
  return createRecord(ctx, kind, body, { parent: domainId, columns, ...power });
}

export const replaceUser = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => ({ body, lifts: false, resets: false }));

export const updateUser = (
  ctx: WebuiCtx,
  at: Target,
  { locked_until, two_factor_enrolled, ...patch }: Record<string, unknown>,
): Promise<Answer> =>
  change(ctx, at, (current) => ({
    body: applyPatch(UserWrite, current, patch),
    lifts: locked_until === null,
    resets: two_factor_enrolled === false,
  }));

type RequestedChange = { body: Write; lifts: boolean; resets: boolean };

/**
 * Changes a user. Adding or removing a role requires its permissions. Changing the password, the state, the name, the address or
 * anything that weakens the login requires all permissions of the user. A new password ends the sessions of the user.
 */
const change = (
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => RequestedChange,
): Promise<Answer> =>
  changeRecord(ctx, kind, at, async (row) => {
    const requested = become(writableOf(kind, row));
    const { lifts, resets, changes } = easingsOf(requested, row);
    const { supports } = domainTypeOf(row.domain_type);
    const body = writableBody(supports, requested.body, row);
    assertOwnAccount(ctx, row, body, resets);
    const joins = { domain: row.authenticator_id, user: row.id, joins: body.groups };
    const power = powerOver(ctx, stakesOf(row, body, lifts || resets), [joins]);
    const isNewKind = body.kind !== row.kind;
    const isNewPassword = body.password !== null || isNewKind;
    const setsPassword = isNewPassword && supports.ownPassword;
    const retire = setsPassword ? await retireCurrent(ctx, row) : () => [];
    return {
      body,
      columns: {
        password: undefined,
        // What an administrator has deactivated, provisioning does not activate.
        ...(body.state !== row.state && { deactivated_by: null }),
        ...(setsPassword && (await passwordColumns(ctx, body, row.domain_two_factor ?? false))),
      },
      changes,
      explained: power.explained,
      before: (h) => [
        lockGuard(h, 'administrators'),
        ...power.before(h),
        ...(lifts ? [liftLocks(h, accountKey(row.authenticator_id, foldName(row.name)))] : []),
      ],
      after: (h) =>
        consequences(h, row, {
          ...{ isNewPassword, isNewKind, resets, retire },
          ...{ disables: disables(row, body), losesRole: losesRole(row, body) },
        }),
    };
  });

/**
 * Actions that the patch requests in addition to field changes. Unchanged values are ignored, so the object can be
 * sent as it was read.
 */
function easingsOf(requested: RequestedChange, row: Row) {
  const lifts = requested.lifts && row.locked_until !== null;
  const resets = requested.resets && row.two_factor_enrolled;
  const changes = [
    ...(lifts ? [{ field: 'locked_until', before: row.locked_until, after: null }] : []),
    ...(resets ? [{ field: 'two_factor_enrolled', before: true, after: false }] : []),
  ];
  return { lifts, resets, changes };
}

const disables = (row: Row, body: Write): boolean => body.state === 'inactive' && row.state !== 'inactive';

const losesRole = (row: Row, body: Write): boolean => row.roles.some((id) => !body.roles.includes(id));

type Changed = {
  isNewPassword: boolean;
  isNewKind: boolean;
  resets: boolean;
  disables: boolean;
  losesRole: boolean;
  retire: (h: Db) => Statement[];
};

function consequences(
  h: Db,
  row: Row,
  { isNewPassword, isNewKind, resets, retire, disables: ends, losesRole: loses }: Changed,
): Statement[] {
  return [
    mustKeepAdministrator(h, administratorTypes),
    ...(ends ? revokeAccessOfUser(h, row.id) : []),
    ...(isNewPassword ? endCredentials(h, 'password_reset', { users: theUser(row.id) }) : []),
    ...(resets
      ? [
          ...removeSecondFactors(h, row.id),
          ...endCredentials(h, 'second_factor_reset', { users: theUser(row.id) }),
        ]
      : []),
    ...(loses ? endCredentials(h, 'role_removed', { users: theUser(row.id) }) : []),
    // A service has tokens from administrators only, and a person only own ones. Deleting them here ensures that they are
    // not valid again if the user gets the former kind once more.
    ...(isNewKind ? [revokeTokensOf(h, row.id)] : []),
    ...retire(h),
  ];
}

/** Permissions that this change requires: all of the user, if it concerns who the account belongs to or how it is used. */
function stakesOf(row: Row, body: Write, eases: boolean): AffectedRoles[] {
  // A password of the body is a new one. The stored row has the hash of the present one.
  const overpowers = eases || accountDiffers({ ...row, password: null }, body, ['identity', 'login']);
  return [{ assigned: body.roles, user: row.id }, ...(overpowers ? [{ user: row.id }] : [])];
}

/**
 * @throws AppError `invalid_state`: users cannot lock themselves out, extend their own permissions, or change
 *   their password without the current one
 */
function assertOwnAccount(ctx: WebuiCtx, row: Row, body: Write, resets: boolean): void {
  if (row.id !== ownerOf(ctx.principal).id) return;
  const sameRoles = JSON.stringify([...row.roles].sort()) === JSON.stringify(body.roles);
  const isOther = body.state !== row.state || body.kind !== row.kind || !sameRoles;
  if (isOther || resets || body.password !== null) {
    throw conflict(
      'own_account',
      'You cannot change the state, kind, password, second factor or roles of your own account here',
    );
  }
}

/** The previous password is added to those that cannot be reused. */
const retireCurrent = async ({ deps, now }: WebuiCtx, { id, password: hash }: Row) =>
  hash === null ? () => [] : retirePassword(deps.sealer, { userId: id, hash, at: now });

/** Services have no password; a person keeps the stored one unless a new one is given. */
async function passwordColumns(
  ctx: WebuiCtx,
  body: Write,
  twoFactor: boolean,
): Promise<Record<string, unknown>> {
  if (body.kind === 'service') {
    if (body.password !== null)
      throw invalid({
        pointer: '/password',
        code: 'not_allowed',
        detail: 'A user of the kind `service` cannot have a password',
      });
    return { password_hash: null };
  }
  if (body.password === null) throw passwordRequired();
  assertPassword(body.password, { name: body.name, domain: { twoFactor } }, ctx.parameters, '/password');
  const place = { line: 'signed-in', owner: ownerOf(ctx.principal).id } as const;
  return { password_hash: await ctx.deps.hasher.hash(body.password, place), password_changed_at: ctx.now };
}

const notAddedHere = () =>
  invalid({
    pointer: '/kind',
    code: 'not_allowed',
    detail: 'Users of this domain are added by their first sign-in or by provisioning',
  });

const passwordRequired = () =>
  invalid({
    pointer: '/password',
    code: 'required',
    detail: 'A user of the kind `person` requires a password',
  });

export async function deleteUser(ctx: WebuiCtx, at: Target): Promise<void> {
  const power = powerOver(ctx, [{ user: at.id }]);
  await removeRecord(ctx, kind, at, (row): Extras => {
    if (row.id === ownerOf(ctx.principal).id)
      throw conflict('own_account', 'You cannot delete your own account');
    return {
      explained: power.explained,
      before: (h) => [lockGuard(h, 'administrators'), ...power.before(h)],
      after: (h) => [mustKeepAdministrator(h, administratorTypes)],
    };
  });
}

export const deleteUsers = (ctx: WebuiCtx, domainId: string, body: { ids: string[] } | { all: true }) =>
  removeRecords(ctx, kind, body, {
    parent: domainId,
    before: (h) => [lockGuard(h, 'administrators')],
    protection: protectedUsers(ownerOf(ctx.principal).id, heldBy(ctx.principal), administratorTypes),
  });
