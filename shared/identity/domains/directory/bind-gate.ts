import type { Db } from '../../../../db/client.ts';
import {
  findRefusal,
  forgetRefusal,
  noteRefused,
  takeRetry,
} from '../../../../db/repositories/identity/directory/refusals.ts';
import { addSeconds, type Clock } from '../../../kernel/clock.ts';
import type { Sealer } from '../../../kernel/crypto/sealing.ts';
import { AppError } from '../../../kernel/errors.ts';
import { message } from '../../../messages/message.ts';
import type { BindGate, Directory } from '../../../remotes/directory/port.ts';

type Deps = { db: Db; sealer: Sealer; clock: Clock };
type Domain = { id: string; name: string };

/** Seconds within which a process must record the result of a claimed attempt. */
const attemptS = 60;

/**
 * Prevents the lockout of the search account by a password that the directory has refused. No process tries the same
 * password again before the retry time. Another password is tried at once.
 * @param isTrial the account differs from the stored one, so its result counts only if the directory refused this
 *   account before
 */
export function bindGate(
  { db, sealer, clock }: Deps,
  { id, name }: Domain,
  directory: Directory,
  isTrial = false,
): BindGate {
  const { account, hosts } = directory;
  const fingerprint = sealer.fingerprint(
    'directory-refusals',
    JSON.stringify([hosts, account?.dn, account?.password]),
  );
  let refused: string | undefined;
  return {
    before: async () => {
      const refusal = await findRefusal(db, id);
      refused = refusal?.fingerprint;
      if (refusal?.fingerprint !== fingerprint) return;
      const now = clock();
      const isDue = refusal.retryAt <= now;
      const until = addSeconds(now, attemptS);
      if (isDue && (await takeRetry(db, id, fingerprint, { now, until }))) return;
      throw heldBack(isDue ? until : refusal.retryAt, now);
    },
    after: async (isAccepted) => {
      if (isTrial && refused !== fingerprint) return;
      if (!isAccepted) return noteRefused(db, id, fingerprint, record(clock(), { id, name }));
      if (refused !== undefined) await forgetRefusal(db, id);
    },
  };
}

const heldBack = (retryAt: Date, now: Date): AppError =>
  new AppError(
    'upstream_refused',
    message('The directory rejected the password of the search account; the next attempt is at {time}', {
      time: retryAt.toISOString(),
    }),
    { reason: 'account', retry_after_s: Math.ceil((retryAt.getTime() - now.getTime()) / 1000) },
  );

const record = (at: Date, { id, name }: Domain) => ({
  at,
  level: 'warning' as const,
  source: 'portal' as const,
  object_type: 'authenticator' as const,
  object_id: id,
  object_name: name,
  code: 'directory_account_refused',
  message: `The directory of ${name} rejected the password of the search account; logins fail until it is corrected`,
});
