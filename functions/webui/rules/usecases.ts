import type { z } from 'zod';
import {
  dropUnusedImage,
  imageIdOf,
  lockImages,
  storeImage,
} from '../../../db/repositories/settings/images.ts';
import type { Target } from '../../../shared/http/records/crud-declarations.ts';
import { writableOf } from '../../../shared/http/records/kind.ts';
import { applyPatch } from '../../../shared/http/records/shapes.ts';
import {
  changeRecord,
  createRecord,
  type Extras,
  removeRecord,
} from '../../../shared/http/records/writes.ts';
import type { Answer } from '../../../shared/http/serve/answer.ts';
import { invalid } from '../../../shared/kernel/errors.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import type { Picture } from '../../../shared/kernel/pictures/pictures.ts';
import { readPictures } from '../../../shared/shapes/picture-field.ts';
import type { WebuiCtx } from '../deps.ts';
import { ruleCrud } from './record.ts';
import { RuleWrite } from './schema.ts';

const { kind } = ruleCrud;
type Write = z.output<typeof RuleWrite>;
/** The values of a rule before a write. */
type Shown = { image_id: string | null; image_digest: string | null };

export async function createRule(ctx: WebuiCtx, body: Write): Promise<Answer> {
  const checked = assertMatching(body);
  const former = { image_id: null, image_digest: null };
  const { body: columns, ...extras } = written(ctx, checked, former, await pictureIn(body));
  return createRecord(ctx, kind, columns, extras);
}

export async function replaceRule(ctx: WebuiCtx, at: Target, body: Write): Promise<Answer> {
  const checked = assertMatching(body);
  const picture = await pictureIn(body);
  return changeRecord(ctx, kind, at, (row) => written(ctx, checked, row, picture));
}

export async function updateRule(ctx: WebuiCtx, at: Target, patch: Record<string, unknown>): Promise<Answer> {
  const picture = await pictureIn(patch);
  return changeRecord(ctx, kind, at, (row) =>
    written(ctx, assertMatching(applyPatch(RuleWrite, writableOf(kind, row), patch)), row, picture),
  );
}

const pictureIn = async (body: { image?: unknown }): Promise<Picture | undefined> =>
  (await readPictures(body, ['image'])).image;

export const deleteRule = (ctx: WebuiCtx, at: Target): Promise<void> =>
  removeRecord(ctx, kind, at, ({ image_id: id }) =>
    id === null ? {} : { before: (h) => [lockImages(h, [id])], after: (h) => [dropUnusedImage(h, id)] },
  );

/** A rule selects pools either by members or by tags. */
function assertMatching(body: Write): Write {
  const { members, match_tags } = body;
  const detail = 'Set either members or match_tags';
  if (members.length === 0 && match_tags === null)
    throw invalid({ pointer: '/members', code: 'required', detail });
  if (members.length > 0 && match_tags !== null)
    throw invalid({ pointer: '/match_tags', code: 'conflicting', detail });
  return body;
}

/**
 * The columns and links of a rule, and the statements for its picture: a new picture is stored, and the previous
 * one is deleted with its last use.
 */
function written(
  ctx: WebuiCtx,
  { image: _, ...body }: Write,
  { image_id: former, image_digest }: Shown,
  picture: Picture | undefined,
): { body: Record<string, unknown> } & Extras {
  const named = { ...body, display_name: body.display_name ?? body.name };
  const drop: Extras['after'] = former === null ? () => [] : (h) => [dropUnusedImage(h, former)];
  if (!picture) {
    if (named.image_id === former) return { body: named };
    return { body: named, before: (h) => [lockImages(h, [former, named.image_id])], after: drop };
  }
  const { mediaType: media_type, digest, ...content } = picture;
  const stored = { id: newId(), digest, media_type, ...content, created_at: ctx.now };
  return {
    // Only the batch determines the id of the picture, because the same bytes may already be stored.
    body: { ...named, image_id: former },
    columns: { image_id: imageIdOf(digest) },
    ...(digest !== image_digest && {
      changes: [{ field: 'image', before: image_digest, after: digest }],
      computed: { field: 'image_id', before: former, after: imageIdOf(digest) },
    }),
    before: (h) => [lockImages(h, [former], digest), storeImage(h, stored)],
    after: drop,
  };
}
