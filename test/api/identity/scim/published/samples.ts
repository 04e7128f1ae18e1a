import type { Json } from '../../../../support/portal.ts';

/**
 * A published request. `{user}`, `{other}` and `{group}` stand for identifiers of the server, and `{name}` for a name that the
 * server has not seen.
 */
export type Sample = {
  title: string;
  route: string;
  body?: Json;
  status: number;
  /** Members of the described response. */
  expected?: Json;
};

const patch = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const group = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const list = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const error = 'urn:ietf:params:scim:api:messages:2.0:Error';

export const operations = (...Operations: Json[]): Json => ({ schemas: [patch], Operations });
