import { z } from 'zod';
import { PortalMetrics } from '../../../shared/fleet/portal-report.ts';
import { Id, Instant, Moment } from '../../../shared/http/fields.ts';

const PortalType = z.enum(['admin', 'user', 'universal']);
const Runtime = z.enum(['node', 'workers', 'lambda']);

/** A line of text that can be seen by whoever looks at portals. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u);
/** Absent and `null` are the same here. */
const optional = <T extends z.ZodType>(shape: T) => shape.nullish().transform((value) => value ?? undefined);

/** Members that are not known here are ignored: a newer portal may tell more. */
export const Heartbeat = z.object({
  token: z.string().min(1).max(16_384).meta({
    description:
      'A JWT signed with a key of this installation or of a registered peer. `iss` is its base URL, `aud` the address of this operation, `portal` an object of `name`, `fqdn`, `portal_type`, `runtime`, `version`, `started_at` and, where they are known, `build`, `os` and `metrics`. The header `typ` is `heartbeat+jwt`, `sub` equals `iss`; `jti`, `iat` and `exp` are required too.',
  }),
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
  metrics: optional(PortalMetrics.refine((members) => Object.keys(members).length <= 100, 'At most 100')),
});

export const Accepted = z.strictObject({
  result: z.literal('ok'),
  name: z
    .string()
    .meta({ description: 'As it is listed here: that of a peer begins with the name of the peer' }),
  expires_in: z.int().meta({ description: 'Seconds after which the portal is offline without another' }),
});

export const Self = z.strictObject({
  id: Id.nullable().meta({ description: 'Null until its first heartbeat' }),
  uuid: Id.nullable(),
  name: z.string(),
  fqdn: z.string(),
  portal_type: PortalType,
  runtime: Runtime,
  version: z.string(),
  state: z.enum(['online', 'offline']).meta({ description: 'As its heartbeats say' }),
  last_seen_at: Moment.nullable(),
  uptime_s: z.int().meta({ description: 'Of the process or isolate that answers' }),
});
