import type { Db, Statement } from '../../../db/client.ts';
import { raisedByMust } from '../../../db/errors.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import {
  addPasskey,
  addPasskeyCodes,
  type NewPasskey,
} from '../../../db/repositories/identity/passkeys/passkeys.ts';
import { randomToken } from '../../kernel/crypto/digests.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { LoginCtx } from '../login/account.ts';
import { factorEvent, type Owner } from '../second-factor/codes.ts';
import { newRecoveryCodes, recoveryHash } from '../second-factor/recovery-codes.ts';
import { type Purpose, spendChallenge } from './challenges.ts';
import type { PasskeyAccount } from './options.ts';
import type { Registration } from './shapes.ts';
import { clientDataOf, verifyRegistration } from './verification.ts';

/** A passkey with its name, as a client sends it. */
export type NamedRegistration = { name: string; registration: Registration };

/** A new passkey, and the statements that store it. `recoveryCodes` is set for the first second factor of a user. */
export type RegistrationProof = {
  passkey: NewPasskey & { id: string };
  recoveryCodes?: string[];
  statements(h: Db): Statement[];
};

/** A handle for a user without passkeys. It is random, because authenticators store it. */
export const newUserHandle = (): string => randomToken();

/** The account as the authenticator shows it. */
export const accountFor = (
  userHandle: string,
  user: { name: string; realName: string },
  domain: string,
  siteName: string | null,
): PasskeyAccount => ({
  userHandle,
  name: `${domain}/${user.name}`,
  displayName: user.realName || user.name,
  site: siteName || 'Aggregator portal',
});

/**
 * Checks the response of an authenticator that has created a passkey. The challenge is spent in any case.
 * @param isFirst the user has no second factor yet, and receives recovery codes
 * @returns undefined for a response that is not valid
 */
export async function proveRegistration(
  ctx: LoginCtx,
  owner: Owner,
  purpose: Purpose,
  { name, registration }: NamedRegistration,
  isFirst: boolean,
): Promise<RegistrationProof | undefined> {
  const data = clientDataOf(registration);
  const challenge = data && !data.crossOrigin && (await spendChallenge(ctx, purpose, data.challenge));
  if (!challenge) return undefined;
  const credential = await verifyRegistration(ctx.deps.baseUrl, registration, data.challenge);
  if (!credential) return undefined;
  const passkey = {
    ...credential,
    ...{ id: newId(), user_id: owner.user.id, user_handle: challenge.userHandle },
    ...{ name, created_at: ctx.now, last_used_at: null, blocked_at: null },
  };
  const recoveryCodes = isFirst ? newRecoveryCodes() : undefined;
  const details = { passkey_id: passkey.id, passkey: name };
  const audit = factorEvent(ctx, owner, 'add_passkey', details);
  return {
    passkey,
    ...(recoveryCodes && { recoveryCodes }),
    statements: (h) => [
      ...addPasskey(h, passkey),
      ...(recoveryCodes ? addPasskeyCodes(h, owner.user.id, recoveryCodes.map(recoveryHash)) : []),
      appendAudit(h, audit),
    ],
  };
}

/** The error for the caller if a passkey could not be stored. */
export function storageError(error: unknown): unknown {
  const raised = raisedByMust(error);
  if (raised?.reason === 'too_many_passkeys') return tooMany();
  return raised?.code === 'already_exists' ? new AppError('already_exists') : error;
}

export const tooMany = (): AppError =>
  new AppError('invalid_state', undefined, { reason: 'too_many_passkeys' });
