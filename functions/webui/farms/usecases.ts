import type { z } from 'zod';
import { raisedByMust } from '../../../db/errors.ts';
import { mustFitItsRules, rulesWithFarm } from '../../../db/repositories/routing/rules.ts';
import { readingOf } from '../../../shared/context/rights.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import { changeRecord } from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError } from '../../../shared/kernel/errors.ts';
import type { WebuiCtx } from '../deps.ts';
import { farmCrud } from './record.ts';
import { FarmWrite } from './schema.ts';

const { kind } = farmCrud;
type Write = z.output<typeof FarmWrite>;

export const replaceFarm = (ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> =>
  change(ctx, at, () => body);

export const updateFarm = (ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> =>
  change(ctx, at, (current) => applyPatch(FarmWrite, current, patch));

/** A farm cannot leave its site while rules of the site refer to it. */
async function change(
  ctx: WebuiCtx,
  at: Target,
  become: (current: Record<string, unknown>) => Write,
): Promise<Answer> {
  try {
    return await changeRecord(ctx, kind, at, (row) => {
      const body = become(writableOf(kind, row));
      return body.site_id === row.site_id ? { body } : { body, after: (h) => [mustFitItsRules(h, at.id)] };
    });
  } catch (error) {
    if (raisedByMust(error)?.code !== 'in_use') throw error;
    const references = await rulesWithFarm(ctx.deps.db, at.id, readingOf(ctx.principal)('rule') ?? []);
    throw new AppError(
      'in_use',
      'Rules of the current site refer to the farm',
      { references },
      { cause: error },
    );
  }
}
