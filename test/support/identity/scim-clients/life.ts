import type { Json } from '../../portal.ts';

/**
 * A request of a client. `{user}`, `{other}` and `{group}` stand for identifiers of the server: `{user}` and `{group}` are those of the
 * resources that the client has created, `{other}` is another person of the domain.
 */
export type Step = {
  title: string;
  route: string;
  body?: Json;
  status: number;
  /** Members of the described response. */
  expected?: Json;
  /** What administrators and the client read afterwards. */
  state?: State;
};

/** Members that a step does not concern are absent. `gone`: the client does not find the resource any more. */
export type State = {
  person?: { name: string; real_name: string; email: string; state: 'active' | 'inactive' } | 'gone';
  group?: string | 'gone';
  members?: readonly ('user' | 'other')[];
};

/** The requests of a client from its first contact to the deletion of what it has created. */
export type Life = {
  client: string;
  /** Where the requests are described, or the public source of the client. */
  sources: readonly string[];
  headers?: Readonly<Record<string, string>>;
  steps: readonly Step[];
};

const patch = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const user = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const group = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const list = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const error = 'urn:ietf:params:scim:api:messages:2.0:Error';

export const operations = (...Operations: Json[]): Json => ({ schemas: [patch], Operations });

/** The search for a person by the login name. */
export const search = (userName: string, count: number): Step => ({
  title: `search for ${userName}`,
  route: `GET /Users?filter=userName eq "${userName}"`,
  status: 200,
  expected: { schemas: [list], totalResults: count },
});

/** The descriptions of the server that a client reads first. */
export const descriptions: readonly Step[] = ['ServiceProviderConfig', 'ResourceTypes', 'Schemas'].map(
  (name) => ({ title: name, route: `GET /${name}`, status: 200 }),
);

export const deletions: readonly Step[] = [
  { title: 'delete the group', route: 'DELETE /Groups/{group}', status: 204, state: { group: 'gone' } },
  { title: 'delete the person', route: 'DELETE /Users/{user}', status: 204, state: { person: 'gone' } },
];
