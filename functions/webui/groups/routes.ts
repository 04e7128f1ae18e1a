import { z } from 'zod';
import { Id } from '../../../shared/http/fields.ts';
import { base, endpoint } from '../deps.ts';
import { groupCrud } from './record.ts';
import { Group } from './schema.ts';
import { createGroup, replaceGroup, updateGroup } from './usecases.ts';

const { operations, shapes } = groupCrud;
const collection = `${base}/authenticators/{auth_uuid}/groups` as const;
const parents = z.object({ auth_uuid: Id });
const params = parents.extend({ uuid: Id });

export const groupOperations = [
  ...operations,
  endpoint(
    {
      id: 'group.create',
      route: `POST ${collection}`,
      access: 'groups.create',
      summary: 'Create a group of a domain',
      params: parents,
      body: { required: shapes.body },
      returns: [201, Group],
      errors: ['already_exists'],
    },
    (ctx, { params: { auth_uuid }, body }) => createGroup(ctx, auth_uuid, body),
  ),
  endpoint(
    {
      id: 'group.replace',
      route: `PUT ${collection}/{uuid}`,
      access: 'groups.update',
      summary: 'Replace a group of a domain',
      params,
      body: { required: shapes.body },
      conditional: true,
      returns: [200, Group],
    },
    (ctx, { params: { auth_uuid, uuid }, body, conditions }) =>
      replaceGroup(ctx, { id: uuid, parent: auth_uuid, conditions }, body),
  ),
  endpoint(
    {
      id: 'group.update',
      route: `PATCH ${collection}/{uuid}`,
      access: 'groups.update',
      summary: 'Change members of a group of a domain (JSON Merge Patch)',
      params,
      body: { required: shapes.patch },
      conditional: true,
      returns: [200, Group],
    },
    (ctx, { params: { auth_uuid, uuid }, body, conditions }) =>
      updateGroup(ctx, { id: uuid, parent: auth_uuid, conditions }, body),
  ),
];
