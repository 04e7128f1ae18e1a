import { z } from 'zod';
import { Id, Moment, TagName, TagNames } from '../../../shared/http/fields.ts';

const Runtime = z.enum(['node', 'workers', 'lambda']);
const State = z.enum(['online', 'offline']);

export const PortalWrite = z.object({ tags: TagNames });

export const Portal = z.strictObject({
  id: Id,
  uuid: Id,
  name: z.string(),
  fqdn: z.string(),
  portal_type: z.enum(['admin', 'user', 'universal']),
  runtime: Runtime,
  version: z.string(),
  os: z.string(),
  state: State,
  last_seen_at: Moment,
  uptime_s: z.int(),
  ...PortalWrite.shape,
  created_at: Moment,
  updated_at: Moment,
});

export const portalFilters = {
  state: State.optional(),
  runtime: Runtime.optional(),
  tag: TagName.optional(),
};

export const PortalTags = z.strictObject({ tags: z.array(TagName).max(50) });
