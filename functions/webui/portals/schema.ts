import { z } from 'zod';
import { CreatedAt, Id, Moment, TagName, TagNames, UpdatedAt } from '../../../shared/shapes/fields.ts';

const Runtime = z.enum(['node', 'workers', 'lambda']);
const State = z.enum(['online', 'offline']);

export const PortalWrite = z.object({ tags: TagNames });

export const Portal = z.strictObject({
  id: Id.describe('Identifier of the portal. Set by the portal.'),
  uuid: Id.describe('Same as `id`.'),
  name: z
    .string()
    .describe(
      'Name of the portal, from its heartbeat. For a portal of a peer, it begins with the name of the peer.',
    ),
  fqdn: z.string().describe('Host name of the portal, from its heartbeat.'),
  portal_type: z
    .enum(['admin', 'user', 'universal'])
    .describe('`admin`: administrator portal; `user`: user portal; `universal`: both.'),
  runtime: Runtime.describe(
    'Platform that runs the portal: `node` (Node.js), `workers` (Cloudflare Workers) or `lambda` (AWS Lambda).',
  ),
  version: z.string().describe('Version of the portal, from its heartbeat.'),
  os: z.string().describe('Operating system, from its heartbeat. Empty if unknown.'),
  state: State.describe('`online` while heartbeats arrive, otherwise `offline`.'),
  last_seen_at: Moment.describe('Time of the last heartbeat.'),
  uptime_s: z.int().describe('Seconds from the start of the portal to its last heartbeat.'),
  ...PortalWrite.shape,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

export const portalFilters = {
  state: State.optional().describe('Only portals in this state.'),
  runtime: Runtime.optional().describe('Only portals on this platform.'),
  tag: TagName.optional().describe('Only portals with this tag.'),
};

export const PortalTags = z.strictObject({
  tags: z.array(TagName).max(50).describe('Names of the tags of the portal.'),
});
