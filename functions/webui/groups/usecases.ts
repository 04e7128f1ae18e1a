import type { z } from 'zod';
import { skippingBeyond } from '../../../db/repositories/kept-rows.ts';
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
import type { WebuiCtx } from '../deps.ts';
import { groupCrud } from './record.ts';
import { GroupWrite } from './schema.ts';

const { kind } = groupCrud;
type Write = z.output<typeof GroupWrite>;

export async function createGroup(ctx: WebuiCtx, domain: string, body: Write): Promise<Answer> {
  return createRecord(ctx, kind, assertBuilt(body), {
    parent: domain,
    columns: { authenticator_id: domain },
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

/** Whoever changes that a group skips the second factor must hold all that its members hold. */
function change(
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
): Promise<Answer> {
  const power = powerOver(ctx, [{ membersOfGroup: at.id }]);
  return power.explained(() =>
    changeRecord(ctx, kind, at, (row) => {
      const body = assertBuilt(become(writableOf(kind, row)));
      return body.skip_two_factor === row.skip_two_factor ? { body } : { body, before: power.before };
    }),
  );
}

/** With the group goes what it let its members skip, so deleting it is such a change too. */
export function deleteGroup(ctx: WebuiCtx, at: Target): Promise<void> {
  const power = powerOver(ctx, [{ membersOfGroup: at.id }]);
  return power.explained(() =>
    removeRecord(ctx, kind, at, (row) => (row.skip_two_factor ? { before: power.before } : {})),
  );
}

export const deleteGroups = (ctx: WebuiCtx, domain: string, body: { ids: string[] } | { all: true }) =>
  removeRecords(ctx, kind, body, { parent: domain, kept: [skippingBeyond(heldBy(ctx.actor))] });

function assertBuilt(body: Write): Write {
  if (body.type === 'group') return body;
  throw invalid({ pointer: '/type', code: 'not_available', detail: 'Not available in this version' });
}
