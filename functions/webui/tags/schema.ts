import { z } from 'zod';
import { taggedTypes } from '../../../db/repositories/tags.ts';
import { Color, Comments, CreatedAt, Id, TagName, UpdatedAt } from '../../../shared/http/fields.ts';
import { patchBody } from '../../../shared/http/write-shapes.ts';

const Source = z.enum(['manual', 'dispatcher']);

export const TagWrite = z.object({
  name: TagName.describe('Name of the tag, unique.'),
  color: Color.nullable().default(null).describe('Colour of the tag, `#rrggbb`. Null: none.'),
  comments: Comments,
});

export const Tag = z.strictObject({
  id: Id.describe('Identifier of the tag. Set by the portal.'),
  ...TagWrite.shape,
  source: Source.describe('`manual`: created by an administrator; `dispatcher`: read from a dispatcher.'),
  objects_count: z.int().describe('Number of domains and portals with the tag.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

const Objects = z
  .array(
    z.strictObject({
      type: z.enum(taggedTypes).describe('Kind of the object: `authenticator` (domain) or `portal`.'),
      id: Id.describe('Identifier of the object.'),
    }),
  )
  .max(500)
  .optional();

/** A merge patch of the fields, and objects that get or lose the tag. */
export const TagPatch = patchBody(
  TagWrite.extend({
    attach: Objects.describe('Objects that get the tag.'),
    detach: Objects.describe('Objects that lose the tag.'),
  }),
  ['id', 'source', 'objects_count', 'created_at', 'updated_at'],
);

export const tagFilters = { source: Source.optional().describe('Only tags from this source.') };
