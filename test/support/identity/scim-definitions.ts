import SCIMMY from 'scimmy';
import type { Json } from '../portal.ts';

const { User, Group, ResourceType, ServiceProviderConfig } = SCIMMY.Schemas;
const definitions = [User, Group, ResourceType, ServiceProviderConfig].map(({ definition }) => definition);

/** Schemas whose definitions the other implementation does not have. */
const unknown = ['urn:ietf:params:scim:schemas:core:2.0:Schema'];

/**
 * The resources of a response as another implementation of RFC 7643 reads them, beside the resources as they are. It leaves out what
 * its definitions do not have.
 * @throws Error for a value of another type, a missing required attribute or a value that is not canonical
 */
export function readByOthers(body: Json): { read: Json[]; own: Json[] } {
  const resources: Json[] = body.Resources ?? [body];
  const own = resources.filter(({ schemas = [] }) => !unknown.includes(schemas[0]));
  return { read: own.map(read), own: own.map(known) };
}

function read(resource: Json): Json {
  const definition = definitions.find(({ id }) => id === resource.schemas[0]);
  if (!definition) throw new Error(`no definition of ${resource.schemas[0]}`);
  return JSON.parse(JSON.stringify(definition.coerce(resource, 'out')));
}

/** Without what the other implementation does not have: pagination by cursor (RFC 9865), and primary schemes (RFC 7643, 8.5). */
function known({ pagination: _, authenticationSchemes: schemes, ...resource }: Json): Json {
  if (!schemes) return resource;
  return { ...resource, authenticationSchemes: schemes.map(({ primary: __, ...scheme }: Json) => scheme) };
}
