import { groupFacts, userFacts } from './attributes.ts';
import type { Json } from './canonical.ts';
import {
  configSchema,
  groupSchema,
  listSchema,
  mostBytes,
  mostOperations,
  mostResources,
  resourceTypeSchema,
  schemaSchema,
  userSchema,
  usualResources,
} from './urns.ts';

/** The capabilities of the server (RFC 7643, 5; RFC 9865, 4). */
export const serviceProviderConfig = (base: string): Json => ({
  schemas: [configSchema],
  patch: { supported: true },
  bulk: { supported: true, maxOperations: mostOperations, maxPayloadSize: mostBytes },
  filter: { supported: true, maxResults: mostResources },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: usualResources,
    maxPageSize: mostResources,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A service token with the permission scim.provision.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

const types = [
  { name: 'User', endpoint: '/Users', description: 'Users of the domain.', schema: userSchema },
  { name: 'Group', endpoint: '/Groups', description: 'Groups of the domain.', schema: groupSchema },
];

export const resourceTypes = (base: string): Json[] =>
  types.map((type) => ({
    schemas: [resourceTypeSchema],
    id: type.name,
    ...type,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${type.name}` },
  }));

export const schemasOf = (base: string): Json[] =>
  [
    { id: userSchema, name: 'User', description: 'User of the domain.', attributes: userFacts },
    { id: groupSchema, name: 'Group', description: 'Group of the domain.', attributes: groupFacts },
  ].map((schema) => ({
    schemas: [schemaSchema],
    ...schema,
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }));

/** All resources of a kind, which are few. */
export const wholeList = (resources: readonly Json[]): Json => ({
  schemas: [listSchema],
  totalResults: resources.length,
  itemsPerPage: resources.length,
  startIndex: 1,
  Resources: resources,
});
