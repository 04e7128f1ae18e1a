import { Buffer } from 'node:buffer';
import { findImage } from '../../../db/repositories/settings/images.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/ids.ts';
import { builtinPictures, type ShownPicture } from '../pages/builtin-pictures.ts';
import { Document } from '../serve/answer.ts';

/** Media types that an operation with a picture as response declares. */
export const pictureTypes = ['image/png', 'image/webp', 'image/svg+xml'] as const;

/** The file name is fixed, because names of pictures are chosen by administrators. */
const dispositions = {
  'image/png': 'inline; filename="picture.png"',
  'image/webp': 'inline; filename="picture.webp"',
  'image/svg+xml': 'attachment; filename="picture.svg"',
} as const;

const { default: byDefault, ...byProtocol } = builtinPictures;
const protocols = new Map<string, ShownPicture>(Object.entries(byProtocol));

/** Returns the picture of a service: by id, by protocol, or the default picture. */
export const answerServicePicture = async (ctx: Ctx<BaseDeps>, id: string): Promise<Document> =>
  documentOf((await pictureOf(ctx, id)) ?? byDefault);

/** @throws AppError `not_found` if the id is neither a protocol nor the id of a picture */
export async function answerProtocolPicture(ctx: Ctx<BaseDeps>, id: string): Promise<Document> {
  const picture = await pictureOf(ctx, id);
  if (!picture) throw notFound();
  return documentOf(picture);
}

const pictureOf = async ({ deps }: Ctx<BaseDeps>, id: string): Promise<ShownPicture | undefined> =>
  isId(id) ? findImage(deps.db, id) : protocols.get(id);

/**
 * The policy ensures that a picture that is opened as a page runs no scripts and loads nothing. An SVG is a document,
 * which browsers save instead of opening it; `img` elements show it all the same.
 */
const documentOf = ({ mediaType, content, digest }: ShownPicture): Document =>
  new Document(new Uint8Array(Buffer.from(content, 'base64')), mediaType, {
    etag: `"${digest}"`,
    'cache-control': 'private, max-age=3600',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'content-disposition': dispositions[mediaType],
    'x-content-type-options': 'nosniff',
  });
