import { Answer } from '../../../shared/http/serve/answer.ts';
import type { Projection } from '../../../shared/identity/scim/projection.ts';
import { projected } from '../../../shared/identity/scim/projection.ts';
import { mostBytes } from '../../../shared/identity/scim/urns.ts';

/** The address of SCIM for a domain. */
export const scimPath = '/scim/v2/{auth_uuid}';

/** Members of each declaration. */
export const common = { access: 'scim.provision', protocol: 'scim' } as const;

/** Limits of requests with a body: 20,000 members of a group fit into it. */
export const bodyLimits = { maxBodyBytes: mostBytes, maxBodyValues: 200_000, maxBodyMs: 30_000 } as const;

type Meta = { location: string; version: string };
const metaIn = (resource: object): Meta => Reflect.get(resource, 'meta') as Meta;

/** The response with one resource, and its version as ETag. */
export function answerResource(
  resource: Record<string, unknown>,
  projection: Projection,
  more: { isNew?: boolean; status?: 200 } = {},
): Answer {
  const { location, version } = metaIn(resource);
  const headers = { etag: version, ...(more.isNew && { location }) };
  return new Answer(projected(resource, projection), {
    headers,
    ...(more.status && { status: more.status }),
  });
}
