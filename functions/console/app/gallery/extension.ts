import type { Extension } from '../records/extension.ts';
import { Gallery } from './gallery.tsx';
import { PictureActions, PictureParts } from './picture-parts.tsx';

export const picture: Extension = {
  ListBody: Gallery,
  RecordActions: PictureActions,
  RecordParts: PictureParts,
};
