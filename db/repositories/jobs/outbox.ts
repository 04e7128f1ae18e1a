import { asc, inArray } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import type { JobKind } from '../../../shared/kernel/job-kinds.ts';
import type { Db, Statement } from '../../client.ts';
import { jobOutbox as table } from '../../schema/jobs/outbox.ts';

export type OutboxJob = typeof table.$inferSelect;

/**
 * The statement that asks for a job, in the batch of the change that the job follows from: both happen, or neither.
 * @param given `startAfter`: not before then; `id`: of the job, for whoever refers to it
 */
export const enqueueJob = <Payload extends Record<string, unknown>>(
  h: Db,
  kind: Pick<JobKind<Payload>, 'name'>,
  payload: Payload,
  given: { id?: string; startAfter?: Date } = {},
): Statement =>
  h
    .insert(table)
    .values({ id: given.id ?? newId(), kind: kind.name, payload, start_after: given.startAfter ?? null });

/** Takes the oldest wanted jobs of these kinds that no other transaction takes; what is rolled back is wanted as before. */
export const takeFromOutbox = (tx: Db, kinds: readonly string[], limit: number): Promise<OutboxJob[]> =>
  tx
    .delete(table)
    .where(
      inArray(
        table.id,
        tx
          .select({ id: table.id })
          .from(table)
          .where(inArray(table.kind, [...kinds]))
          .orderBy(asc(table.created_at), asc(table.id))
          .limit(limit)
          .for('update', { skipLocked: true }),
      ),
    )
    .returning();
