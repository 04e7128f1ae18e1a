import { idOf } from '../../kernel/ids.ts';
import { foldName } from '../../kernel/text.ts';

/*
 * Rows of the lists that dispatcher nodes own. Only the identity of a row is required. A member that the node does not
 * report is null; a state is then `unknown`. An adapter normalises rows for storage: identifiers in lower case, times
 * as RFC 3339 in UTC, numbers within the range of their columns.
 */

export const listKinds = ['servicespools', 'workplaces', 'spsessions', 'tags'] as const;
export type ListKind = (typeof listKinds)[number];

/** A state that a node does not report, or that the portal does not support. No connection is made in this state. */
export const unknown = 'unknown';

export const workplaceStates = [
  'preparing',
  'ready',
  'in_use',
  'removing',
  'error',
  'maintenance',
  unknown,
] as const;
export type WorkplaceState = (typeof workplaceStates)[number];

export const machineStates = ['running', 'stopped', 'suspended', 'starting', 'stopping', unknown] as const;
export type MachineState = (typeof machineStates)[number];

export const sessionStates = ['active', 'disconnected', unknown] as const;
export type SessionState = (typeof sessionStates)[number];

type PoolRow = {
  uuid: string;
  name: string | null;
  short_name: string | null;
  comments: string | null;
  state: string;
  visible: boolean | null;
  maintenance: boolean | null;
  protocols: string[] | null;
  initial_srvs: number | null;
  cache_l1_srvs: number | null;
  cache_l2_srvs: number | null;
  max_srvs: number | null;
  workplaces_count: number | null;
  in_use_count: number | null;
  in_preparation_count: number | null;
  usage_percent: number | null;
  restrained: boolean | null;
  tags: string[] | null;
};

type WorkplaceRow = {
  uuid: string;
  name: string | null;
  servicepool_uuid: string | null;
  servicepool_name: string | null;
  unique_id: string | null;
  hostname: string | null;
  ip: string | null;
  state: WorkplaceState;
  machine_state: MachineState;
  /** `domain` is a label; empty if the node does not report it. */
  owner: { domain: string; name: string } | null;
  in_use: boolean | null;
  in_use_since: string | null;
  client_ip: string | null;
  client_host: string | null;
  maintenance: boolean | null;
  tags: string[] | null;
  agent_version: string | null;
  agent_seen_at: string | null;
  revision: number | null;
  created_at: string | null;
};

type SessionRow = {
  session_uuid: string;
  servicepool_uuid: string | null;
  servicepool_name: string | null;
  workplace_uuid: string | null;
  workplace_name: string | null;
  workplace_ip: string | null;
  user: string | null;
  domain: string | null;
  protocol: string | null;
  client_ip: string | null;
  client_host: string | null;
  gateway_id: string | null;
  state: SessionState;
  started_at: string | null;
  last_seen_at: string | null;
};

/** Tags are identified by their names. A tag may have no `uuid`. */
type TagRow = { uuid: string | null; name: string };

type Rows = { servicespools: PoolRow; workplaces: WorkplaceRow; spsessions: SessionRow; tags: TagRow };
export type ListRow<K extends ListKind> = Rows[K];

/** The UUID namespace for the identifiers of tags without an identifier of their node. */
const tagNames = '0d6a3f0c-5c0e-5d8a-9c53-8a6a2d1f7e10';

/** Returns the identifier of a tag without one of its node. Equal names have equal identifiers. */
export const tagId = (name: string): string => idOf(foldName(name), tagNames);

/** Reasons why a member is ignored. The list is closed, because the reasons are labels of metrics. */
export const ignoredReasons = [
  'missing',
  'wrong_type',
  'out_of_range',
  'wrong_format',
  'unknown_value',
  'unusable',
] as const;
export type IgnoredReason = (typeof ignoredReasons)[number];

/** An ignored member of a row. `member` is a name of the port, or `row` if the row is not an object. */
export type Ignored = { member: string; reason: IgnoredReason };

/**
 * Selects a part of a list: the rows after `cursor`, or the changes after `since` (an `as_of` of the same node). With
 * `etag`, the result is null if the list has not changed.
 */
export type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  since?: string | undefined;
  etag?: string | undefined;
};

/** A row with the members that were ignored because they were malformed. */
export type CheckedRow<Row> = { row: Row; ignored: Ignored[] };

/**
 * `removed` is present only if the rows are the changes after `since`; otherwise the rows are the full list. `dropped`
 * has one entry for each row without an identity.
 */
export type ListPage<Row> = {
  rows: CheckedRow<Row>[];
  dropped: Ignored[];
  next: string | null;
  asOf: string;
  removed: string[] | undefined;
  etag: string | undefined;
};

/** The members of a row in the response to an order. Empty if the node only confirmed the order. */
export type Answered<K extends ListKind> = Partial<ListRow<K>>;
