import { z } from 'zod';
import { Id } from '../../../shared/http/fields.ts';
import { BulkDestroyBody, BulkDestroyResult } from '../../../shared/http/write-shapes.ts';
import { base, endpoint } from '../deps.ts';
import { userCrud, userPatch } from './record.ts';
import { User } from './schema.ts';
import { createUser, deleteUser, deleteUsers, replaceUser, updateUser } from './usecases.ts';

const { operations, shapes } = userCrud;
const collection = `${base}/authenticators/{auth_uuid}/users` as const;
const parents = z.object({ auth_uuid: Id });
const params = parents.extend({ uuid: Id });

export const userOperations = [
  ...operations,
  endpoint(
    {
      id: 'user.create',
      route: `POST ${collection}`,
      access: 'users.create',
      summary: 'Create a user of a domain',
      params: parents,
      body: { required: shapes.body },
      returns: [201, User],
      errors: ['already_exists', 'overloaded'],
    },
    (ctx, { params: { auth_uuid }, body }) => createUser(ctx, auth_uuid, body),
  ),
  endpoint(
    {
      id: 'user.replace',
      route: `PUT ${collection}/{uuid}`,
      access: 'users.update',
      summary: 'Replace a user of a domain',
      params,
      body: { required: shapes.body },
      conditional: true,
      returns: [200, User],
      errors: ['already_exists', 'invalid_state', 'overloaded'],
    },
    (ctx, { params: { auth_uuid, uuid }, body, conditions }) =>
      replaceUser(ctx, { id: uuid, parent: auth_uuid, conditions }, body),
  ),
  endpoint(
    {
      id: 'user.update',
      route: `PATCH ${collection}/{uuid}`,
      access: 'users.update',
      summary: 'Change members of a user of a domain (JSON Merge Patch)',
      description: '`{"locked_until": null}` lifts the locks of the account.',
      params,
      body: { required: userPatch },
      conditional: true,
      returns: [200, User],
      errors: ['already_exists', 'invalid_state', 'overloaded'],
    },
    (ctx, { params: { auth_uuid, uuid }, body, conditions }) =>
      updateUser(ctx, { id: uuid, parent: auth_uuid, conditions }, body),
  ),
  endpoint(
    {
      id: 'user.delete',
      route: `DELETE ${collection}/{uuid}`,
      access: 'users.delete',
      summary: 'Delete a user of a domain with his sessions',
      params,
      conditional: true,
      returns: [204, null],
      errors: ['in_use', 'invalid_state'],
    },
    (ctx, { params: { auth_uuid, uuid }, conditions }) =>
      deleteUser(ctx, { id: uuid, parent: auth_uuid, conditions }),
  ),
  endpoint(
    {
      id: 'user.bulkDestroy',
      route: `POST ${collection}/bulk_destroy`,
      access: 'users.delete',
      summary: 'Delete several or all users of a domain',
      params: parents,
      body: { required: BulkDestroyBody },
      returns: [200, BulkDestroyResult],
    },
    (ctx, { params: { auth_uuid }, body }) => deleteUsers(ctx, auth_uuid, body),
  ),
];
