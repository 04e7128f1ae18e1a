import type { z } from 'zod';
import { endAccessOfDomain } from '../../../db/repositories/access-end.ts';
import { administratorsBeyond, keptDomains } from '../../../db/repositories/kept-rows.ts';
import { mustKeepAdministrator } from '../../../db/repositories/privileges.ts';
import { lockGuard } from '../../../db/repositories/statements.ts';
import { registerTags } from '../../../db/repositories/tags.ts';
import type { Answer } from '../../../shared/http/answer.ts';
import type { Target } from '../../../shared/http/crud-declarations.ts';
import { heldBy, powerOver } from '../../../shared/http/privileges.ts';
import { writableOf } from '../../../shared/http/record-kind.ts';
import {
  changeRecord,
  createRecord,
  removeRecord,
  removeRecords,
} from '../../../shared/http/record-writes.ts';
import { applyPatch } from '../../../shared/http/write-shapes.ts';
import { conflict } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { canonicalJson, isObject } from '../../../shared/kernel/json.ts';
import type { WebuiCtx } from '../deps.ts';
import { settleParams } from './params.ts';
import { authenticatorCrud } from './record.ts';
import { AuthenticatorWrite } from './schema.ts';

const { kind } = authenticatorCrud;
type Write = z.output<typeof AuthenticatorWrite>;

/** @throws AppError `invalid_request` for parameters that do not fit the type or the address policy */
export async function createAuthenticator(ctx: WebuiCtx, body: Write): Promise<Answer> {
  const id = newId();
  const { shown, columns } = await settleParams(ctx, id, body);
  return createRecord(
    ctx,
    kind,
    { ...body, params: shown },
    {
      id,
      columns,
      after: (h) => registerTags(h, body.tags),
    },
  );
}

export const replaceAuthenticator = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => body, false);

export const updateAuthenticator = (
  ctx: WebuiCtx,
  at: Target,
  patch: Record<string, unknown>,
): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(AuthenticatorWrite, current, patch), isSecretRemoved(patch));

/** A merge patch removes the stored bind password by `null`; a replacement keeps it. */
const isSecretRemoved = ({ params }: Record<string, unknown>): boolean =>
  params === null || (isObject(params) && params.bind_password === null);

/** How people log in may be changed only by who holds all that they hold. */
function change(
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
  removesSecret: boolean,
): Promise<Answer> {
  const power = powerOver(ctx, [{ usersOfDomain: at.id }]);
  return power.explained(() =>
    changeRecord(ctx, kind, at, async (row) => {
      if (row.builtin) throw builtin();
      const asked = become(writableOf(kind, row));
      // Parameters of another type would only be read wrongly: the change of an immutable member is refused anyway.
      if (asked.type !== row.type) return { body: asked };
      const { shown, columns } = await settleParams(
        ctx,
        at.id,
        asked,
        removesSecret ? { ...row, sealed_password: null } : row,
      );
      const body = { ...asked, params: shown };
      if (!concernsLogin(row, body)) return { body, columns, after: (h) => registerTags(h, body.tags) };
      return {
        body,
        columns,
        before: (h) => [lockGuard(h, 'administrators'), ...power.before(h)],
        after: (h) => [
          ...registerTags(h, body.tags),
          mustKeepAdministrator(h),
          ...(body.state === 'disabled' && row.state !== 'disabled' ? endAccessOfDomain(h, at.id) : []),
        ],
      };
    }),
  );
}

type Judged = Pick<Write, 'name' | 'small_name' | 'state' | 'subjects' | 'two_factor' | 'params'>;

/** By name and label too: another domain could take them, and with them the passwords that are meant for this one. */
const concernsLogin = (row: Judged, body: Judged): boolean =>
  body.name !== row.name ||
  body.small_name !== row.small_name ||
  body.state !== row.state ||
  body.subjects !== row.subjects ||
  body.two_factor !== row.two_factor ||
  canonicalJson(body.params) !== canonicalJson(row.params);

export async function deleteAuthenticator(ctx: WebuiCtx, at: Target): Promise<void> {
  const power = powerOver(ctx, [{ usersOfDomain: at.id }]);
  await power.explained(() =>
    removeRecord(ctx, kind, at, (row) => {
      if (row.builtin) throw builtin();
      if (row.id === ctx.actor.domain.id)
        throw conflict('own_account', 'The domain holds the account of the caller');
      return {
        before: (h) => [lockGuard(h, 'administrators'), ...power.before(h)],
        after: (h) => [mustKeepAdministrator(h)],
      };
    }),
  );
}

export const deleteAuthenticators = (ctx: WebuiCtx, body: { ids: string[] } | { all: true }) =>
  removeRecords(ctx, kind, body, {
    before: (h) => [lockGuard(h, 'administrators')],
    kept: [...keptDomains(ctx.actor.domain.id, ctx.actor.user.id), administratorsBeyond(heldBy(ctx.actor))],
  });

const builtin = () => conflict('builtin', 'The built-in domain cannot be changed or deleted');
