import { projectionOf } from '../../../shared/identity/scim/projection.ts';
import { fieldsOf, type ProvisionedUser } from '../../../shared/identity/scim/users.ts';
import { endpoint } from '../deps.ts';
import { listResources } from './lists.ts';
import { PatchRequest, SearchRequest } from './messages.ts';
import { bodyLimits, common, scimPath } from './operations.ts';
import { answerResource } from './resources.ts';
import {
  DomainParams,
  ResourceParams,
  ResourceQuery,
  ScimList,
  ScimListQuery,
  ScimUser,
  ScimUserWrite,
} from './schema.ts';
import { scopeOf } from './scope.ts';
import { changeUser, createUser, deleteUser, findUser, patchUser } from './users.ts';

const path = `${scimPath}/Users` as const;
const one = { params: ResourceParams, query: ResourceQuery } as const;
const shownBy = (query: { attributes?: string | undefined; excludedAttributes?: string | undefined }) =>
  projectionOf(query.attributes, query.excludedAttributes);

const asUser = (row: ProvisionedUser) => ({ kind: 'Users', ...row }) as const;

const reads = [
  endpoint(
    {
      ...common,
      id: 'scimUser.list',
      route: `GET ${path}`,
      summary: 'List the users of the domain (SCIM)',
      params: DomainParams,
      query: ScimListQuery,
      returns: [200, ScimList],
    },
    (ctx, { params, query }) => listResources(scopeOf(ctx, params.auth_uuid), 'Users', query),
  ),
  endpoint(
    {
      ...common,
      ...bodyLimits,
      id: 'scimUser.search',
      route: `POST ${path}/.search`,
      summary: 'Search the users of the domain (SCIM)',
      params: DomainParams,
      query: ResourceQuery,
      body: { required: SearchRequest },
      readsOnly: true,
      returns: [200, ScimList],
      errors: ['malformed_cursor', 'request_timeout'],
    },
    (ctx, { params, body }) => listResources(scopeOf(ctx, params.auth_uuid), 'Users', body),
  ),
  endpoint(
    {
      ...common,
      ...one,
      id: 'scimUser.get',
      route: `GET ${path}/{id}`,
      summary: 'Get a user (SCIM)',
      returns: [200, ScimUser],
    },
    async (ctx, { params: { auth_uuid, id }, query }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, auth_uuid);
      return answerResource(scope, asUser(await findUser(scope, id)), projection);
    },
  ),
];

const errors = ['already_exists', 'invalid_state', 'precondition_failed', 'request_timeout'] as const;

const writes = [
  endpoint(
    {
      ...common,
      ...bodyLimits,
      id: 'scimUser.create',
      route: `POST ${path}`,
      summary: 'Create a user (SCIM)',
      description:
        '`externalId` is the identifier by which a sign-in of the identity provider finds the user. A user with the same identifier that provisioning has deleted or deactivated is restored, unless it has roles. Passwords, roles and unknown attributes are ignored.',
      params: DomainParams,
      query: ResourceQuery,
      body: { required: ScimUserWrite },
      returns: [201, ScimUser],
      errors: ['already_exists', 'request_timeout'],
    },
    async (ctx, { params, query, body }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, params.auth_uuid);
      return answerResource(scope, asUser(await createUser(scope, body)), projection, { isNew: true });
    },
  ),
  endpoint(
    {
      ...common,
      ...bodyLimits,
      ...one,
      id: 'scimUser.replace',
      route: `PUT ${path}/{id}`,
      summary: 'Replace a user (SCIM)',
      description: 'Without `active`, the state stays as it is. Without `externalId`, the identifier stays.',
      body: { required: ScimUserWrite },
      returns: [200, ScimUser],
      errors,
    },
    async (ctx, { params: { auth_uuid, id }, query, body, conditions: { ifMatch } }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, auth_uuid);
      const user = await changeUser(scope, { id, ifMatch }, (row) => fieldsOf(body, row));
      return answerResource(scope, asUser(user), projection);
    },
  ),
  endpoint(
    {
      ...common,
      ...bodyLimits,
      ...one,
      id: 'scimUser.update',
      route: `PATCH ${path}/{id}`,
      summary: 'Change a user (SCIM)',
      description:
        'With `active` false, all sessions and tokens of the user end. An account with roles can only be activated by an administrator.',
      body: { required: PatchRequest },
      returns: [200, ScimUser],
      errors,
    },
    async (ctx, { params: { auth_uuid, id }, query, body, conditions: { ifMatch } }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, auth_uuid);
      const user = await patchUser(scope, { id, ifMatch }, body.Operations);
      return answerResource(scope, asUser(user), projection);
    },
  ),
  endpoint(
    {
      ...common,
      ...one,
      id: 'scimUser.delete',
      route: `DELETE ${path}/{id}`,
      summary: 'Delete a user (SCIM)',
      description:
        'Deactivates the account and removes it from its groups. The row stays for administrators; identity providers do not find it.',
      returns: [204, null],
      errors: ['invalid_state', 'precondition_failed'],
    },
    (ctx, { params: { auth_uuid, id }, conditions: { ifMatch } }) =>
      deleteUser(scopeOf(ctx, auth_uuid), { id, ifMatch }),
  ),
];

export const userOperations = [...reads, ...writes];
