import { ListSearch } from '../../../shared/shapes/list.ts';
import { base, endpoint, type WebuiDeps } from '../deps.ts';
import { exportable } from '../export-operations.ts';
import { tagCrud } from './record.ts';
import { TagPatch, TagReplacement } from './schema.ts';
import { deleteTag, manageTag, replaceTag } from './usecases.ts';

const { operations, filters, declared, target } = tagCrud;

export const tagOperations = [
  ...operations,
  ...exportable<WebuiDeps>({
    subject: 'tags',
    type: 'tag',
    path: `${base}/tags`,
    access: 'tags.export',
    filters: { search: ListSearch, ...filters },
    formats: ['csv', 'ndjson', 'json'],
  }),
  endpoint({ ...declared.replace, body: { required: TagReplacement } }, (ctx, input) =>
    replaceTag(ctx, target(input), input.body),
  ),
  endpoint(
    {
      ...declared.update,
      summary: 'Update a tag (JSON Merge Patch)',
      description:
        '`attach` and `detach` add the tag to objects or remove it from them. This also requires the permission to update these objects.',
      body: { required: TagPatch },
      errors: ['already_exists', 'invalid_state'],
    },
    (ctx, input) => manageTag(ctx, target(input), input.body),
  ),
  endpoint(declared.delete, (ctx, input) => deleteTag(ctx, target(input))),
];
