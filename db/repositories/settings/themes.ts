import { eq, sql } from 'drizzle-orm';
import { isLanguage, type Language, languages } from '../../../shared/messages/languages.ts';
import type { Db, Statement } from '../../client.ts';
import { systemParameters } from '../../schema/settings/system-parameters.ts';
import { themes } from '../../schema/settings/themes.ts';
import { must } from '../records/statements.ts';
import { setParameter } from './system-parameters.ts';

/** Id of the only row of the table. */
const only = 1;

/**
 * Returns the stored branding (empty at revision 0 before the first write) and the language of the installation.
 * `default_language` of a theme is the system parameter `ui.default_language`.
 */
export async function findTheme(
  db: Db,
): Promise<{ revision: number; branding: Record<string, unknown>; defaultLanguage: Language }> {
  const language = sql<unknown>`(select ${systemParameters.value} from ${systemParameters}
    where ${systemParameters.name} = ${languageParameter})`;
  const [row] = await db
    .select({ revision: themes.revision, branding: themes.branding, language })
    .from(sql`(values (1)) as once`)
    .leftJoin(themes, eq(themes.id, only));
  const { revision, branding, language: stored } = row ?? {};
  return {
    revision: revision ?? 0,
    branding: branding ?? {},
    defaultLanguage: isLanguage(stored) ? stored : languages[0],
  };
}

const languageParameter = 'ui.default_language';

/** Sets the language of the installation. */
export const replaceDefaultLanguage = (h: Db, value: Language, at: Date): Statement =>
  setParameter(h, { name: languageParameter, value, fallback: languages[0] }, at);

/** Replaces the branding at this revision; fails the batch with `precondition_failed` otherwise. */
export const replaceTheme = (
  h: Db,
  revision: number,
  branding: Record<string, unknown>,
  at: Date,
): Statement[] => [
  // The first write inserts the row, so that it can be locked.
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
