import type { CertificateFacts } from '../http/transport.ts';
import type {
  Assistance,
  Delivery,
  MaintenanceOrder,
  MessageOrder,
  Policy,
  PoolOrder,
  WorkplaceOrders,
} from './action-shapes.ts';
import type { Ignored } from './liberal.ts';
import type { ListKind, ListRow } from './list-shapes.ts';
import type { Connection, Domain, Health, Readiness, Service } from './shapes.ts';

/** A dispatcher node as a destination; `url` is https without query and fragment, `caCertificate` PEM. */
export type Node = {
  id: string;
  /** Also the audience of the tokens that we sign for it. */
  name: string;
  url: string;
  caCertificate?: string | undefined;
  verifyTls: boolean;
  timeoutMs: number;
};

/** What a node is told about the request that made us call. */
export type Trace = { requestId: string; traceparent?: string | undefined };

/** Where a call goes and how long it may take altogether: `deadlineMs`, and never longer than the node's timeout. */
type Destination = {
  node: Node;
  trace: Trace;
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** A call with a session key of the node; whose session it is decides what the node shows. */
export type Call = Destination & { key: string };

/** What the client component says of itself; absent members are not passed on. */
export type ConnectionQuery = {
  protocol?: string | undefined;
  client_version?: string | undefined;
  hostname?: string | undefined;
};

/**
 * Which part of a list: what comes after `cursor`, what changed after `since` (an `as_of` of this node), only if it is
 * no longer what `etag` stands for.
 */
export type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  since?: string | undefined;
  etag?: string | undefined;
};

/** A row of a node, and which of its members were ignored because they were not as they should be. */
export type CheckedRow<Row> = { row: Row; ignored: Ignored[] };

/**
 * `removed` is there only when the rows are what changed after `since`; without it they are the full list. `dropped` has one
 * entry for each row without an identity.
 */
export type ListPage<Row> = {
  rows: CheckedRow<Row>[];
  dropped: Ignored[];
  next: string | null;
  asOf: string;
  removed: string[] | undefined;
  etag: string | undefined;
};

/**
 * What we call on a dispatcher node. Nothing is tried again here: trying another node, and renewing a key after
 * a 401 (`isUnauthorized`), is decided by the caller.
 *
 * Every method throws AppError with member `dispatcher`: `upstream_timeout`, `upstream_tls`, `upstream_refused`,
 * `upstream_failed` (each but the first with a `reason`); those about one object also `not_found` and
 * `invalid_state`.
 */
export type DispatcherRemote = DispatcherActions & {
  /** Exchanges a JWT of ours for a session key. */
  authorize(request: Destination & { jwt: string }): Promise<{ token: string; expiresInS: number }>;
  /** Ends the session key; a key that the node does not accept any more counts as ended. */
  logOut(call: Call): Promise<void>;
  domains(call: Call): Promise<Domain[]>;
  /** `fail` is an answer, not an error. */
  health(request: Destination & { healthKey: string }): Promise<Health>;
  /** All pages, at most 5,000 services, within one deadline. */
  services(call: Call): Promise<Service[]>;
  /** @throws AppError `service_in_preparation` with `reason_code`, `percent`, `retry_after_ms`, `retry_after_s` */
  connectionInfo(call: Call, uuid: string, query: ConnectionQuery): Promise<Connection>;
  preconnectionInfo(call: Call, uuid: string, query: ConnectionQuery): Promise<Readiness>;
  reconnect(call: Call, sessionUuid: string): Promise<{ link: string; expires_in: number }>;
  /** One page of what the node owns, at most 1,000 rows and 2 MiB. @returns null when nothing changed since `etag` */
  list<K extends ListKind>(call: Call, kind: K, query: ListQuery): Promise<ListPage<ListRow<K>> | null>;
  /** The certificate that the node shows; absent where the runtime does not show it. */
  certificate?(request: Omit<Destination, 'trace'>): Promise<CertificateFacts>;
};

/** The members of a row that the answer to an order has; none where the node only said that it was carried out. */
export type Answered<K extends ListKind> = Partial<ListRow<K>>;

/**
 * What administrators do on a node with a session of the aggregator itself; each is sent once, and answered by the row as it
 * is now, as far as the node shows it. They throw as the port says, and `not_found` and `invalid_state` about the object.
 */
export type DispatcherActions = {
  policies(call: Call, pool: string): Promise<Policy[]>;
  updatePool(call: Call, pool: string, order: PoolOrder): Promise<Answered<'servicespools'>>;
  maintainPool(call: Call, pool: string, order: MaintenanceOrder): Promise<Answered<'servicespools'>>;
  /** To whoever works at these workplaces of the pool. */
  sendMessage(call: Call, pool: string, order: MessageOrder): Promise<Delivery>;
  changeWorkplace<V extends keyof WorkplaceOrders>(
    call: Call,
    workplace: string,
    verb: V,
    order: WorkplaceOrders[V],
  ): Promise<Answered<'workplaces'>>;
  deleteWorkplace(call: Call, workplace: string): Promise<Answered<'workplaces'>>;
  /** `logoff` ends the session, which is then gone. */
  endSession(call: Call, session: string, verb: 'disconnect' | 'logoff'): Promise<Answered<'spsessions'>>;
  /** A one-time URL to look over the shoulder of whoever works in the session. */
  assistSession(call: Call, session: string): Promise<Assistance>;
};
