import { tags } from '../../../db/repositories/sites/tags.ts';
import { crud } from '../../../shared/http/records/crud.ts';
import { base } from '../deps.ts';
import { Tag, TagWrite, tagFilters } from './schema.ts';

/** Objects store tags by name, so renaming or deleting a tag changes them as well. */
export const tagCrud = crud({
  type: 'tag',
  path: `${base}/tags`,
  records: tags,
  view: Tag,
  write: TagWrite,
  filters: tagFilters,
  sorts: ['name', 'created_at', 'updated_at'],
  verbs: ['list', 'get', 'create'],
});
