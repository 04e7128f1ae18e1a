import { eq, sql } from 'drizzle-orm';
import type { Db, Statement } from '../client.ts';
import { themes } from '../schema/themes.ts';
import { must } from './statements.ts';

/** The one row of the table. */
const only = 1;

/** The branding as it was stored; nothing at revision 0 before the first write. */
export async function findTheme(db: Db): Promise<{ revision: number; branding: Record<string, unknown> }> {
  const [row] = await db
    .select({ revision: themes.revision, branding: themes.branding })
    .from(themes)
    .where(eq(themes.id, only));
  return row ?? { revision: 0, branding: {} };
}

/** Replaces the branding that is at this revision; ends the batch with `precondition_failed` otherwise. */
export const replaceTheme = (
  h: Db,
  revision: number,
  branding: Record<string, unknown>,
  at: Date,
): Statement[] => [
  // The first write makes the row, so that there is one to lock.
  h.insert(themes).values({ id: only, revision: 0, updated_at: at }).onConflictDoNothing(),
  must(
    h,
    sql`(select ${themes.revision} from ${themes} where ${themes.id} = ${only} for update) = ${revision}`,
    'precondition_failed',
  ),
  h
    .update(themes)
    .set({ branding, revision: revision + 1, updated_at: at })
    .where(eq(themes.id, only)),
];
