import { z } from 'zod';
import { Id } from '../../../shared/shapes/fields.ts';
import { base, endpoint } from '../deps.ts';
import { showAccess } from './access.ts';
import { UserAccess } from './access-schema.ts';
import { bindUser } from './bind.ts';
import { bindUsers } from './bind-many.ts';
import { BindResult, BindUsers, PersonAtProvider } from './bind-schema.ts';
import { revokePasskey } from './passkeys.ts';
import { userCrud, userPatch } from './record.ts';
import { User } from './schema.ts';
import { createUser, deleteUser, deleteUsers, replaceUser, updateUser } from './usecases.ts';

const { operations, declared, target, parentOf } = userCrud;
const changeErrors = ['already_exists', 'invalid_state'] as const;

export const userOperations = [
  ...operations,
  endpoint({ ...declared.create, errors: ['already_exists'] }, (ctx, { params, body }) =>
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
      summary: 'Bind a user to a person of the directory or identity provider',
      description:
        'From then on the immutable identifier of the person identifies the user. In a directory domain, the body is absent and the portal finds the entry with the name of the user: this is for users that were assigned roles or logged in before the portal stored the identifiers of directory entries, whose logins are rejected with the reason `user_not_bound`. In a domain of an identity provider, the body has the identifier of the person: this is for users that SCIM has created without `externalId`. The caller must hold every permission of the user.',
      params: z.object({ id: Id.describe('Identifier of the user.') }),
      body: { optional: PersonAtProvider },
      returns: [200, User],
      errors: [
        ...(['not_found', 'invalid_state', 'upstream_failed', 'upstream_refused'] as const),
        ...(['upstream_tls', 'upstream_timeout'] as const),
      ],
    },
    (ctx, { params: { id }, body }) => bindUser(ctx, { id }, body),
  ),
  endpoint(
    {
      id: 'user.bindMany',
      route: `POST ${base}/authenticators/{auth_uuid}/users/bind`,
      access: 'users.update',
      summary: 'Bind several users to persons of the directory or identity provider',
      description:
        'Each user is bound on its own, as with `POST users/{id}/bind`, with its own audit event. Users that are refused do not affect the others. After a failure that concerns every user, such as a directory without an answer, the rest is reported with the same failure.',
      params: z.object({ auth_uuid: Id.describe('Identifier of the domain.') }),
      body: { required: BindUsers },
      returns: [200, BindResult],
      errors: ['not_found'],
    },
    (ctx, { params, body }) => bindUsers(ctx, params.auth_uuid, body.items),
  ),
  endpoint(declared.bulkDestroy, (ctx, { params, body }) => deleteUsers(ctx, parentOf(params), body)),
];
