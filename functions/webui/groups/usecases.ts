import type { z } from 'zod';
import type { Db, Statement } from '../../../db/client.ts';
import { skippingGroups } from '../../../db/repositories/records/deletion-protection.ts';
import { lockGuard } from '../../../db/repositories/records/statements.ts';
import { assertMaySkip, maySkip, powerOver } from '../../../shared/context/privileges.ts';
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
import { invalid } from '../../../shared/kernel/errors.ts';
import { canonicalJson } from '../../../shared/kernel/json/json.ts';
import type { WebuiCtx } from '../deps.ts';
import { directoryIdOf } from './directory-id.ts';
import { groupCrud } from './record.ts';
import { GroupWrite } from './schema.ts';

const { kind } = groupCrud;
type Write = z.output<typeof GroupWrite>;
type Row = Awaited<ReturnType<typeof kind.records.create>>;

/**
 * @throws AppError `forbidden` for a group that skips the second factor, without every permission for all sites;
 * `invalid_request` for an `external_id` that is not a distinguished name
 */
export async function createGroup(ctx: WebuiCtx, domain: string, body: Write): Promise<Answer> {
  if (body.skip_two_factor) assertMaySkip(ctx);
  const made = wellMade(body);
  const sid = await directoryIdOf(ctx, domain, made.external_id);
  return createRecord(ctx, kind, made, {
    parent: domain,
    columns: { authenticator_id: domain, ...(sid !== undefined && { directory_id: sid }) },
  });
}

/** A replacement need not repeat the directory name, which only creation sets. */
export const replaceGroup = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, ({ external_id = null }) => ({
    ...body,
    external_id: body.external_id ?? (external_id as string | null),
  }));

export const updateGroup = (ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(GroupWrite, current, patch));

/** Changing which users skip the second factor requires every permission for all sites. */
const change = (
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
): Promise<Answer> =>
  changeRecord(ctx, kind, at, (row) => {
    const body = become(writableOf(kind, row));
    // Another type cannot be handled here; the change of the immutable type is rejected later.
    if (body.type !== row.type) return { body };
    if (concernsSkipping(row, wellMade(body))) assertMaySkip(ctx);
    const isOtherState = body.type === 'group' && body.state !== row.state;
    const power = powerOver(ctx, [], isOtherState ? [{ part: row.id }] : []);
    return { body, explained: power.explained, before: (h) => guarded(h, power.before(h)) };
  });

/** True if the change affects which users skip the second factor, even while the group is inactive. */
function concernsSkipping(row: Row, body: Write): boolean {
  const isOtherwiseMade =
    body.meta_if_any !== row.meta_if_any || canonicalJson(body.groups) !== canonicalJson(row.groups);
  return (
    body.skip_two_factor !== row.skip_two_factor ||
    (row.skip_two_factor && (body.state !== row.state || isOtherwiseMade))
  );
}

/** The conditions of a write. The guard serializes checks of membership changes. */
const guarded = (h: Db, conditions: readonly Statement[]): Statement[] =>
  conditions.length === 0 ? [] : [lockGuard(h, 'administrators'), ...conditions];

/** Deleting the group ends the exemption of its members, so it counts as such a change. */
export const deleteGroup = (ctx: WebuiCtx, at: Target): Promise<void> =>
  removeRecord(ctx, kind, at, (row) => {
    if (row.skip_two_factor) assertMaySkip(ctx);
    return {};
  });

export const deleteGroups = (ctx: WebuiCtx, domain: string, body: { ids: string[] } | { all: true }) =>
  removeRecords(ctx, kind, body, { parent: domain, protection: maySkip(ctx) ? [] : [skippingGroups] });

/** A meta group consists of groups; other groups contain none. */
function wellMade(body: Write): Write {
  const isMeta = body.type === 'meta';
  if (isMeta && body.groups.length === 0)
    throw invalid({
      pointer: '/groups',
      code: 'required',
      detail: 'A meta group must contain at least one group',
    });
  if (!isMeta && body.groups.length > 0)
    throw invalid({ pointer: '/groups', code: 'not_allowed', detail: 'Only meta groups can contain groups' });
  if (isMeta && body.external_id !== null)
    throw invalid({
      pointer: '/external_id',
      code: 'not_allowed',
      detail: 'Meta groups have no directory name',
    });
  return body;
}
