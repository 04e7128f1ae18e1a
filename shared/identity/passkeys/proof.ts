import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { blockPasskey, noteUse, type Passkey } from '../../../db/repositories/identity/passkeys/passkeys.ts';
import type { LoginCtx, OpenAttempt } from '../login/account.ts';
import { factorEvent, type Owner } from '../second-factor/codes.ts';
import { type Purpose, spendChallenge } from './challenges.ts';
import type { Assertion } from './shapes.ts';
import { clientDataOf, type VerifiedAssertion, verifyAssertion } from './verification.ts';

/** A genuine use of a passkey, and the statement that records it in the batch of its effect. */
export type PasskeyProof = { statements(h: Db): Statement[]; details: Record<string, unknown> };

/**
 * Checks a response of an authenticator. The challenge is spent in any case. A passkey whose counter goes back is
 * blocked, because another device can have a copy of its key.
 * @returns undefined for a response that is not valid
 */
export async function provePasskey(
  ctx: LoginCtx,
  owner: Owner,
  passkey: Passkey,
  purpose: Purpose,
  assertion: Assertion,
): Promise<PasskeyProof | undefined> {
  const data = clientDataOf(assertion);
  if (!data || data.crossOrigin || !isOfOwner(passkey, purpose, assertion)) return undefined;
  if (!(await spendChallenge(ctx, purpose, data.challenge))) return undefined;
  const verified = await verifyAssertion(ctx.deps.baseUrl, passkey, assertion, data.challenge);
  if (!verified || passkey.blocked_at) return undefined;
  if (isRegression(passkey, verified)) {
    await block(ctx, owner, passkey, verified);
    return undefined;
  }
  const use = { ...verified, at: ctx.now };
  return {
    statements: (h) => [noteUse(h, passkey.id, use)],
    details: { passkey_id: passkey.id, passkey: passkey.name },
  };
}

/** The handle names the user of a discoverable credential (WebAuthn, 7.2, step 6). After a password it is optional. */
function isOfOwner({ user_handle }: Passkey, { ceremony }: Purpose, { response }: Assertion): boolean {
  const { userHandle } = response;
  return userHandle == null ? ceremony === 'second_factor' : userHandle === user_handle;
}

/** Authenticators without a counter always send 0 (WebAuthn, 6.1.1). */
const isRegression = ({ counter: last }: Passkey, { counter }: VerifiedAssertion): boolean =>
  (counter !== 0 || last !== 0) && counter <= last;

async function block(
  ctx: LoginCtx,
  owner: Owner,
  { id, name, counter: last }: Passkey,
  { counter }: VerifiedAssertion,
): Promise<void> {
  const details = { passkey_id: id, passkey: name, counter, last_counter: last };
  const event = { ...factorEvent(ctx, owner, 'block_passkey', details), level: 'warning' as const };
  await atomically(ctx.deps.db, (h) => [blockPasskey(h, id, ctx.now), appendAudit(h, event)]);
}

/** An attempt that is refused and counted as one with a passkey. */
export const withPasskeyFactor = (attempt: OpenAttempt): OpenAttempt => ({ ...attempt, factor: 'passkey' });
