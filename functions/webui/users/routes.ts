import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';
import { base, endpoint } from '../deps.ts';
import { bindUser } from './bind.ts';
import { userCrud, userPatch } from './record.ts';
import { User } from './schema.ts';
import { createUser, deleteUser, deleteUsers, replaceUser, updateUser } from './usecases.ts';

const { operations, declared, target, parentOf } = userCrud;
const changeErrors = ['already_exists', 'invalid_state', 'overloaded'] as const;

export const userOperations = [
  ...operations,
  endpoint({ ...declared.create, errors: ['already_exists', 'overloaded'] }, (ctx, { params, body }) =>
    createUser(ctx, parentOf(params), body),
  ),
  endpoint({ ...declared.replace, errors: changeErrors }, (ctx, input) =>
    replaceUser(ctx, target(input), input.body),
  ),
  endpoint(
    {
      ...declared.update,
      description:
        '`{"locked_until": null}` lifts the locks of the account, `{"two_factor_enrolled": false}` takes its second ' +
        'factor away.',
      body: { required: userPatch },
      errors: changeErrors,
    },
    (ctx, input) => updateUser(ctx, target(input), input.body),
  ),
  endpoint(
    {
      ...declared.delete,
      summary: 'Delete a user of a domain with his sessions',
      errors: ['in_use', 'invalid_state'],
    },
    (ctx, input) => deleteUser(ctx, target(input)),
  ),
  endpoint(
    {
      id: 'user.bind',
      route: `POST ${base}/users/{id}/bind`,
      access: 'users.update',
      summary: 'Bind a user to the entry of the directory that has the same name',
      description:
        'For users that have roles or have logged in before the portal kept the identifiers of entries: until they are bound, ' +
        'their logins are refused with the reason `user_not_bound`. Every permission of the user is needed.',
      params: z.object({ id: Id.describe('Identifier of the user.') }),
      returns: [200, User],
      errors: [
        ...(['not_found', 'invalid_state', 'overloaded', 'upstream_failed', 'upstream_refused'] as const),
        ...(['upstream_tls', 'upstream_timeout'] as const),
      ],
    },
    (ctx, { params }) => bindUser(ctx, params.id),
  ),
  endpoint(declared.bulkDestroy, (ctx, { params, body }) => deleteUsers(ctx, parentOf(params), body)),
];
