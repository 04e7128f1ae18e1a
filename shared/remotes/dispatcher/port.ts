import type { CertificateFacts, Transport } from '../http/transport.ts';
import type {
  Connection,
  ConnectionLink,
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
  /** Only for kinds with the capability `service_account`. */
  account?: ServiceAccount | undefined;
  /** Origin of links for users, as in `https://vdi.example.com`. Default: that of `url`. */
  publicUrl?: string | undefined;
  /** True if the node trusts the addresses of users that the portal sends. Default false. */
  sendsClientAddress?: boolean | undefined;
  /** How users of the portal are named on the nodes of the farm. Default: as in the portal. */
  identity?: IdentityMapping | undefined;
};

/** The account of the portal on a node. `domain` is a label of the node; `password` is sealed for the row of the node. */
export type ServiceAccount = { domain: string; name: string; password: string };

/** Forms of a login name on a node: as in the portal, in lower case, or without the part from `@` on. */
export const userNameForms = ['unchanged', 'lower_case', 'without_suffix'] as const;
export type UserNameForm = (typeof userNameForms)[number];

/**
 * Names of users on the nodes of a farm. A domain without an entry has the same label on the nodes, and its login names
 * are unchanged.
 * @property createsUsers true if a user that the nodes do not have may be created there
 */
export type IdentityMapping = {
  createsUsers: boolean;
  domains: { label: string; nodeLabel: string; userNames: UserNameForm }[];
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

/**
 * Returns a session key of the aggregator itself for the node of a call. With `refused`, a key that the node has
 * rejected, it returns another one.
 * @throws AppError as `authorize`
 */
export type OwnKey = (refused?: string) => Promise<string>;

/**
 * A call with a session key of the node. Only the adapter that issued the key can interpret it. `ownKey` is for
 * requests that the key of a user does not allow. Without it, `key` is that of the aggregator itself.
 */
export type Call = Destination & { key: string; ownKey?: OwnKey | undefined };

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
  /** Present if `principal` is a user. */
  ownKey?: OwnKey | undefined;
  /** True in a connection test, whose refusals do not count for the node. Default false. */
  isTest?: boolean | undefined;
};

/** A session key of a node, and its validity in seconds. */
export type IssuedKey = { token: string; expiresInS: number };

/** Signs a JWT of this installation. */
type TokenSigner = {
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
export type DispatcherAdapter = DispatcherKeys &
  DispatcherActions & {
    domains(call: Call): Promise<Domain[]>;
    /** The status `fail` is a result, not an error. */
    health(request: Destination & { healthKey: string }): Promise<Health>;
    /** All services, at most 5,000, within one deadline. */
    services(call: Call): Promise<Service[]>;
    /**
     * @throws AppError `service_in_preparation` with `reason_code`, `percent`, `retry_after_ms`, `retry_after_s`;
     *   `invalid_state` with `reason`; `upstream_unavailable` with the reason `outcome_unknown` (`fromConnecting`)
     */
    connectionInfo(call: Call, uuid: string, query: ConnectionQuery): Promise<Connection | ConnectionLink>;
    preconnectionInfo(call: Call, uuid: string, query: ConnectionQuery): Promise<Readiness>;
    reconnect(call: Call, sessionUuid: string): Promise<Reconnection>;
    /**
     * One page of a list, at most 1,000 rows and 2 MiB; a kind without the capability `paged_lists` may return up to
     * 50,000 rows in one page. @returns null if nothing changed since `etag`
     */
    list<K extends ListKind>(call: Call, kind: K, query: ListQuery): Promise<ListPage<ListRow<K>> | null>;
    /**
     * What the account of the portal may do on the node, in the order of the checks. Nothing is changed on the node. Only
     * for kinds with the capability `service_account`.
     */
    accountRights?(call: Call): Promise<AccountRight[]>;
  };

/** The session keys of a node. */
export type DispatcherKeys = {
  /** Obtains a session key for a principal. @throws AppError `not_known_here` if the node refuses the person */
  authorize(request: AuthorizeRequest): Promise<IssuedKey>;
  /** Ends the session key. A key that the node no longer accepts counts as ended. */
  logOut(call: Call): Promise<void>;
};

/**
 * `trusted_address`: the node accepts administrators from the address of the portal; `administrator`: the account is an
 * administrator; `tickets`: the account may obtain keys of users.
 */
export const accountRights = ['trusted_address', 'administrator', 'tickets'] as const;

/** `isGranted` is undefined if an earlier right is missing. */
export type AccountRight = { right: (typeof accountRights)[number]; isGranted: boolean | undefined };

/**
 * Orders of administrators, sent with a session of the aggregator itself. Each order is sent once. The result is the
 * row after the order, as far as the node reports it.
 */
export type DispatcherActions = {
  policies(call: Call, pool: string): Promise<Policy[]>;
  /**
   * @param seen the settings that the order replaces. A kind without conditional changes compares them first.
   * @throws AppError `invalid_state` with the reason `changed_meanwhile` if the node has others
   */
  updatePool(
    call: Call,
    pool: string,
    order: PoolOrder,
    seen?: PoolOrder,
  ): Promise<Answered<'servicespools'>>;
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

/**
 * Limits logins with the account of the portal, over all processes. A broker may block the address of a client after a
 * few wrong passwords, so a refused account is not tried again for some time.
 */
export type LoginGuard = {
  /**
   * Runs one login. At most one runs at a time for each account.
   * @param login resolves to undefined if the broker refuses the account
   * @param isTest default false
   * @throws AppError `upstream_refused` with reason `account_refused`; without a login `account_held` if the account was
   *   refused recently, and `account_paused` if several others were
   */
  attempt<T>(node: Node, login: (password: string) => Promise<T | undefined>, isTest?: boolean): Promise<T>;
};

/** A kind of dispatcher: creates its adapter over the transport of the runtime. */
export type DispatcherKind<Adapter = DispatcherAdapter> = { create(parts: KindParts): Adapter };
export type KindParts = { transport: Transport; signer: TokenSigner; logins: LoginGuard };

/** Dispatchers of all kinds; the kind of the node selects the adapter. */
export type DispatcherRemote = DispatcherAdapter & {
  /** The TLS certificate of a node of any kind; absent if the runtime cannot read it. */
  certificate?(request: Omit<Destination, 'trace'>): Promise<CertificateFacts>;
};
