import type { Db, Statement } from '../../../db/client.ts';
import type { findCandidates } from '../../../db/repositories/identity/login/logins.ts';
import type { BaseDeps, ClientCtx } from '../../context/context.ts';
import type { DirectoryRemote } from '../../remotes/directory/port.ts';
import type { Hasher, Place } from '../passwords.ts';
import type { Tried } from './limits.ts';

export type LoginDeps = BaseDeps & { hasher: Hasher; directories: DirectoryRemote };
export type LoginCtx = ClientCtx<LoginDeps>;

/** The domain of a login as the specification has it, identifiers in its own spelling. */
export type NamedDomain = {
  authId?: string | undefined;
  auth?: string | undefined;
  authSmallName?: string | undefined;
};

/** What a client says of itself and of what it wants, whatever it proves who it is by. */
export type LoginWishes = {
  portal?: 'admin' | 'user' | undefined;
  platform?: string | undefined;
  locale?: string | undefined;
  /** The session is one of a browser: its token goes into a cookie, and is of no use elsewhere. */
  inBrowser?: boolean | undefined;
};

/** A domain that was named, and its user of the name, if there is one. */
export type Candidate = Awaited<ReturnType<typeof findCandidates>>[number];
export type Account = Candidate & { user: NonNullable<Candidate['user']> };

/** A login under way, before anything is proved; neither a lock nor a limit stands in its way. */
export type OpenAttempt = Tried & {
  username: string;
  candidate: Candidate | undefined;
  /** The key of the name that was typed, if the directory knows the account by another one. */
  alias?: Tried['key'];
};

/** The account that was proved, and what the batch that opens the session must write, or find still true. */
export type Proof = {
  account: Account;
  statements(h: Db): Statement[];
  /** What makes the row of a user of a directory, for a batch before that one. */
  settle?(h: Db): Statement[];
  /** What the event of the login says besides. */
  details?: Record<string, unknown>;
};

/** An attempt with its proof, undefined if it was wrong. */
export type Judged = { attempt: OpenAttempt; proof: Proof | undefined };

/** Where the hash of an attempt stands in line. */
export const placeOf = ({ isKnown, key }: Tried): Place => ({
  line: isKnown ? 'known' : 'unknown',
  owner: key.network,
});
