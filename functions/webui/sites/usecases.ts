import type { z } from 'zod';
import { listAssignables } from '../../../db/repositories/assignables.ts';
import { openCursor, sealCursor } from '../../../shared/kernel/cursor.ts';
import type { WebuiCtx } from '../deps.ts';
import type { AssignableQuery } from './schema.ts';

/** Users and groups that a site can be given, by name over all domains. */
export async function listAssignable(ctx: WebuiCtx, { cursor, ...query }: z.output<typeof AssignableQuery>) {
  const { limit: _, ...filters } = query;
  const list = { resource: ctx.operation.id, filters, sort: 'name', scope: ctx.scope };
  const after = cursor === undefined ? undefined : await openCursor(ctx.deps.cursorSealer, list, cursor);
  const { items, next } = await listAssignables(ctx.deps.db, { ...query, after });
  return { items, next: next ? await sealCursor(ctx.deps.cursorSealer, list, next) : null };
}
