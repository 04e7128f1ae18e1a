import { integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** Pictures of rules and of the gallery; equal bytes are stored once. `content` is base64 of at most 256 KiB. */
export const images = pgTable(
  'images',
  {
    id: uuid().primaryKey(),
    digest: text().notNull(),
    media_type: text().$type<'image/png' | 'image/webp' | 'image/svg+xml'>().notNull(),
    bytes: integer().notNull(),
    content: text().notNull(),
    created_at: moment().notNull(),
  },
  (t) => [uniqueIndex('images_digest').on(t.digest)],
);
