import { z } from 'zod';
import { hostOrText } from '../machine-names.ts';
import { type ListKind, machineStates, sessionStates, unknown, workplaceStates } from '../rows.ts';
import { line, stored } from './members.ts';

/* Rows of lists. The port describes the members. A missing or malformed member is null; a state is then `unknown`. */

/** The required member of each row. Tags are identified by their names, so a tag may have no `uuid`. */
export const identities = {
  servicespools: 'uuid',
  workplaces: 'uuid',
  spsessions: 'session_uuid',
  tags: 'name',
} as const satisfies Record<ListKind, string>;

export const Uuid = z.guid().transform((uuid) => uuid.toLowerCase());

/** Replaces a missing member with null. */
const orNull = <T extends z.ZodType>(shape: T) => shape.nullish().transform((value) => value ?? null);
const orUnknown = <T extends z.ZodType>(shape: T) => shape.nullish().transform((value) => value ?? unknown);

const label = orNull(line(256));
const title = orNull(line(256).min(1));
const flag = orNull(z.boolean());
const count = orNull(z.number().int().min(0).max(2_147_483_647));
const moment = orNull(
  z.iso
    .datetime({ offset: true })
    .transform((value) => new Date(value).toISOString())
    // After the conversion to UTC, the years 1 and 9999 can leave the range of the database.
    .refine((value) => /^(?!0000)\d{4}-/.test(value)),
);
const tags = orNull(z.array(line(64).min(1)).max(50));
const reference = orNull(Uuid);

export const PoolRow = z.object({
  uuid: Uuid,
  name: title,
  short_name: label,
  comments: orNull(stored(4096)),
  state: orUnknown(line(64).min(1)),
  visible: flag,
  maintenance: flag,
  protocols: orNull(z.array(line(64)).max(16)),
  initial_srvs: count,
  cache_l1_srvs: count,
  cache_l2_srvs: count,
  max_srvs: count,
  workplaces_count: count,
  in_use_count: count,
  in_preparation_count: count,
  usage_percent: orNull(z.number().min(0).max(1_000_000)),
  restrained: flag,
  tags,
});

export const WorkplaceRow = z.object({
  uuid: Uuid,
  name: title,
  servicepool_uuid: reference,
  servicepool_name: label,
  unique_id: label,
  hostname: label.transform(hostOrText),
  ip: label,
  state: orUnknown(z.enum(workplaceStates)),
  machine_state: orUnknown(z.enum(machineStates)),
  owner: orNull(
    z.object({
      domain: line(256)
        .nullish()
        .transform((value) => value ?? ''),
      name: line(256).min(1),
    }),
  ),
  in_use: flag,
  in_use_since: moment,
  client_ip: label,
  client_host: label,
  maintenance: flag,
  tags,
  agent_version: label,
  agent_seen_at: moment,
  revision: count,
  created_at: moment,
});

export const SessionRow = z.object({
  session_uuid: Uuid,
  servicepool_uuid: reference,
  servicepool_name: label,
  workplace_uuid: reference,
  workplace_name: label,
  workplace_ip: label,
  user: title,
  domain: label,
  protocol: orNull(line(64)),
  client_ip: label,
  client_host: label,
  gateway_id: reference,
  state: orUnknown(z.enum(sessionStates)),
  started_at: moment,
  last_seen_at: moment,
});

const TagRow = z.object({ uuid: reference, name: line(256).min(1) });

export const listShapes = {
  servicespools: PoolRow,
  workplaces: WorkplaceRow,
  spsessions: SessionRow,
  tags: TagRow,
} as const satisfies Record<ListKind, z.ZodType>;

/** A page whose rows are not yet checked. */
export const RawPage = z.object({
  items: z.array(z.unknown()).max(1000),
  next: z.string().min(1).max(4096).nullish(),
  // Sent back to the node unchanged. A converted value could be later than a change, which would then be missed.
  as_of: stored(64).pipe(z.iso.datetime({ offset: true })),
  /** Removed rows by `uuid`; tags without a `uuid` by name. */
  removed: z
    .array(line(256))
    .max(100_000)
    .nullish()
    .transform((value) => value ?? undefined),
});
