import type { Filter } from './filters.ts';

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
};

/** Names of attributes are in lower case; `objectGUID` is read as hexadecimal, other values that are no text are left out. */
export type Entry = { dn: string; values: Readonly<Record<string, readonly string[]>> };

export type Search = {
  base: string;
  /** Whatever is below the base as well, unless told. */
  scope?: 'base' | 'sub';
  filter: Filter;
  attributes: readonly string[];
  /** No more entries than these come back. */
  most: number;
};

/** A connection to one server, which searches as the account of the directory. */
export type DirectorySession = {
  /** References to other servers are not followed. */
  search(search: Search): Promise<Entry[]>;
  /** Asks once whether this is the password of an entry; an empty one is not sent, servers take it for anonymous. */
  accepts(dn: string, password: string): Promise<boolean>;
};

export type DirectoryRemote = {
  /**
   * Connects to the first server that can be used, and works there; what has begun there is not begun elsewhere.
   * @throws AppError `upstream_timeout`, `upstream_tls`, `upstream_refused`, `upstream_failed` with a `reason`; `overloaded`
   */
  within<T>(directory: Directory, work: (session: DirectorySession) => Promise<T>): Promise<T>;
};
