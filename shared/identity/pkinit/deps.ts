import type { Ctx } from '../../http/context.ts';
import type { OpenTcp } from '../../remotes/kerberos/transport.ts';
import type { Candidate, LoginDeps } from '../login/attempt.ts';
import type { Proof } from '../login/password.ts';
import type { CardName } from './card-names.ts';

/**
 * Finds the user of a principal that the KDC has vouched for in the directory of his domain; one that logs in for the
 * first time is made by what the proof writes. By the UPN where there is one, else by the name.
 */
export type FindDirectoryAccount = (
  ctx: Ctx<LoginDeps>,
  domain: Candidate['domain'],
  name: CardName,
) => Promise<Proof | undefined>;

export type CardDeps = LoginDeps & {
  openTcp: OpenTcp;
  /** Without it only users that are there already log in. */
  findDirectoryAccount?: FindDirectoryAccount;
};
export type CardCtx = Ctx<CardDeps>;
