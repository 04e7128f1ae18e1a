import { Buffer } from 'node:buffer';
import { message, type Text } from '../../messages/message.ts';
import { sha256 } from '../crypto/digests.ts';
import { pngSize, webpSize } from './sizes.ts';
import { sanitiseSvg } from './svg.ts';

export type PictureType = 'image/png' | 'image/webp' | 'image/svg+xml';

/** A validated picture. `content` is its bytes as base64, `digest` their SHA-256 as base64url. */
export type Picture = { mediaType: PictureType; bytes: number; content: string; digest: string };

export const maxPictureBytes = 262_144;
const maxSide = 4096;

/**
 * Reads a data URI (RFC 2397) with a PNG, WebP or SVG picture. The bytes must match the media type; an SVG is
 * sanitised.
 * @returns the picture, or a sentence that describes the error
 */
export async function readPicture(uri: string): Promise<Picture | { fault: Text }> {
  const [, type = '', parameters = '', data = ''] =
    /^data:(image\/(?:png|webp|svg\+xml))((?:;[\w=-]+)*),(.*)$/is.exec(uri) ?? [];
  const mediaType = type.toLowerCase() as PictureType | '';
  if (mediaType === '') return { fault: 'Must be a data URI of image/png, image/webp or image/svg+xml' };
  const bytes = /;base64$/i.test(parameters) ? fromBase64(data) : fromPercent(data);
  if (!bytes) return { fault: 'The data URI is not encoded correctly' };
  if (bytes.length > maxPictureBytes) return { fault: 'A picture must not exceed 256 KiB' };
  if (mediaType === 'image/svg+xml') return svgOf(bytes);
  const size = mediaType === 'image/png' ? pngSize(bytes) : webpSize(bytes);
  if (!size) return { fault: message('The data is not of the type {media_type}', { media_type: mediaType }) };
  if (size.some((side) => side < 1 || side > maxSide))
    return {
      fault: message('The width and height of a picture must be 1 to {pixels} pixels', { pixels: maxSide }),
    };
  return pictureOf(mediaType, bytes);
}

export const dataUriOf = ({ mediaType, content }: Pick<Picture, 'mediaType' | 'content'>): string =>
  `data:${mediaType};base64,${content}`;

const pictureOf = (mediaType: PictureType, bytes: Buffer): Picture => ({
  mediaType,
  bytes: bytes.length,
  content: bytes.toString('base64'),
  digest: sha256(bytes),
});

async function svgOf(bytes: Buffer): Promise<Picture | { fault: Text }> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { fault: 'The SVG is not valid UTF-8' };
  }
  const read = await sanitiseSvg(text);
  if ('fault' in read) return read;
  const clean = Buffer.from(read.svg);
  return clean.length > maxPictureBytes
    ? { fault: 'A picture must not exceed 256 KiB' }
    : pictureOf('image/svg+xml', clean);
}

/** Node's decoder ignores invalid characters; here they are an error. */
const fromBase64 = (text: string): Buffer | undefined =>
  text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;

function fromPercent(text: string): Buffer | undefined {
  try {
    return Buffer.from(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}
