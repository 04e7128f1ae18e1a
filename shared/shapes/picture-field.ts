import { z } from 'zod';
import { nextTurn } from '../kernel/concurrency/event-loop.ts';
import { type FieldError, invalid } from '../kernel/errors.ts';
import { maxPictureBytes, type Picture, readPicture } from '../kernel/pictures/pictures.ts';
import { maxAttributes, maxElements } from '../kernel/pictures/svg.ts';

/** Length of a data URI in which every byte is percent-encoded. */
const longest = 3 * maxPictureBytes + 64;

/** A picture in a body: a data URI of a PNG, WebP or SVG image of at most 256 KiB. `readPictures` validates it. */
export const PictureUri = z
  .string()
  .max(longest)
  .meta({
    example: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    // Pages offer files for selection.
    'x-picture': true,
  })
  .describe(
    'Data URI of `image/png`, `image/webp` or `image/svg+xml`, at most 256 KiB. SVG is sanitised and has at most ' +
      `${maxElements.toLocaleString('en')} elements with at most ${maxAttributes.toLocaleString('en')} attributes each.`,
  );

/**
 * Reads the picture members of a body. Each picture is read in a separate turn of the event loop.
 * @returns the pictures by member name
 * @throws AppError `invalid_request` with one entry for each invalid picture
 */
export async function readPictures<N extends string>(
  body: { readonly [name in N]?: unknown },
  names: readonly N[],
): Promise<Partial<Record<N, Picture>>> {
  const pictures: Partial<Record<N, Picture>> = {};
  const faults: FieldError[] = [];
  for (const name of names) {
    const uri = body[name];
    if (typeof uri !== 'string') continue;
    await nextTurn();
    const picture = await readPicture(uri);
    if ('fault' in picture)
      faults.push({ pointer: `/${name}`, code: 'invalid_picture', detail: picture.fault });
    else pictures[name] = picture;
  }
  if (faults.length > 0) throw invalid(...faults);
  return pictures;
}
