import { eq } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { dispatchers } from '../schema/dispatchers.ts';

/** What a call showed of a node; the revision counts writes of administrators only. */
export const setStatus = (
  h: Db,
  id: string,
  status: typeof dispatchers.$inferSelect.status,
  lastError: string | null,
  at: Date,
): Statement =>
  h
    .update(dispatchers)
    .set({ status, last_error: lastError, last_check_at: at })
    .where(eq(dispatchers.id, id));
