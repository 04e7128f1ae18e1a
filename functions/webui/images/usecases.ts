import type { z } from 'zod';
import { raisedByMust } from '../../../db/errors.ts';
import { dropImage, lockImages, storeImage } from '../../../db/repositories/settings/images.ts';
import { findImageByDigest, mustBeAddable } from '../../../db/repositories/settings/pictures.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import {
  changeRecord,
  createRecord,
  removeRecord,
  untilUncontested,
} from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { AppError, conflict, invalid } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Picture } from '../../../shared/kernel/pictures/pictures.ts';
import { readPictures } from '../../../shared/shapes/picture-field.ts';
import type { WebuiCtx } from '../deps.ts';
import { pictureCrud } from './record.ts';
import { type PictureCreate, PictureWrite } from './schema.ts';

const { kind } = pictureCrud;

/** @throws AppError `already_exists` for bytes or a name that the gallery has, `invalid_state` if it is full */
export async function createPicture(
  ctx: WebuiCtx,
  { name, image: uri }: z.output<typeof PictureCreate>,
): Promise<Answer> {
  const { image } = await readPictures({ image: uri }, ['image']);
  if (!image) throw new Error('a picture is neither read nor refused');
  return untilUncontested({}, () => addPicture(ctx, name, image)).catch((error: unknown) => {
    if (raisedByMust(error)?.reason !== 'too_many_pictures') throw error;
    throw conflict('too_many_pictures', 'The gallery can have at most 1000 pictures');
  });
}

async function addPicture(
  ctx: WebuiCtx,
  name: string,
  { mediaType: media_type, digest, ...content }: Picture,
): Promise<Answer> {
  const existing = await findImageByDigest(ctx.deps.db, digest);
  if (existing?.inGallery)
    throw new AppError('already_exists', undefined, {
      errors: [{ pointer: '/image', code: 'already_exists', detail: 'The gallery has this picture already' }],
      existing_id: existing.id,
    });
  const id = existing?.id ?? newId();
  const stored = { id, digest, media_type, ...content, created_at: ctx.now };
  const changes = [{ field: 'image', before: null, after: digest }];
  return createRecord(
    ctx,
    kind,
    { name },
    {
      id,
      changes,
      before: (h) => [lockImages(h, [], digest), storeImage(h, stored), ...mustBeAddable(h, id, digest)],
    },
  );
}

export async function replacePicture(
  ctx: WebuiCtx,
  at: Target,
  body: z.output<typeof PictureWrite>,
): Promise<Answer> {
  const picture = await readPictures(body, ['image']);
  return changeRecord(ctx, kind, at, (row) => renamed(row, body, picture.image));
}

export async function updatePicture(
  ctx: WebuiCtx,
  at: Target,
  patch: Record<string, unknown>,
): Promise<Answer> {
  const picture = await readPictures(patch, ['image']);
  return changeRecord(ctx, kind, at, (row) =>
    renamed(row, applyPatch(PictureWrite, writableOf(kind, row), patch), picture.image),
  );
}

/** @throws AppError `invalid_request` for other bytes than those of the picture */
function renamed(
  { digest }: { digest: string },
  { name }: { name: string },
  image: Picture | undefined,
): { body: { name: string } } {
  if (image && image.digest !== digest)
    throw invalid({ pointer: '/image', code: 'immutable', detail: 'Cannot be changed after creation' });
  return { body: { name } };
}

/** @throws AppError `in_use` with rules that show the picture */
export const deletePicture = (ctx: WebuiCtx, at: Target): Promise<void> =>
  removeRecord(ctx, kind, at, ({ id }) => ({
    before: (h) => [lockImages(h, [id])],
    after: (h) => [dropImage(h, id)],
  }));
