import type { z } from 'zod';
import type { Db } from '../../../db/client.ts';
import {
  revokeAccessOfDomain,
  revokeVouchedAccess,
} from '../../../db/repositories/identity/access-revocation.ts';
import { moveAuthority } from '../../../db/repositories/identity/directory/authority.ts';
import {
  administratorsBeyond,
  protectedDomains,
} from '../../../db/repositories/records/deletion-protection.ts';
import { mustKeepAdministrator } from '../../../db/repositories/records/privileges.ts';
import { lockGuard } from '../../../db/repositories/records/statements.ts';
import { registerTags } from '../../../db/repositories/sites/tags.ts';
import { accountOf, ownerOf } from '../../../shared/context/principal.ts';
import { heldBy, powerOver } from '../../../shared/context/privileges.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import {
  changeRecord,
  createRecord,
  removeRecord,
  removeRecords,
} from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import {
  administratorTypes,
  type DomainTypeName,
  domainTypeOf,
} from '../../../shared/identity/domains/registry.ts';
import {
  type Settled,
  type StoredSettings,
  settleSettings,
} from '../../../shared/identity/domains/settings.ts';
import { conflict } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { canonicalJson, isObject } from '../../../shared/kernel/json/json.ts';
import type { WebuiCtx } from '../deps.ts';
import { assertOwnEmailDomains } from './email-domains.ts';
import { firstKey } from './own-keys.ts';
import { authenticatorCrud } from './record.ts';
import { AuthenticatorWrite } from './schema.ts';

const { kind } = authenticatorCrud;
type Write = z.output<typeof AuthenticatorWrite>;

/** @throws AppError `invalid_request` for parameters that violate the type or the address policy */
export async function createAuthenticator(ctx: WebuiCtx, body: Write): Promise<Answer> {
  const id = newId();
  const { shown, columns } = await settle(ctx, id, body);
  await assertOwnEmailDomains(ctx, id, shown);
  const keys = await firstKey(ctx, { id, type: body.type, next: body.params });
  return createRecord(
    ctx,
    kind,
    { ...body, params: shown },
    {
      id,
      columns,
      after: (h) => [...registerTags(h, body.tags), ...keys(h)],
    },
  );
}

export const replaceAuthenticator = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(
    ctx,
    at,
    () => body,
    () => false,
  );

export const updateAuthenticator = (
  ctx: WebuiCtx,
  at: Target,
  patch: Record<string, unknown>,
): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(AuthenticatorWrite, current, patch), removedSecrets(patch));

/** Whether a stored secret is removed. */
type Removal = (secret: string) => boolean;

/** A merge patch removes a stored secret by `null`; a replacement keeps it. */
const removedSecrets =
  ({ params }: Record<string, unknown>): Removal =>
  (secret) =>
    params === null || (isObject(params) && params[secret] === null);

const withoutSecrets = ({ params, secrets }: StoredSettings, isRemoved: Removal): StoredSettings => ({
  params,
  secrets: Object.fromEntries(
    Object.entries(secrets).map(([name, sealed]) => [name, isRemoved(name) ? null : sealed]),
  ),
});

const settle = (
  { deps: { sealer, outbound }, parameters }: WebuiCtx,
  id: string,
  { type, params }: { type: DomainTypeName; params: Record<string, unknown> },
  stored?: StoredSettings,
): Promise<Settled> =>
  settleSettings({ sealer, outbound, parameters }, id, domainTypeOf(type), params, stored);

/**
 * A change that affects logins requires all permissions of the users of the domain. Servers and attributes of a
 * directory also determine the members of groups that skip the second factor.
 */
