import type { Db, Statement } from '../../../db/client.ts';
import type { findCandidates } from '../../../db/repositories/identity/login/logins.ts';
import type { BaseDeps, ClientCtx } from '../../context/context.ts';
import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import type { Hasher, Place } from '../passwords.ts';
import type { Tried } from './limits.ts';

export type LoginDeps = BaseDeps & { hasher: Hasher; directories: DirectoryRemote };
export type LoginCtx = ClientCtx<LoginDeps>;

/** The domain of a login, with the member names of the specification. */
export type NamedDomain = {
  authId?: string | undefined;
  auth?: string | undefined;
  authSmallName?: string | undefined;
};

/** Facts about the client and its preferences, independent of the authentication method. */
export type LoginOptions = {
  portal?: 'admin' | 'user' | undefined;
  platform?: string | undefined;
  locale?: string | undefined;
  /** True for a browser session. Its token is sent as a cookie and is not accepted elsewhere. */
  inBrowser?: boolean | undefined;
  /** SHA-256 of the token of the session that the browser has had until now. It ends. */
  formerSession?: string | undefined;
};

/** The domain of a login, and its user with the name, if there is one. */
export type Candidate = Awaited<ReturnType<typeof findCandidates>>[number];
export type Account = Candidate & { user: NonNullable<Candidate['user']> };

/** An open login before authentication. No lock or limit refuses it. */
export type OpenAttempt = Tried & {
  username: string;
  candidate: Candidate | undefined;
  /** The failure key of the typed name, if the directory has another name for the account. */
  alias?: Tried['key'];
};

/**
 * The authenticated account, and the statements of the batch that opens the session. They include the conditions that
 * must still be true.
 */
export type Proof = {
  account: Account;
  statements(h: Db): Statement[];
  /** Statements that create or update the row of a directory user, for an earlier batch. */
  settle?(h: Db): Statement[];
  /** Additional details of the login event. */
  details?: Record<string, unknown>;
  /** Identifier of the session to open, and statements about it that follow on its row. */
  session?: { id: string; statements(h: Db): Statement[] };
};

/** An attempt with its proof. `proof` is undefined after failed authentication. */
export type CheckedPassword = { attempt: OpenAttempt; proof: Proof | undefined };

/** The position of the attempt in the queue of the password hasher. */
export const placeOf = ({ isKnown, key }: Tried): Place => ({
  line: isKnown ? 'known' : 'unknown',
  owner: key.network,
});
