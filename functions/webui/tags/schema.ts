import { z } from 'zod';
import { taggedTypes } from '../../../db/repositories/tags.ts';
import { Color, Comments, Id, Moment, TagName } from '../../../shared/http/fields.ts';
import { patchBody } from '../../../shared/http/write-shapes.ts';

const Source = z.enum(['manual', 'dispatcher']);

export const TagWrite = z.object({
  name: TagName,
  color: Color.nullable().default(null),
  comments: Comments,
});

export const Tag = z.strictObject({
  id: Id,
  ...TagWrite.shape,
  source: Source,
  objects_count: z.int(),
  created_at: Moment,
  updated_at: Moment,
});

const Objects = z
  .array(z.strictObject({ type: z.enum(taggedTypes), id: Id }))
  .max(500)
  .optional();

/** A merge patch of the fields, and objects that get or lose the tag. */
export const TagPatch = patchBody(TagWrite.extend({ attach: Objects, detach: Objects }), [
  'id',
  'source',
  'objects_count',
  'created_at',
  'updated_at',
]);

export const tagFilters = { source: Source.optional() };
