import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { dataUriOf, maxPictureBytes, readPicture } from '../../../kernel/pictures/pictures.ts';
import { foldName } from '../../../kernel/text.ts';
import { fieldErrors } from '../../../shapes/field-errors.ts';
import { fileReason } from '../../start/file-faults.ts';
import { ImageEntry } from '../file-only-members.ts';
import type { Names } from '../records/names.ts';
import { type Configuration, fault } from './document.ts';

/** Data URIs of pictures by their SHA-256. */
export type Pictures = ReadonlyMap<string, string>;

const mediaTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the pictures of a file and registers their names.
 * @throws ConfigurationFault for an invalid picture or a duplicate name
 */
export async function readPictures({ file, images }: Configuration, names: Names): Promise<Pictures> {
  const pictures = new Map<string, string>();
  for (const { at, content } of images) {
    const { data, error } = ImageEntry.safeParse(content, { reportInput: true });
    const [wrong] = fieldErrors(error, '/');
    if (!data) throw fault(file, at, `${wrong?.pointer.slice(1) || 'entry'}: ${wrong?.detail}`);
    if (names.idOf('images', data.name) !== undefined)
      throw fault(file, at, 'another picture of the file has this name');
    const uri = data.image ?? uriOf(file.path, data.file ?? '', (text) => fault(file, [...at, 'file'], text));
    const picture = await readPicture(uri);
    if ('fault' in picture) throw fault(file, [...at, data.image ? 'image' : 'file'], String(picture.fault));
    names.add('images', foldName(data.name) === '' ? picture.digest : data.name, picture.digest);
    pictures.set(picture.digest, dataUriOf(picture));
  }
  return pictures;
}

function uriOf(file: string, name: string, wrong: (text: string) => Error): string {
  const path = resolve(dirname(file), name);
  const type = mediaTypes[extname(path).toLowerCase()];
  if (type === undefined) throw wrong('a picture is a file of type .png, .webp or .svg');
  try {
    if (statSync(path).size > maxPictureBytes) throw wrong('a picture has at most 256 KiB');
    return `data:${type};base64,${readFileSync(path).toString('base64')}`;
  } catch (error) {
    const reason = fileReason(error);
    throw reason === undefined ? error : wrong(`${path} cannot be read (${reason})`);
  }
}

/** The name of a picture in an export. */
export const pictureName = (digest: string): string =>
  `image-${digest.replace(/[^A-Za-z0-9]/g, '').slice(0, 16)}`;
