import type { z } from 'zod';
import type { Db, Statement } from '../../../db/client.ts';
import { skippingBeyond } from '../../../db/repositories/kept-rows.ts';
import type { Stake } from '../../../db/repositories/privileges.ts';
import { lockGuard } from '../../../db/repositories/statements.ts';
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
import { invalid } from '../../../shared/kernel/errors.ts';
import { canonicalJson } from '../../../shared/kernel/json.ts';
import type { WebuiCtx } from '../deps.ts';
import { directoryIdOf } from './directory-id.ts';
import { groupCrud } from './record.ts';
import { GroupWrite } from './schema.ts';

const { kind } = groupCrud;
type Write = z.output<typeof GroupWrite>;
type Row = Awaited<ReturnType<typeof kind.records.create>>;

/** @throws AppError `forbidden` when the group would skip the second factor for who holds more than the caller */
export async function createGroup(ctx: WebuiCtx, domain: string, body: Write): Promise<Answer> {
  const power = powerOver(ctx, body.skip_two_factor ? [{ parts: body.groups, any: body.meta_if_any }] : []);
  const made = wellMade(body);
  const dn = made.external_id;
  const sid = dn ? await directoryIdOf(ctx, domain, dn) : undefined;
  return power.explained(() =>
    createRecord(ctx, kind, made, {
      parent: domain,
      columns: { authenticator_id: domain, ...(sid !== undefined && { directory_id: sid }) },
      before: (h) => guarded(h, power.before(h)),
    }),
  );
}

/** A replacement need not repeat the directory name, which only creation sets. */
export const replaceGroup = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, ({ external_id = null }) => ({
    ...body,
    external_id: body.external_id ?? (external_id as string | null),
  }));

export const updateGroup = (ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(GroupWrite, current, patch));

/**
 * Whoever changes for whom a group skips the second factor must hold all that these people hold, those who come to
 * belong to it as well as those who did.
 */
async function change(
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
): Promise<Answer> {
  let explain: ReturnType<typeof powerOver>['explained'] = (work) => work();
  try {
    return await changeRecord(ctx, kind, at, (row) => {
      const body = become(writableOf(kind, row));
      // Of another type it would be made differently: the change of an immutable member is refused anyway.
      if (body.type !== row.type) return { body };
      const power = powerOver(ctx, stakesOf(row, wellMade(body)));
      explain = power.explained;
      return { body, before: (h) => guarded(h, power.before(h)) };
    });
  } catch (error) {
    return explain(() => Promise.reject(error));
  }
}

/** Whose second factor the change concerns; a state that holds it back for now does not make it anybody's to give. */
function stakesOf(row: Row, body: Write): Stake[] {
  const isMeta = body.type === 'meta';
  const isOtherwiseMade =
    body.meta_if_any !== row.meta_if_any || canonicalJson(body.groups) !== canonicalJson(row.groups);
  const isOtherState = body.state !== row.state;
  const concernsIt =
    body.skip_two_factor !== row.skip_two_factor ||
    (body.skip_two_factor && (isOtherState || (isMeta && isOtherwiseMade)));
  return [
    ...(concernsIt ? [{ membersOfGroup: row.id }] : []),
    ...(concernsIt && isMeta ? [{ parts: body.groups, any: body.meta_if_any }] : []),
    ...(!isMeta && isOtherState ? [{ membersOfPart: row.id }] : []),
  ];
}

/** The conditions of a write; the guard keeps changes of memberships from being judged at the same time. */
const guarded = (h: Db, conditions: readonly Statement[]): Statement[] =>
  conditions.length === 0 ? [] : [lockGuard(h, 'administrators'), ...conditions];

/** With the group goes what it let its members skip, so deleting it is such a change too. */
export function deleteGroup(ctx: WebuiCtx, at: Target): Promise<void> {
  const power = powerOver(ctx, [{ membersOfGroup: at.id }]);
  return power.explained(() =>
    removeRecord(ctx, kind, at, (row) =>
      row.skip_two_factor ? { before: (h) => guarded(h, power.before(h)) } : {},
    ),
  );
}

export const deleteGroups = (ctx: WebuiCtx, domain: string, body: { ids: string[] } | { all: true }) =>
  removeRecords(ctx, kind, body, { parent: domain, kept: [skippingBeyond(heldBy(ctx.actor))] });

/** A meta group is made of groups, and only of them; another one of none. */
function wellMade(body: Write): Write {
  const isMeta = body.type === 'meta';
  if (isMeta && body.groups.length === 0)
    throw invalid({ pointer: '/groups', code: 'required', detail: 'A meta group needs at least one group' });
  if (!isMeta && body.groups.length > 0)
    throw invalid({ pointer: '/groups', code: 'not_allowed', detail: 'Only a meta group is made of groups' });
  if (isMeta && body.external_id !== null)
    throw invalid({ pointer: '/external_id', code: 'not_allowed', detail: 'No directory has meta groups' });
  return body;
}
