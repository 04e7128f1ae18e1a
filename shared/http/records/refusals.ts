import { isReferenceViolation, isUniqueViolation, raisedByMust } from '../../../db/errors.ts';
import { conflictOf, danglingPointer } from '../../../db/repositories/records/constraint-violations.ts';
import type { Reach, Selection, Values } from '../../../db/repositories/records/records.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { AppError, type FieldError, invalid, notFound } from '../../kernel/errors.ts';
import type { RecordKind } from './kind.ts';

const taken = (pointer: string): FieldError => ({
  pointer,
  code: 'already_exists',
  detail: 'The value is already in use',
});

/** Converts a constraint violation of the database to an error of the API. */
export async function explainWrite<S extends Selection>(
  ctx: Pick<Ctx<BaseDeps>, 'deps'>,
  kind: RecordKind<S>,
  values: Values,
  reach: Reach,
  error: unknown,
  own?: string,
): Promise<unknown> {
  if (isUniqueViolation(error)) {
    const { pointers, existingId } = await conflictOf(ctx.deps.db, kind.records, error, values, reach, own);
    const errors = pointers.map(taken);
    return new AppError(
      'already_exists',
      undefined,
      { errors, ...(existingId && { existing_id: existingId }) },
      { cause: error },
    );
  }
  if (isReferenceViolation(error)) {
    const pointer = danglingPointer(kind.records, error);
    const owner = kind.records.spec.parent?.column.name;
    return owner && pointer === `/${owner}` ? notFound() : dangling(pointer);
  }
  const raised = raisedByMust(error);
  if (raised?.code === 'dangling') return dangling(raised.reason ?? '');
  if (raised?.code !== 'out_of_scope') return error;
  return kind.placedBy ? dangling(`/${kind.placedBy}`) : allSitesNeeded();
}

export const allSitesNeeded = (): AppError =>
  new AppError('forbidden', 'The permission is required for all sites that the object belongs to');

const dangling = (pointer: string): AppError =>
  invalid({ pointer, code: 'not_found', detail: 'The object does not exist' });
