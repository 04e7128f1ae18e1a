import { z } from 'zod';
import { flag, line, optional, stored, text } from './members.ts';

/*
 * Rows of the lists that dispatcher nodes own. What is checked here can be stored as it is: identifiers in lower case,
 * moments as RFC 3339 in UTC, numbers within their columns.
 */

export const listKinds = ['servicespools', 'workplaces', 'spsessions', 'tags'] as const;
export type ListKind = (typeof listKinds)[number];

export const Uuid = z.guid().transform((uuid) => uuid.toLowerCase());
const label = line(256)
  .nullish()
  .transform((value) => value ?? '');
const count = z.number().int().min(0).max(2_147_483_647);
const counted = count.nullish().transform((value) => value ?? 0);
const moment = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value).toISOString())
  // A shifted year 1 or 9999 leaves what a database can hold.
  .refine((value) => /^(?!0000)\d{4}-/.test(value));
const noMoment = moment.nullish().transform((value) => value ?? null);
const nothing = line(256)
  .nullish()
  .transform((value) => value ?? null);
const tags = z
  .array(line(64).min(1))
  .max(50)
  .nullish()
  .transform((names) => names ?? []);

export const PoolRow = z.object({
  uuid: Uuid,
  name: line(256).min(1),
  short_name: label,
  comments: text(4096),
  state: line(64).min(1),
  visible: optional(z.boolean()).transform((value) => value ?? true),
  maintenance: flag,
  protocols: z.array(line(64)).max(16),
  initial_srvs: counted,
  cache_l1_srvs: counted,
  cache_l2_srvs: counted,
  max_srvs: counted,
  workplaces_count: counted,
  in_use_count: counted,
  in_preparation_count: counted,
  usage_percent: z
    .number()
    .min(0)
    .max(1_000_000)
    .nullish()
    .transform((value) => value ?? 0),
  restrained: flag,
  tags,
});

/** What a newer node may know and we do not. */
const known =
  <const T extends string>(words: readonly T[], otherwise: T) =>
  (word: string): T =>
    words.find((one) => one === word) ?? otherwise;

const workplaceStates = ['preparing', 'ready', 'in_use', 'removing', 'error', 'maintenance'] as const;
const machineStates = ['running', 'stopped', 'suspended', 'starting', 'stopping', 'unknown'] as const;

export const WorkplaceRow = z.object({
  uuid: Uuid,
  name: line(256).min(1),
  servicepool_uuid: Uuid,
  servicepool_name: label,
  unique_id: label,
  hostname: label,
  ip: label,
  state: z.string().max(64).transform(known(workplaceStates, 'error')),
  machine_state: z.string().max(64).transform(known(machineStates, 'unknown')),
  owner: z
    .object({ domain: label, name: line(256).min(1) })
    .nullish()
    .transform((owner) => owner ?? null),
  in_use: flag,
  in_use_since: noMoment,
  client_ip: nothing,
  client_host: nothing,
  maintenance: flag,
  tags,
  agent_version: nothing,
  agent_seen_at: noMoment,
  revision: counted,
  created_at: noMoment,
});

export const SessionRow = z.object({
  session_uuid: Uuid,
  servicepool_uuid: Uuid,
  servicepool_name: label,
  workplace_uuid: Uuid,
  workplace_name: label,
  workplace_ip: label,
  user: line(256).min(1),
  domain: label,
  protocol: line(64),
  client_ip: nothing,
  client_host: nothing,
  gateway_id: Uuid.nullish().transform((value) => value ?? null),
  state: z.enum(['active', 'disconnected']),
  started_at: moment,
  last_seen_at: moment,
});

export const TagRow = z.object({ uuid: Uuid, name: line(256).min(1) });

export const listShapes = {
  servicespools: PoolRow,
  workplaces: WorkplaceRow,
  spsessions: SessionRow,
  tags: TagRow,
} as const satisfies Record<ListKind, z.ZodType>;
export type ListRow<K extends ListKind> = z.output<(typeof listShapes)[K]>;

/** A page before its rows are looked at one by one. */
export const RawPage = z.object({
  items: z.array(z.unknown()).max(1000),
  next: z.string().min(1).max(4096).nullish(),
  // Given back to the node as it came: what we made of it might lie after a change.
  as_of: stored(64).pipe(z.iso.datetime({ offset: true })),
  removed: optional(z.array(Uuid).max(100_000)),
});
