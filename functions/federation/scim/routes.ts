import { z } from 'zod';
import {
  resourceTypes,
  schemasOf,
  serviceProviderConfig,
  wholeList,
} from '../../../shared/identity/scim/discovery.ts';
import { notFound } from '../../../shared/kernel/errors.ts';
import { endpoint } from '../deps.ts';
import { runBulk } from './bulk.ts';
import { groupOperations } from './group-operations.ts';
import { listResources } from './lists.ts';
import { BulkRequest, SearchRequest } from './messages.ts';
import { bodyLimits, common, scimPath } from './operations.ts';
import { BulkResponse, DomainParams, ResourceQuery, ScimDescription, ScimList } from './schema.ts';
import { type ScimCtx, scopeOf } from './scope.ts';
import { userOperations } from './user-operations.ts';

const named = DomainParams.extend({
  name: z.string().max(256).meta({ example: 'User' }).describe('Name or URN of the description.'),
});
const described = { ...common, query: ResourceQuery } as const;

const oneOf = (resources: readonly Record<string, unknown>[], id: string) => {
  const found = resources.find((resource) => resource.id === id);
  if (!found) throw notFound();
  return found;
};
const baseOf = (ctx: ScimCtx, domainId: string): string => scopeOf(ctx, domainId).base;

const discoveryOperations = [
  endpoint(
    {
      ...described,
      id: 'scim.getConfig',
      route: `GET ${scimPath}/ServiceProviderConfig`,
      summary: 'Describe the capabilities of the SCIM server',
      params: DomainParams,
      returns: [200, ScimDescription],
    },
    (ctx, { params }) => serviceProviderConfig(baseOf(ctx, params.auth_uuid)),
  ),
  endpoint(
    {
      ...described,
      id: 'scim.listResourceTypes',
      route: `GET ${scimPath}/ResourceTypes`,
      summary: 'List the types of SCIM resources',
      params: DomainParams,
      returns: [200, ScimList],
    },
    (ctx, { params }) => wholeList(resourceTypes(baseOf(ctx, params.auth_uuid))),
  ),
  endpoint(
    {
      ...described,
      id: 'scim.getResourceType',
      route: `GET ${scimPath}/ResourceTypes/{name}`,
      summary: 'Describe a type of SCIM resources',
      params: named,
      returns: [200, ScimDescription],
    },
    (ctx, { params: { auth_uuid, name } }) => oneOf(resourceTypes(baseOf(ctx, auth_uuid)), name),
  ),
  endpoint(
    {
      ...described,
      id: 'scim.listSchemas',
      route: `GET ${scimPath}/Schemas`,
      summary: 'List the schemas of SCIM resources',
      params: DomainParams,
      returns: [200, ScimList],
    },
    (ctx, { params }) => wholeList(schemasOf(baseOf(ctx, params.auth_uuid))),
  ),
  endpoint(
    {
      ...described,
      id: 'scim.getSchema',
      route: `GET ${scimPath}/Schemas/{name}`,
      summary: 'Describe a schema of SCIM resources',
      params: named,
      returns: [200, ScimDescription],
    },
    (ctx, { params: { auth_uuid, name } }) => oneOf(schemasOf(baseOf(ctx, auth_uuid)), name),
  ),
];

const jointOperations = [
  endpoint(
    {
      ...described,
      ...bodyLimits,
      id: 'scim.search',
      route: `POST ${scimPath}/.search`,
      summary: 'Search users and groups of the domain (SCIM)',
      description: 'Attributes that a type does not have count as unassigned.',
      params: DomainParams,
      body: { required: SearchRequest },
      readsOnly: true,
      returns: [200, ScimList],
      errors: ['malformed_cursor', 'request_timeout'],
    },
    (ctx, { params, body }) => listResources(scopeOf(ctx, params.auth_uuid), 'all', body),
  ),
  endpoint(
    {
      ...described,
      ...bodyLimits,
      id: 'scim.bulk',
      route: `POST ${scimPath}/Bulk`,
      summary: 'Run several SCIM operations',
      description:
        'Each operation takes effect for itself, and the response contains its status. An operation with the status 503 is the last one: send it and those that the response does not contain again.',
      params: DomainParams,
      body: { required: BulkRequest },
      returns: [200, BulkResponse],
      errors: ['request_timeout'],
    },
    (ctx, { params, body }) =>
      runBulk(scopeOf(ctx, params.auth_uuid), body.Operations, body.failOnErrors ?? Number.POSITIVE_INFINITY),
  ),
];

export const scimOperations = [
  ...discoveryOperations,
  ...jointOperations,
  ...userOperations,
  ...groupOperations,
];
