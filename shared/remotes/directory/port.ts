import type { Filter } from './filters.ts';
import type { Judgement } from './judgement.ts';

/** A directory as a destination. */
export type Directory = {
  /** `ldap://` and `ldaps://` URLs of servers that hold the same, asked in this order. */
  hosts: readonly string[];
  startTls: boolean;
  /** PEM; in the place of the public authorities. */
  ca: string | undefined;
  /** Who searches; anonymous without one. The password is never empty. */
  account: { dn: string; password: string } | undefined;
  /** Bounds everything from the first connection to the last answer. */
  timeoutMs: number;
  pageSize: number;
  /** Whose directory it is: connections are kept for it. Without one nothing is kept. */
  domain?: string;
  /** Asked around each bind of the account. */
  gate?: BindGate;
};

/** Keeps a password of the account that was refused from being tried again too soon. */
export type BindGate = {
  /** @throws AppError when the account must not be tried now */
  before(): Promise<void>;
  after(isAccepted: boolean): Promise<void>;
};

/**
 * Names of attributes are in lower case. Security identifiers have their text form (`S-1-5-…`), `objectGUID` is hexadecimal;
 * other values that are no text are left out.
 */
export type Entry = { dn: string; values: Readonly<Record<string, readonly string[]>> };

export type Search = {
  base: string;
  /** Whatever is below the base as well, unless told. */
  scope?: 'base' | 'sub';
  filter: Filter;
  attributes: readonly string[];
  /** The attributes come without values. */
  namesOnly?: boolean;
  /** No more entries than these come back. */
  most: number;
};

/** Access to one server, which searches as the account of the directory. */
export type DirectorySession = {
  /** References to other servers are not followed. */
  search(search: Search): Promise<Entry[]>;
  /** Asks once whether this is the password of an entry; an empty one is not sent: servers take it for anonymous. */
  judge(dn: string, password: string): Promise<Judgement>;
};

export type DirectoryRemote = {
  /**
   * Works with a server of the directory. When the server fails before it has judged a password, the work runs once more
   * from its start on another server.
   * @param requestMs bounds the wait for a connection and the work together
   * @throws AppError `upstream_timeout`, `upstream_tls`, `upstream_refused`, `upstream_failed` with a `reason`;
   * `overloaded` when the time of the request is over
   */
  within<T>(
    directory: Directory,
    work: (session: DirectorySession) => Promise<T>,
    requestMs?: number,
  ): Promise<T>;
};
