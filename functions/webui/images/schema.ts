import { z } from 'zod';
import { writeBody } from '../../../shared/http/records/shapes.ts';
import { CreatedAt, flagFilter, Id, PlainName, UpdatedAt } from '../../../shared/shapes/fields.ts';
import { PictureUri } from '../../../shared/shapes/picture-field.ts';

const name = PlainName.meta({ example: 'Windows' }).describe(
  'Name of the picture in the gallery, unique regardless of case.',
);

const image = PictureUri.describe(
  'The picture as a data URI of `image/png`, `image/webp` or `image/svg+xml`, at most 256 KiB and 4096 pixels wide and high. SVG is sanitised. Write-only, and cannot be changed.',
);

/** The bytes of a picture never change, because clients cache them by its identifier. */
export const PictureWrite = z.object({
  name,
  image: image
    .nullable()
    .default(null)
    .describe('The same picture as a data URI. Write-only, and cannot be changed. Default: none.'),
});

export const Picture = z.strictObject({
  id: Id.describe('Identifier of the picture. Set by the portal.'),
  name,
  media_type: z
    .enum(['image/png', 'image/webp', 'image/svg+xml'])
    .describe('Format of the picture: `image/png`, `image/webp` or `image/svg+xml`.'),
  bytes: z.int().describe('Size of the picture in bytes.'),
  rules_count: z.int().describe('Number of rules with this picture, within the scope of the caller.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

const readOnly = Object.keys(Picture.shape).filter((member) => member !== 'name');

export const PictureCreate = writeBody(z.object({ name, image }), readOnly);

export const pictureFilters = {
  used: flagFilter.describe('Only pictures that rules show, or only those that no rule shows.'),
};
