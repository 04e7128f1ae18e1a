import { pictures } from '../../../db/repositories/settings/pictures.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Picture, PictureWrite, pictureFilters } from './schema.ts';

/** Writes also check, store and delete the image, so they are use cases. */
export const pictureCrud = crud({
  type: 'picture',
  path: `${base}/gallery/images`,
  records: pictures,
  view: Picture,
  write: PictureWrite,
  filters: pictureFilters,
  sorts: ['name', 'created_at', 'updated_at'],
  immutable: ['image'],
  verbs: ['list', 'get'],
});
