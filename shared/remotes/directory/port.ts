import type { Filter } from './filters.ts';
import type { PasswordVerdict } from './password-verdict.ts';

/** A directory with its connection settings. */
export type Directory = {
  /** `ldap://` and `ldaps://` URLs of replicas, in order of preference. */
  hosts: readonly string[];
  startTls: boolean;
  /** PEM; replaces the public certificate authorities. */
  ca: string | undefined;
  /** The search account; anonymous if undefined. The password is never empty. */
  account: { dn: string; password: string } | undefined;
  /** Time limit for everything from the first connection to the last response. */
  timeoutMs: number;
  pageSize: number;
  /** The domain of the directory. Connections are pooled by domain; without one they are not pooled. */
  domain?: string;
  /** Called before and after each bind of the search account. */
  gate?: BindGate;
  identity?: DirectoryIdentity;
};

/**
 * How a directory is recognized behind its addresses. Each new connection reads it once, as the search account.
 * Connections with another base are not reused.
 */
export type DirectoryIdentity = {
  base: string;
  /** @returns undefined if the directory does not show an identity */
  read(search: DirectorySession['search']): Promise<string | undefined>;
};

/** Prevents retries with a rejected password of the search account. */
export type BindGate = {
  /** @throws AppError if the account must not be tried now */
  before(): Promise<void>;
  after(isAccepted: boolean): Promise<void>;
};

/**
 * Attribute names are in lower case. Security identifiers are in text form (`S-1-5-…`), `objectGUID` is hexadecimal;
 * other binary values are omitted.
 */
export type Entry = { dn: string; values: Readonly<Record<string, readonly string[]>> };

export type Search = {
  base: string;
  /** Default `sub`: the base and everything below it. */
  scope?: 'base' | 'sub';
  filter: Filter;
  attributes: readonly string[];
  /** Returns attributes without values. */
  namesOnly?: boolean;
  /** Maximum number of entries. */
  most: number;
};

/** Access to one server; searches run as the search account. */
export type DirectorySession = {
  /** The identity of the directory that this connection leads to. Undefined if it shows none. */
  authority: string | undefined;
  /** Referrals are not followed. */
  search(search: Search): Promise<Entry[]>;
  /** Checks the password of an entry once. An empty password is not sent, because servers treat it as anonymous. */
  checkPassword(dn: string, password: string): Promise<PasswordVerdict>;
};

export type DirectoryRemote = {
  /**
   * Runs the work with a server of the directory. If the server fails before it has checked a password, the work is
   * restarted on another server.
   * @param requestMs time limit for waiting and work in total
   * @throws AppError `upstream_timeout`, `upstream_tls`, `upstream_refused`, `upstream_failed` with a `reason`;
   * `overloaded` if the time limit of the request is exceeded
   */
  within<T>(
    directory: Directory,
    work: (session: DirectorySession) => Promise<T>,
    requestMs?: number,
  ): Promise<T>;
};
