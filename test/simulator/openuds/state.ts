import { randomBytes, randomUUID } from 'node:crypto';

/** Versions of the broker whose behaviour differs. */
export type Mode = '3.6' | '4.0' | '5.0';

type Authenticator = { id: string; name: string; label: string };
type Group = { id: string; authenticator: string; name: string; isMeta: boolean };
export type User = {
  id: string;
  authenticator: string;
  name: string;
  realName: string;
  password: string;
  state: 'A' | 'I';
  isStaff: boolean;
  isAdmin: boolean;
  groups: Set<string>;
};
export type Transport = {
  id: string;
  name: string;
  type: string;
  protocol: string;
  priority: number;
  pools: Set<string>;
  systems: string[];
  /** Addresses of clients that it is for; empty for all. */
  networks: string[];
  label: string;
  settings: Record<string, unknown>;
};
/** A service whose desktops come from one of several pools, which are not services of their own then. */
export type MetaPool = {
  id: string;
  name: string;
  groups: Set<string>;
  /** The first is preferred. */
  pools: string[];
  /** Whether users choose a transport of all pools, a label of transports, or the broker chooses. */
  grouping: 'none' | 'common' | 'label';
};
export type Pool = {
  id: string;
  name: string;
  members: Record<string, unknown>;
  state: string;
  provider: string;
  usesCache: boolean;
  canReset: boolean;
  maxDesktops: number;
  /** Too many of its desktops failed, so that none is made. */
  isRestrained: boolean;
  groups: Set<string>;
  access: unknown[];
  osManager: string | null;
  /** How a connection to its desktops answers: the code of what is missing, or 0 for ready. */
  missing: 0 | 1 | 2 | 3 | 4;
};
export type Desktop = {
  id: string;
  pool: string;
  name: string;
  uniqueId: string;
  /** Null in the cache. */
  owner: string | null;
  cacheLevel: number;
  state: string;
  osState: string;
  ip: string;
  actorVersion: string;
  createdAt: number;
  inUse: boolean;
  inUseAt: number;
  source: string;
  sourceHost: string;
};
type Provider = { id: string; name: string; maintenance: boolean };
type OsManager = { id: string; name: string; settings: Record<string, unknown> };

export type Session = { key: string; scrambler: string; user: string; endsAt: number };
type Ticket = {
  authenticator: string;
  username: string;
  groups: string[];
  pool: string | null;
  endsAt: number;
};
type Link = { scrambler: string; desktop: string; endsAt: number };

export type BrokerState = {
  authenticators: Authenticator[];
  groups: Group[];
  users: User[];
  providers: Provider[];
  osManagers: OsManager[];
  transports: Transport[];
  pools: Pool[];
  metaPools: MetaPool[];
  desktops: Desktop[];
  sessions: Map<string, Session>;
  tickets: Map<string, Ticket>;
  links: Map<string, Link>;
  /** Rows in the table of web sessions: one more for each request without a cookie. */
  webSessions: number;
  /** Failed logins by address, with their times. */
  failedLogins: number[];
  /** Addresses from which administrators are accepted; `*` for all. */
  trustedAdmins: string;
  /** As most databases compare names: without regard to case, accents and spaces at the end. SQLite compares exactly. */
  ignoresCase: boolean;
  /** Whether the last address of `X-Forwarded-For` counts as that of the client. */
  isBehindProxy: boolean;
  /** Milliseconds to add to the clock. */
  skewMs: number;
};

export const secret = (length: number): string => randomBytes(length).toString('hex').slice(0, length);
export const newId = (): string => randomUUID();

/** An empty broker with one authenticator of the label `corp`. */
export function emptyBroker(): BrokerState {
  return {
    authenticators: [{ id: newId(), name: 'Company users', label: 'corp' }],
    ...{ groups: [], users: [], providers: [{ id: newId(), name: 'Machines', maintenance: false }] },
    ...{ osManagers: [], transports: [], pools: [], metaPools: [], desktops: [] },
    ...{ sessions: new Map(), tickets: new Map(), links: new Map(), webSessions: 0 },
    ...{ failedLogins: [], trustedAdmins: '*', ignoresCase: false, isBehindProxy: false, skewMs: 0 },
  };
}

/** True if the database takes one name for the other. */
export const isSameName = ({ ignoresCase }: BrokerState, one: string, other: string): boolean =>
  ignoresCase
    ? one.trimEnd().localeCompare(other.trimEnd(), 'en', { sensitivity: 'base' }) === 0
    : one === other;

export const nowOf = ({ skewMs }: BrokerState): number => Date.now() + skewMs;
export const secondsOf = (state: BrokerState): number => Math.floor(nowOf(state) / 1_000);

/** "Never" of the broker: the local midnight of 1972-07-01. */
export const never = 78_793_200;
