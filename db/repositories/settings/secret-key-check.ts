import { isNull, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { formatNames } from '../../postgres/session/formats.ts';
import { installation } from '../../schema/settings/installation.ts';

/** What a process checks before it uses a database. */
export type DatabaseCheck = {
  /** The sealed check value of `SECRET_KEY`; null if no process has stored one yet. */
  key: string | null;
  /** The role of the session, and its formats as in `pg_settings`. */
  role: string;
  settings: Record<string, string>;
};

/** Reads it in one round trip. @throws Error for a database without the row */
export async function readDatabaseCheck(db: Db): Promise<DatabaseCheck> {
  const names = sql.join(
    formatNames.map((name) => sql`${name}`),
    sql`, `,
  );
  const [row] = await db
    .select({
      key: sql<string | null>`secret_key_check`,
      role: sql<string>`current_user`,
      settings: sql<Record<string, string>>`(
        select jsonb_object_agg(name, setting) from pg_settings where name in (${names}))`,
    })
    // With its schema, because the search path is among the settings.
    .from(sql`public.installation`);
  if (!row) throw new Error('The table installation has no row; restore the database from a backup');
  return row;
}

/** Stores the check value unless one is stored. @returns false if another process has stored one */
export async function claimKeyCheck(db: Db, sealed: string): Promise<boolean> {
  const written = await db
    .update(installation)
    .set({ secret_key_check: sealed })
    .where(isNull(installation.secret_key_check))
    .returning({ only: installation.only });
  return written.length > 0;
}

/** Replaces the check value, independent of the key that sealed it. */
export const replaceKeyCheck = (h: Db, sealed: string): Statement =>
  h.update(installation).set({ secret_key_check: sealed });
