import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';
import { base, endpoint } from '../deps.ts';
import { showAccess } from './access.ts';
import { UserAccess } from './access-schema.ts';
import { bindUser } from './bind.ts';
import { revokePasskey } from './passkeys.ts';
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
        '`{"locked_until": null}` unlocks the account. `{"two_factor_enrolled": false}` removes its second factors: authenticator app, passkeys and recovery codes.',
      body: { required: userPatch },
      errors: changeErrors,
    },
    (ctx, input) => updateUser(ctx, target(input), input.body),
  ),
  endpoint(
    {
      ...declared.delete,
      summary: 'Delete a domain user and their sessions',
      errors: ['in_use', 'invalid_state'],
    },
    (ctx, input) => deleteUser(ctx, target(input)),
  ),
  endpoint(
    {
      id: 'user.showAccess',
      route: `GET ${base}/users/{id}/access`,
      access: 'users.read',
      summary: 'Get the effective permissions, sessions and lock-outs of a user',
      description:
        'Roles are assigned to the account and apply on the administrator portal. Groups grant services, not permissions.',
      params: z.object({ id: Id.describe('Identifier of the user.') }),
      returns: [200, UserAccess],
    },
    (ctx, { params }) => showAccess(ctx, params.id),
  ),
  endpoint(
    {
      id: 'userPasskey.revoke',
      route: `DELETE ${base}/users/{id}/passkeys/{passkey_id}`,
      access: 'users.update',
      summary: 'Revoke a passkey of a user',
      description:
        'The passkeys of a user are in `users/{id}/access`. The caller must hold every permission of the user. Own passkeys are deleted with `/api/auth/v7.0/passkeys`.',
      params: z.object({
        id: Id.describe('Identifier of the user.'),
        passkey_id: Id.describe('Identifier of the passkey.'),
      }),
      returns: [204, null],
      errors: ['not_found', 'invalid_state'],
    },
    (ctx, { params }) => revokePasskey(ctx, params.id, params.passkey_id),
  ),
  endpoint(
    {
      id: 'user.bind',
      route: `POST ${base}/users/{id}/bind`,
      access: 'users.update',
      summary: 'Bind a user to the directory entry of the same name',
      description:
        'For users that were assigned roles or logged in before the portal stored the identifiers of directory entries. Until they are bound, their logins are rejected with the reason `user_not_bound`. The caller must hold every permission of the user.',
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
