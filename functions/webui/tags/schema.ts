import { z } from 'zod';
import { taggedTypes } from '../../../db/repositories/tags.ts';
import { Color, Comments, Id, Moment, TagName } from '../../../shared/http/fields.ts';
import { patchBody, writeBody } from '../../../shared/http/write-shapes.ts';

const Source = z.enum(['manual', 'dispatcher']);

export const TagWrite = z.object({
  name: TagName,
  color: Color.nullable().default(null),
  comments: Comments,
});

/** A change may send back the name that a dispatcher gave the tag, whatever its form. */
export const TagChange = TagWrite.extend({ name: z.string().trim().min(1).max(256) });

const readOnly = ['id', 'source', 'objects_count', 'created_at', 'updated_at'];

export const TagReplacement = writeBody(TagChange, readOnly);

export const Tag = z.strictObject({
  id: Id,
  ...TagChange.shape,
  source: Source.meta({
    description: '`dispatcher` while a dispatcher has the tag; its name is then changed there only',
  }),
  objects_count: z.int(),
  created_at: Moment,
  updated_at: Moment,
});

const Objects = z
  .array(z.strictObject({ type: z.enum(taggedTypes), id: Id }))
  .max(500)
  .optional();

/** A merge patch of the fields, and objects that get or lose the tag. */
export const TagPatch = patchBody(TagChange.extend({ attach: Objects, detach: Objects }), readOnly);

export const tagFilters = { source: Source.optional() };
