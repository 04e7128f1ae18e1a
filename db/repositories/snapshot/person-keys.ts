import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/**
 * True if the key of a row is that of the user. Where one of the two names has a suffix, as in `user@example.com`, and
 * the other has none, the suffix is left out. Two different suffixes are two users.
 * @param key `<folded label>\<folded name>`, a value or a parameter
 */
export const isKeyOfUser = (column: PgColumn, key: string | SQL): SQL => sql`(${column} = ${key}::text
  or strpos(${key}::text, '@') = 0 and ${column} >= ${key}::text || '@' and ${column} < ${key}::text || 'A'
  or strpos(${key}::text, '@') > 0 and ${column} = split_part(${key}::text, '@', 1))`;
