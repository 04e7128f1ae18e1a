export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const bulkRequestSchema = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
export const bulkResponseSchema = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';
export const configSchema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
export const resourceTypeSchema = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
export const schemaSchema = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

/** Number of operations of one bulk request. */
export const mostOperations = 100;
/** Size limit of a request in bytes. */
export const mostBytes = 4 * 1_024 * 1_024;
/** Number of resources of a page. */
export const mostResources = 200;
export const usualResources = 100;

/** The address of SCIM for a domain. `baseUrl` is that of the portal. */
export const scimBase = (baseUrl: string, domainId: string): string =>
  `${baseUrl.replace(/\/$/, '')}/scim/v2/${domainId}`;
