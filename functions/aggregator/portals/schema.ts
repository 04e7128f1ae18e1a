import { z } from 'zod';
import { PortalMetrics } from '../../../shared/portals/report.ts';
import { Id, Instant, Moment } from '../../../shared/shapes/fields.ts';

const PortalType = z.enum(['admin', 'user', 'universal']);
const Runtime = z.enum(['node', 'workers', 'lambda']);

/** A line of text that is shown in the list of portals. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u);
/** Absent and `null` are the same here. */
const optional = <T extends z.ZodType>(shape: T) => shape.nullish().transform((value) => value ?? undefined);

/** Unknown fields are ignored: a newer portal may send more. */
export const Heartbeat = z.object({
  token: z
    .string()
    .min(1)
    .max(16_384)
    .describe(
      'JWT with `typ` `heartbeat+jwt`, signed by this installation or a registered peer. Claims: `iss` and `sub` the base URL, `aud` the address of this operation, `jti`, `iat`, `exp`, and `portal` with name, fqdn, portal_type, runtime, version, started_at and optionally build, os, metrics.',
    ),
});

/** The claim `portal`. */
export const ToldPortal = z.object({
  name: line(253),
  fqdn: line(253),
  portal_type: PortalType,
  runtime: Runtime,
  version: line(64),
  build: optional(line(64)),
  os: optional(line(256)),
  started_at: Instant,
  metrics: optional(
    PortalMetrics.refine((members) => Object.keys(members).length <= 100, 'Must have at most 100 fields'),
  ),
});

export const Accepted = z.strictObject({
  result: z.literal('ok').describe('Always `ok`.'),
  name: z
    .string()
    .describe('Name of the portal in lists. For a portal of a peer, it begins with the name of the peer.'),
  expires_in: z
    .int()
    .describe('Seconds without another heartbeat after which the portal is considered offline.'),
});

export const Self = z.strictObject({
  id: Id.nullable().describe('Identifier of the portal. Null until its first heartbeat.'),
  uuid: Id.nullable().describe('Same as `id`.'),
  name: z.string().describe('Name of the portal.'),
  fqdn: z.string().describe('Host name of the base URL.'),
  portal_type: PortalType.describe('`admin`: administrator portal; `user`: user portal; `universal`: both.'),
  runtime: Runtime.describe(
    'Platform that runs the portal: `node` (Node.js), `workers` (Cloudflare Workers) or `lambda` (AWS Lambda).',
  ),
  version: z.string().describe('Version of the portal.'),
  state: z.enum(['online', 'offline']).describe('`online` while heartbeats arrive, otherwise `offline`.'),
  last_seen_at: Moment.nullable().describe('Time of the last heartbeat. Null until the first.'),
  uptime_s: z.int().describe('Uptime of the answering process or isolate in seconds.'),
});
