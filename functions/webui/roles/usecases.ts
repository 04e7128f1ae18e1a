import type { z } from 'zod';
import { mustHaveSites } from '../../../db/repositories/identity/roles.ts';
import { missingFor } from '../../../shared/context/rights.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord, createRecord, removeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError, conflict } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { roleCrud } from './record.ts';
import { RoleWrite } from './schema.ts';

const { kind } = roleCrud;
type Write = z.output<typeof RoleWrite>;

/** @throws AppError `forbidden` with the permissions that the caller would grant without holding them */
export async function createRole(ctx: WebuiCtx, body: Write): Promise<Answer> {
  return createRecord(ctx, kind, assertHeld(ctx, body), { before: (h) => mustHaveSites(h, body.scope) });
}

export const replaceRole = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => body);

export const updateRole = (ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(RoleWrite, current, patch));

/** The permissions of the role before and after the change must not exceed those of the caller. */
const change = (
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
): Promise<Answer> =>
  changeRecord(ctx, kind, at, (row) => {
    if (row.builtin) throw conflict('builtin', 'Built-in roles cannot be changed');
    assertHeld(ctx, row);
    const body = assertHeld(ctx, become(writableOf(kind, row)));
    return { body, before: (h) => mustHaveSites(h, body.scope) };
  });

export const deleteRole = (ctx: WebuiCtx, at: Target): Promise<void> =>
  removeRecord(ctx, kind, at, (row) => {
    if (row.builtin) throw conflict('builtin', 'Built-in roles cannot be deleted');
    return {};
  });

function assertHeld<T extends { permissions: string[]; scope: { sites: '*' | string[] } }>(
  ctx: WebuiCtx,
  role: T,
): T {
  const missing = missingFor(ctx.principal, [role]);
  if (missing.length > 0)
    throw new AppError('forbidden', 'Callers can grant only permissions that they have', { missing });
  return role;
}
