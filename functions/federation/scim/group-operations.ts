import type { ProvisionedGroup } from '../../../shared/identity/scim/groups.ts';
import { projectionOf } from '../../../shared/identity/scim/projection.ts';
import { endpoint } from '../deps.ts';
import { createGroup, deleteGroup, findGroup, patchGroup, replaceGroup } from './groups.ts';
import { listResources } from './lists.ts';
import { PatchRequest, SearchRequest } from './messages.ts';
import { bodyLimits, common, scimPath } from './operations.ts';
import { answerResource } from './resources.ts';
import {
  DomainParams,
  ResourceParams,
  ResourceQuery,
  ScimGroup,
  ScimGroupWrite,
  ScimList,
  ScimListQuery,
} from './schema.ts';
import { scopeOf } from './scope.ts';

const path = `${scimPath}/Groups` as const;
const one = { params: ResourceParams, query: ResourceQuery } as const;
type Query = { attributes?: string | undefined; excludedAttributes?: string | undefined };
const shownBy = ({ attributes, excludedAttributes }: Query) => projectionOf(attributes, excludedAttributes);

const asGroup = (row: ProvisionedGroup) => ({ kind: 'Groups', ...row }) as const;

const reads = [
  endpoint(
    {
      ...common,
      id: 'scimGroup.list',
      route: `GET ${path}`,
      summary: 'List the groups of the domain (SCIM)',
      description: 'A page ends before its groups have more than 25,000 members in total.',
      params: DomainParams,
      query: ScimListQuery,
      returns: [200, ScimList],
    },
    (ctx, { params, query }) => listResources(scopeOf(ctx, params.auth_uuid), 'Groups', query),
  ),
  endpoint(
    {
      ...common,
      ...bodyLimits,
      id: 'scimGroup.search',
      route: `POST ${path}/.search`,
      summary: 'Search the groups of the domain (SCIM)',
      params: DomainParams,
      query: ResourceQuery,
      body: { required: SearchRequest },
      readsOnly: true,
      returns: [200, ScimList],
      errors: ['malformed_cursor', 'request_timeout'],
    },
    (ctx, { params, body }) => listResources(scopeOf(ctx, params.auth_uuid), 'Groups', body),
  ),
  endpoint(
    {
      ...common,
      ...one,
      id: 'scimGroup.get',
      route: `GET ${path}/{id}`,
      summary: 'Get a group (SCIM)',
      returns: [200, ScimGroup],
    },
    async (ctx, { params: { auth_uuid, id }, query }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, auth_uuid);
      return answerResource(scope, asGroup(await findGroup(scope, id)), projection);
    },
  ),
];

const errors = ['already_exists', 'precondition_failed', 'request_timeout'] as const;

const writes = [
  endpoint(
    {
      ...common,
      ...bodyLimits,
      id: 'scimGroup.create',
      route: `POST ${path}`,
      summary: 'Create a group (SCIM)',
      params: DomainParams,
      query: ResourceQuery,
      body: { required: ScimGroupWrite },
      returns: [201, ScimGroup],
      errors: ['already_exists', 'request_timeout'],
    },
    async (ctx, { params, query, body }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, params.auth_uuid);
      return answerResource(scope, asGroup(await createGroup(scope, body)), projection, { isNew: true });
    },
  ),
  endpoint(
    {
      ...common,
      ...bodyLimits,
      ...one,
      id: 'scimGroup.replace',
      route: `PUT ${path}/{id}`,
      summary: 'Replace a group (SCIM)',
      description: 'Groups that waive the second factor can only be changed by administrators.',
      body: { required: ScimGroupWrite },
      returns: [200, ScimGroup],
      errors,
    },
    async (ctx, { params: { auth_uuid, id }, query, body, conditions: { ifMatch } }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, auth_uuid);
      return answerResource(scope, asGroup(await replaceGroup(scope, { id, ifMatch }, body)), projection);
    },
  ),
  endpoint(
    {
      ...common,
      ...bodyLimits,
      ...one,
      id: 'scimGroup.update',
      route: `PATCH ${path}/{id}`,
      summary: 'Change a group (SCIM)',
      description:
        'The response contains the group only if `attributes` or `excludedAttributes` is given. Groups that waive the second factor can only be changed by administrators.',
      body: { required: PatchRequest },
      returns: [204, null],
      orReturns: [200, ScimGroup],
      errors,
    },
    async (ctx, { params: { auth_uuid, id }, query, body, conditions: { ifMatch } }) => {
      const projection = shownBy(query);
      const scope = scopeOf(ctx, auth_uuid);
      await patchGroup(scope, { id, ifMatch }, body.Operations);
      const isShown = projection.attributes ?? projection.excluded;
      return (
        isShown && answerResource(scope, asGroup(await findGroup(scope, id)), projection, { status: 200 })
      );
    },
  ),
  endpoint(
    {
      ...common,
      ...one,
      id: 'scimGroup.delete',
      route: `DELETE ${path}/{id}`,
      summary: 'Delete a group (SCIM)',
      description: 'A group to which sites or rules are assigned cannot be deleted.',
      returns: [204, null],
      errors: ['in_use', 'precondition_failed'],
    },
    (ctx, { params: { auth_uuid, id }, conditions: { ifMatch } }) =>
      deleteGroup(scopeOf(ctx, auth_uuid), { id, ifMatch }),
  ),
];

export const groupOperations = [...reads, ...writes];
