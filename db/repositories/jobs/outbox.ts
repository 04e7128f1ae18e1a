import { asc, inArray } from 'drizzle-orm';
import { newId } from '../../../shared/kernel/ids.ts';
import type { JobKind } from '../../../shared/kernel/job-kinds.ts';
import type { Db, Statement } from '../../client.ts';
import { withNotice } from '../../postgres/work-notice.ts';
import { jobOutbox as table } from '../../schema/jobs/outbox.ts';

export type OutboxJob = typeof table.$inferSelect;

/**
 * Returns the statement that enqueues a job. It belongs in the batch of the change that requires the job, so that
 * both are committed or neither is.
 * @param given `startAfter`: earliest start; `id`: id of the job, for references to it
 */
export const enqueueJob = <Payload extends Record<string, unknown>>(
  h: Db,
  kind: Pick<JobKind<Payload>, 'name'>,
  payload: Payload,
  options: { id?: string; startAfter?: Date } = {},
): Statement =>
  withNotice(
    h.insert(table).values({
      id: options.id ?? newId(),
      kind: kind.name,
      payload,
      start_after: options.startAfter ?? null,
    }),
  );

/**
 * Deletes and returns the oldest jobs of these kinds that no other transaction has locked. A rollback restores them.
 */
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
