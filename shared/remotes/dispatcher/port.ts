import type { CertificateFacts, Transport } from '../http/transport.ts';
import type {
  Connection,
  ConnectionQuery,
  Domain,
  Health,
  Readiness,
  Reconnection,
  Service,
} from './connections.ts';
import type {
  Assistance,
  Delivery,
  MaintenanceOrder,
  MessageOrder,
  Policy,
  PoolOrder,
  WorkplaceOrders,
} from './orders.ts';
import type { Answered, ListKind, ListPage, ListQuery, ListRow } from './rows.ts';

/** A dispatcher node as a destination. `url` is an https URL without query and fragment, `caCertificate` is PEM. */
export type Node = {
  id: string;
  kind: string;
  name: string;
  url: string;
  caCertificate?: string | undefined;
  verifyTls: boolean;
  timeoutMs: number;
};

/** The request that causes a call. The ids are sent to the node. */
export type Trace = { requestId: string; traceparent?: string | undefined };

/** The node of a call, and the total time limit: `deadlineMs`, but at most the time limit of the node. */
export type Destination = {
  node: Node;
  trace: Trace;
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** The time limit of a call in milliseconds. */
export const deadlineOf = ({ node, deadlineMs }: Pick<Destination, 'node' | 'deadlineMs'>): number =>
  Math.min(deadlineMs ?? node.timeoutMs, node.timeoutMs);

/** A call with a session key of the node. Only the adapter that issued the key can interpret it. */
export type Call = Destination & { key: string };

/** The principal of a call to a node. `domain` is a label, `groups` are names. */
export type DispatcherPrincipal = {
  /** Null for the aggregator itself. */
  user: { id: string; name: string; domain: string; groups: string[]; clientIp: string } | null;
  /** Distinguishes the keys of one node. It changes with everything that affects the rights of a key. */
  subject: string;
};

/**
 * The input of an authorization. `lifeS` limits the validity of anything that the adapter signs at `now`, in seconds.
 */
export type AuthorizeRequest = Destination & {
  principal: Pick<DispatcherPrincipal, 'user'>;
  now: Date;
  lifeS: number;
};

/** A session key of a node, and its validity in seconds. */
export type IssuedKey = { token: string; expiresInS: number };

/** Signs a JWT of this installation. */
export type TokenSigner = {
  signFor(
    audience: string,
    claims: { sub: string } & Record<string, unknown>,
    now: Date,
    lifeS: number,
  ): Promise<string>;
};

/**
 * The adapter of one kind of dispatcher. It does not retry. The caller decides whether to use another node, or a new
 * key after a rejected one (`isUnauthorized`).
 *
 * Every method throws an AppError with the member `dispatcher`: `upstream_timeout`, `upstream_tls`, `upstream_refused`
 * or `upstream_failed` (all except the first one with a `reason`). Methods for one object also throw `not_found` and
 * `invalid_state`.
 */
export type DispatcherAdapter = DispatcherActions & {
  /** Obtains a session key for a principal. */
  authorize(request: AuthorizeRequest): Promise<IssuedKey>;
  /** Ends the session key. A key that the node no longer accepts counts as ended. */
  logOut(call: Call): Promise<void>;
  domains(call: Call): Promise<Domain[]>;
  /** The status `fail` is a result, not an error. */
  health(request: Destination & { healthKey: string }): Promise<Health>;
  /** All services, at most 5,000, within one deadline. */
  services(call: Call): Promise<Service[]>;
  /** @throws AppError `service_in_preparation` with `reason_code`, `percent`, `retry_after_ms`, `retry_after_s` */
  connectionInfo(call: Call, uuid: string, query: ConnectionQuery): Promise<Connection>;
  preconnectionInfo(call: Call, uuid: string, query: ConnectionQuery): Promise<Readiness>;
  reconnect(call: Call, sessionUuid: string): Promise<Reconnection>;
  /** One page of a list, at most 1,000 rows and 2 MiB. @returns null if nothing changed since `etag` */
  list<K extends ListKind>(call: Call, kind: K, query: ListQuery): Promise<ListPage<ListRow<K>> | null>;
};

/**
 * Orders of administrators, sent with a session of the aggregator itself. Each order is sent once. The result is the
 * row after the order, as far as the node reports it.
 */
export type DispatcherActions = {
  policies(call: Call, pool: string): Promise<Policy[]>;
  updatePool(call: Call, pool: string, order: PoolOrder): Promise<Answered<'servicespools'>>;
  maintainPool(call: Call, pool: string, order: MaintenanceOrder): Promise<Answered<'servicespools'>>;
  /** Sends a message to the users of these workplaces of the pool. */
  sendMessage(call: Call, pool: string, order: MessageOrder): Promise<Delivery>;
  changeWorkplace<V extends keyof WorkplaceOrders>(
    call: Call,
    workplace: string,
    verb: V,
    order: WorkplaceOrders[V],
  ): Promise<Answered<'workplaces'>>;
  deleteWorkplace(call: Call, workplace: string): Promise<Answered<'workplaces'>>;
  /** `logoff` ends the session; it no longer exists afterwards. */
  endSession(call: Call, session: string, verb: 'disconnect' | 'logoff'): Promise<Answered<'spsessions'>>;
  /** A one-time URL to assist the user of the session. */
  assistSession(call: Call, session: string): Promise<Assistance>;
};

/** A kind of dispatcher: creates its adapter over the transport of the runtime. */
export type DispatcherKind = { create(parts: KindParts): DispatcherAdapter };
export type KindParts = { transport: Transport; signer: TokenSigner };

/** Dispatchers of all kinds; the kind of the node selects the adapter. */
export type DispatcherRemote = DispatcherAdapter & {
  /** The TLS certificate of a node of any kind; absent if the runtime cannot read it. */
  certificate?(request: Omit<Destination, 'trace'>): Promise<CertificateFacts>;
};
