import type { SQL } from 'drizzle-orm';
import { and, eq, notExists, or, sql } from 'drizzle-orm';
import type { Db, Statement } from '../../client.ts';
import { rules } from '../../schema/routing/rules.ts';
import { images } from '../../schema/settings/images.ts';
import { pictures } from '../../schema/settings/pictures.ts';
import { oneOf } from '../records/statements.ts';

export type StoredImage = typeof images.$inferInsert;

/** Returns the bytes of a picture as base64. */
export async function findImage(db: Db, id: string) {
  const [row] = await db
    .select({ digest: images.digest, mediaType: images.media_type, content: images.content })
    .from(images)
    .where(eq(images.id, id));
  return row;
}

/** The id of the picture with these bytes, for use in the batch that stores it. */
export const imageIdOf = (digest: string): SQL<string> =>
  sql<string>`(select ${images.id} from ${images} where ${images.digest} = ${digest})`;

/**
 * Locks the pictures that a rule drops and uses, in a fixed order, to serialise with other batches that drop or start
 * their last use. Must precede the change of the rule.
 */
export const lockImages = (h: Db, ids: readonly (string | null)[], digest = ''): Statement =>
  h
    .select({ id: images.id })
    .from(images)
    .where(
      or(
        oneOf(
          images.id,
          ids.filter((id) => id !== null),
        ),
        eq(images.digest, digest),
      ),
    )
    .orderBy(images.digest)
    .for('update');

/** Stores a picture unless it exists, and locks the row in both cases. */
export const storeImage = (h: Db, image: StoredImage): Statement =>
  h
    .insert(images)
    .values(image)
    .onConflictDoUpdate({ target: images.digest, set: { digest: sql`excluded.digest` } });

/** Deletes the image of a deleted picture. Rules that show it fail the batch. */
export const dropImage = (h: Db, id: string): Statement => h.delete(images).where(eq(images.id, id));

/** Deletes a picture that is not in the gallery and that no rule uses any more. Must follow the change of the rule. */
export const dropUnusedImage = (h: Db, id: string): Statement =>
  h
    .delete(images)
    .where(
      and(
        eq(images.id, id),
        notExists(h.select({ n: sql`1` }).from(rules).where(eq(rules.image_id, images.id))),
        notExists(h.select({ n: sql`1` }).from(pictures).where(eq(pictures.id, images.id))),
      ),
    );
