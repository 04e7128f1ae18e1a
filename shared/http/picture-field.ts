import { z } from 'zod';
import { dataUriOf, maxPictureBytes, readPicture } from '../kernel/pictures.ts';

/** Every byte as a percent-encoded triple would fill this. */
const longest = 3 * maxPictureBytes + 64;

/**
 * A picture in a body: a data URI of a PNG, a WebP or an SVG, at most 256 KiB. It is checked, and comes out in one form:
 * base64, an SVG sanitised.
 */
export const PictureUri = z
  .string()
  .max(longest)
  .transform((uri, issues) => {
    const picture = readPicture(uri);
    if (!('fault' in picture)) return dataUriOf(picture);
    issues.addIssue({ code: 'custom', message: picture.fault, params: { code: 'invalid_picture' } });
    return z.NEVER;
  })
  .meta({
    description: 'A data URI of image/png, image/webp or image/svg+xml; at most 256 KiB; SVG is sanitised',
    example: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
  });
