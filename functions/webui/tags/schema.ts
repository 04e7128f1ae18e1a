import { z } from 'zod';
import { taggedTypes } from '../../../db/repositories/sites/tags.ts';
import { patchBody, writeBody } from '../../../shared/http/records/shapes.ts';
import { Color, Comments, CreatedAt, Id, TagName, UpdatedAt } from '../../../shared/shapes/fields.ts';

const Source = z.enum(['manual', 'dispatcher']);

export const TagWrite = z.object({
  name: TagName.describe('Name of the tag, unique.'),
  color: Color.nullable().default(null).describe('Colour of the tag, `#rrggbb`. Null: no colour.'),
  comments: Comments,
});

/** A change may repeat the name that a dispatcher gave the tag, in any format. */
export const TagChange = TagWrite.extend({
  name: z.string().trim().min(1).max(256).describe('Name of the tag, unique.'),
});

const readOnly = ['id', 'source', 'objects_count', 'created_at', 'updated_at'];

export const TagReplacement = writeBody(TagChange, readOnly);

export const Tag = z.strictObject({
  id: Id.describe('Identifier of the tag. Set by the portal.'),
  ...TagChange.shape,
  source: Source.describe(
    '`manual`: created by an administrator; `dispatcher`: reported by a dispatcher, where alone it can be renamed.',
  ),
  objects_count: z.int().describe('Number of domains and portals with the tag.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

const Objects = z
  .array(
    z.strictObject({
      type: z.enum(taggedTypes).describe('Type of the object: `authenticator` (domain) or `portal`.'),
      id: Id.describe('Identifier of the object.'),
    }),
  )
  .max(500)
  .optional();

/** A merge patch of the fields, and objects to add the tag to or to remove it from. */
export const TagPatch = patchBody(
  TagChange.extend({
    attach: Objects.describe('Objects to add the tag to.'),
    detach: Objects.describe('Objects to remove the tag from.'),
  }),
  readOnly,
);

export const tagFilters = { source: Source.optional().describe('Only tags from this source.') };
