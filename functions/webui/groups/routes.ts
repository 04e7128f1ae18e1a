import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';
import { base, endpoint } from '../deps.ts';
import { listExternalGroups } from './external.ts';
import { groupCrud } from './record.ts';
import { ExternalGroup, ExternalQuery } from './schema.ts';
import { createGroup, deleteGroup, deleteGroups, replaceGroup, updateGroup } from './usecases.ts';

const { operations, declared, target, parentOf } = groupCrud;

export const groupOperations = [
  ...operations,
  endpoint(
    {
      id: 'group.listExternal',
      route: `GET ${base}/authenticators/{auth_uuid}/groups/external`,
      access: 'groups.read',
      summary: 'Search the groups in the directory of a domain',
      description:
        'The header `Link` with `rel="next"` has the address of the next page. Each request reads all matching groups of the directory, at most 10,000. Use `search` to narrow the result.',
      params: z.object({ auth_uuid: Id.describe('Identifier of the authentication domain.') }),
      query: ExternalQuery,
      returns: [200, z.array(ExternalGroup)],
      errors: [
        ...(['invalid_state', 'upstream_failed', 'upstream_refused'] as const),
        ...(['upstream_tls', 'upstream_timeout'] as const),
      ],
    },
    (ctx, { params, query }) => listExternalGroups(ctx, params.auth_uuid, query),
  ),
  endpoint(declared.create, (ctx, { params, body }) => createGroup(ctx, parentOf(params), body)),
  endpoint(declared.replace, (ctx, input) => replaceGroup(ctx, target(input), input.body)),
  endpoint(declared.update, (ctx, input) => updateGroup(ctx, target(input), input.body)),
  endpoint(declared.delete, (ctx, input) => deleteGroup(ctx, target(input))),
  endpoint(declared.bulkDestroy, (ctx, { params, body }) => deleteGroups(ctx, parentOf(params), body)),
];
