import type { z } from 'zod';
import { atomically } from '../../../db/client.ts';
import { isUniqueViolation, raisedByMust } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  addSavedView,
  deleteSavedView,
  findSavedView,
  type NewSavedView,
  replaceSavedView,
} from '../../../db/repositories/settings/saved-views.ts';
import { changesBetween, entityAction } from '../../../shared/context/audit-entry.ts';
import { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError, conflict, type FieldError, notFound } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { foldName } from '../../../shared/kernel/text.ts';
import { base, type UserinfoCtx } from '../deps.ts';
import type { SavedView, SavedViewWrite } from './schema.ts';

/**
 * Saves a view of the caller.
 * @throws AppError `already_exists` for the name of another view of the list; `invalid_state` if the caller has too many
 *   views
 */
export async function createView(ctx: UserinfoCtx, body: ViewFacts): Promise<Answer> {
  const row = rowOf(ctx, newId(), body);
  const audit = auditOf(ctx, undefined, body);
  await atomically(ctx.deps.db, (h) => [...addSavedView(h, row), appendAudit(h, audit)]).catch(explain);
  return new Answer({ id: row.id, ...body }, { headers: { location: `${base}/views/${row.id}` } });
}

/** @throws AppError `not_found` also for a view of another user; `already_exists` */
export async function replaceView(
  ctx: UserinfoCtx,
  id: string,
  body: ViewFacts,
): Promise<z.input<typeof SavedView>> {
  const former = await findSavedView(ctx.deps.db, ctx.principal.user.id, id);
  if (!former) throw notFound();
  const row = rowOf(ctx, id, body);
  const audit = auditOf(ctx, former, body);
  await atomically(ctx.deps.db, (h) => [...replaceSavedView(h, row), appendAudit(h, audit)]).catch(explain);
  return { id, ...body };
}

const rowOf = ({ principal, now }: UserinfoCtx, id: string, view: ViewFacts): NewSavedView => ({
  ...view,
  ...{ id, user_id: principal.user.id, name_key: foldName(view.name), created_at: now },
});

/** @throws AppError `not_found` also for a view of another user */
export async function removeView(ctx: UserinfoCtx, id: string): Promise<void> {
  const { user } = ctx.principal;
  const former = await findSavedView(ctx.deps.db, user.id, id);
  if (!former) throw notFound();
  const audit = auditOf(ctx, former, undefined);
  await atomically(ctx.deps.db, (h) => [...deleteSavedView(h, user.id, id), appendAudit(h, audit)]);
}

type ViewFacts = z.output<typeof SavedViewWrite>;

/** A change of the own account. */
function auditOf(ctx: UserinfoCtx, before: ViewFacts | undefined, after: ViewFacts | undefined) {
  const { id, name } = ctx.principal.user;
  return entityAction(
    ctx,
    'update',
    { type: 'user', id, name },
    changesBetween({ saved_view: factsOf(before) }, { saved_view: factsOf(after) }),
  );
}

const factsOf = (view: ViewFacts | undefined): ViewFacts | null =>
  view ? { list: view.list, name: view.name, query: view.query, is_default: view.is_default } : null;

function explain(error: unknown): never {
  if (raisedByMust(error)?.reason === 'too_many_views')
    throw conflict('too_many_views', 'A user can have at most 200 saved views');
  if (!isUniqueViolation(error)) throw error;
  const errors: FieldError[] = [
    { pointer: '/name', code: 'already_exists', detail: 'The list already has a view with this name' },
  ];
  throw new AppError('already_exists', undefined, { errors }, { cause: error });
}
