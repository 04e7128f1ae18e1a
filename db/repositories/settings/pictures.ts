import { count, eq, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { rules } from '../../schema/routing/rules.ts';
import { images } from '../../schema/settings/images.ts';
import { pictures as table } from '../../schema/settings/pictures.ts';
import { records } from '../records/records.ts';
import { countOf, derived, must } from '../records/statements.ts';
import { imageIdOf } from './images.ts';

/** Rules of a site that show a picture. */
type SiteUse = { site_id: string; rules: number };

const isUsed = sql`exists(select 1 from ${rules} where ${rules.image_id} = ${table.id})`;

/** The pictures of the gallery. Their ids are those of the images, to which rules refer. */
export const pictures = records({
  table,
  select: {
    id: table.id,
    revision: table.revision,
    name: table.name,
    media_type: derived<'image/png' | 'image/webp' | 'image/svg+xml'>(
      sql`select ${images.media_type} from ${images} where ${images.id} = ${table.id}`,
    ),
    bytes: derived<number>(sql`select ${images.bytes} from ${images} where ${images.id} = ${table.id}`),
    digest: derived<string>(sql`select ${images.digest} from ${images} where ${images.id} = ${table.id}`),
    rules_count: countOf(rules, rules.image_id, table.id),
    uses: derived<SiteUse[]>(
      sql`select coalesce(json_agg(use), '[]') from (
        select ${rules.site_id}, count(*)::int as rules from ${rules} where ${rules.image_id} = ${table.id}
        group by ${rules.site_id}) as use`,
    ),
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  narrowed: ({ uses }: { uses: SiteUse[] }, scope) => ({
    rules_count: uses.reduce((sum, { site_id, rules: n }) => sum + (scope.includes(site_id) ? n : 0), 0),
  }),
  search: [table.name_key],
  filters: { used: (value: boolean) => (value ? isUsed : sql`not ${isUsed}`) },
  sorts: { name: table.name_key, created_at: table.created_at, updated_at: table.updated_at },
  references: [{ type: 'rule', table: rules, by: rules.image_id, id: rules.id, name: rules.name }],
  unique: { '/name': ['name_key'] },
});

/** The stored image with these bytes, and whether it is in the gallery. */
export async function findImageByDigest(
  db: Db,
  digest: string,
): Promise<{ id: string; inGallery: boolean } | undefined> {
  const [row] = await db
    .select({ id: images.id, picture: table.id })
    .from(images)
    .leftJoin(table, eq(table.id, images.id))
    .where(eq(images.digest, digest));
  return row && { id: row.id, inGallery: row.picture !== null };
}

const mostPictures = 1_000;

/**
 * Fails the batch if the image was stored under another id or added to the gallery since it was looked up, or if the
 * gallery is full. Must follow the statement that stores and locks the image.
 */
export const mustBeAddable = (h: Db, id: string, digest: string): Statement[] => [
  must(
    h,
    sql`${imageIdOf(digest)} = ${id} and not exists(select 1 from ${table} where ${table.id} = ${id})`,
    'precondition_failed',
  ),
  must(
    h,
    sql`(${h.select({ n: count() }).from(table)}) < ${mostPictures}`,
    'invalid_state:too_many_pictures',
  ),
];