function change(
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
  isRemoved: Removal,
): Promise<Answer> {
  const overUsers = powerOver(ctx, [{ usersOfDomain: at.id }]);
  const overDirectory = powerOver(ctx, [{ usersOfDomain: at.id }], [{ groupsOfDomain: at.id }]);
  return overDirectory.explained(() =>
    changeRecord(ctx, kind, at, async (row) => {
      if (row.builtin) throw builtin();
      const requested = become(writableOf(kind, row));
      // Parameters of another type cannot be parsed here; the change of the immutable type is rejected later.
      if (requested.type !== row.type) return { body: requested };
      const { shown, columns } = await settle(ctx, at.id, requested, withoutSecrets(row, isRemoved));
      await assertOwnEmailDomains(ctx, at.id, shown);
      const body = { ...requested, params: shown };
      const keys = await firstKey(ctx, { id: at.id, type: row.type, next: body.params, former: row.params });
      const vouching = vouchingOf(row.type, row.params, body.params);
      const { after, ...extras } = alongside(at, body, { ...row, ...vouching }, { overUsers, overDirectory });
      return { body, columns, ...extras, after: (h: Db) => [...after(h), ...keys(h)] };
    }),
  );
}

type Powers = Record<'overUsers' | 'overDirectory', ReturnType<typeof powerOver>>;

/** The stored domain, whose type cannot change. `moved`: the issuers, if they differ; their configuration can also be elsewhere. */
type Present = Omit<Write, 'type'> & Vouching;
type Vouching = { moved: { former: string; next: string } | undefined; isVouchedElsewhere: boolean };

type Params = Record<string, unknown>;

function vouchingOf(type: DomainTypeName, stored: Params, params: Params): Vouching {
  const { authority, voucher } = domainTypeOf(type).settings;
  const [former, next] = [authority?.(stored), authority?.(params)];
  const isSame = former === undefined || next === undefined || former === next;
  return {
    moved: isSame ? undefined : { former, next },
    isVouchedElsewhere: voucher?.(stored) !== voucher?.(params),
  };
}

/** The conditions and side effects of a change, in its batch. */
function alongside(at: Target, body: Write, row: Present, { overUsers, overDirectory }: Powers) {
  const isDirectoryChanged = canonicalJson(body.params) !== canonicalJson(row.params);
  const tags = (h: Db) => registerTags(h, body.tags);
  if (!isDirectoryChanged && isLoginPossible(body, row)) return { after: tags };
  const power = isDirectoryChanged ? overDirectory : overUsers;
  const isDisabled = body.state === 'disabled' && row.state !== 'disabled';
  return {
    before: (h: Db) => [lockGuard(h, 'administrators'), ...power.before(h)],
    after: (h: Db) => [
      ...tags(h),
      mustKeepAdministrator(h, administratorTypes),
      ...(row.moved === undefined ? [] : moveAuthority(h, at.id, row.moved)),
      ...(row.isVouchedElsewhere ? revokeVouchedAccess(h, at.id) : []),
      ...(isDisabled ? revokeAccessOfDomain(h, at.id) : []),
    ],
  };
}

/** Includes name and label: another domain could take them over and collect the passwords for this one. */
const isLoginPossible = (body: Write, row: Omit<Present, keyof Vouching>): boolean =>
  (['name', 'small_name', 'state', 'subjects', 'two_factor'] as const).every(
    (member) => body[member] === row[member],
  );

export async function deleteAuthenticator(ctx: WebuiCtx, at: Target): Promise<void> {
  const power = powerOver(ctx, [{ usersOfDomain: at.id }]);
  await power.explained(() =>
    removeRecord(ctx, kind, at, (row) => {
      if (row.builtin) throw builtin();
      if (row.id === accountOf(ctx.principal)?.domainId)
        throw conflict('own_account', 'The domain contains your own account');
      return {
        before: (h) => [lockGuard(h, 'administrators'), ...power.before(h)],
        after: (h) => [mustKeepAdministrator(h, administratorTypes)],
      };
    }),
  );
}

export const deleteAuthenticators = (ctx: WebuiCtx, body: { ids: string[] } | { all: true }) =>
  removeRecords(ctx, kind, body, {
    before: (h) => [lockGuard(h, 'administrators')],
    protection: [
      ...protectedDomains(accountOf(ctx.principal)?.domainId, ownerOf(ctx.principal).id, administratorTypes),
      administratorsBeyond(heldBy(ctx.principal)),
    ],
  });

const builtin = () => conflict('builtin', 'The built-in domain cannot be changed or deleted');
