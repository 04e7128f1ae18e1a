import { endpoint } from '../deps.ts';
import { userCrud, userPatch } from './record.ts';
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
  endpoint(declared.bulkDestroy, (ctx, { params, body }) => deleteUsers(ctx, parentOf(params), body)),
];
