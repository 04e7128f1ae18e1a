import { base, endpoint } from '../deps.ts';
import { mostExports, OwnExports } from './schema.ts';
import { listOwnExports } from './usecases.ts';

export const exportOperations = [
  endpoint(
    {
      id: 'export.listOwn',
      route: `GET ${base}/exports`,
      access: 'signed-in',
      summary: 'List own exports',
      description: `Up to ${mostExports} exports that the caller ordered and that have not expired. Exports of objects for which the caller no longer holds the \`export\` permission for all sites are left out.`,
      returns: [200, OwnExports],
    },
    listOwnExports,
  ),
];
