import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { appendAudit } from '../../../db/repositories/audit/events.ts';
import { clearFailures } from '../../../db/repositories/identity/login/logins.ts';
import { findSiteName } from '../../../db/repositories/identity/passkeys/challenges.ts';
import {
  deletePasskey,
  findPasskeyByCredential,
  findPasskeyReferences,
  findUserPasskey,
  maxPasskeys,
  renamePasskey,
} from '../../../db/repositories/identity/passkeys/passkeys.ts';
import { findSecondFactor } from '../../../db/repositories/identity/second-factors.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import type { OpenAttempt } from '../login/account.ts';
import { refuseAttempt } from '../login/attempt.ts';
import { factorEvent } from '../second-factor/codes.ts';
import {
  type OwnCtx,
  openOwn,
  ownerOf,
  type PasswordProof,
  proveOpened,
} from '../second-factor/owner-proof.ts';
import { takesPasskeys } from '../second-factor/passkey-support.ts';
import { newChallenge } from './challenges.ts';
import { creationOptions, noPasskeys } from './options.ts';
import { provePasskey, withPasskeyFactor } from './proof.ts';
import {
  accountFor,
  type NamedRegistration,
  newUserHandle,
  proveRegistration,
  type RegistrationProof,
  storageError,
  tooMany,
} from './registration.ts';
import type { Assertion, CreationOptions } from './shapes.ts';

/** The proof of the owner of a session: a password with a code, or a passkey of the account. */
export type OwnProof = PasswordProof | { assertion: Assertion };

/**
 * Options for a passkey of the caller, who must prove the identity again.
 * @throws AppError `invalid_credentials`, `locked_out`, `two_factor_required`; `invalid_state` if the account cannot
 *   have another passkey
 */
export async function startRegistration(ctx: OwnCtx, proof: OwnProof): Promise<CreationOptions> {
  const { user, domain, session } = ctx.principal;
  const { db, baseUrl } = ctx.deps;
  const statements = await proveOwn(ctx, proof);
  const [existing, siteName] = await Promise.all([findPasskeyReferences(db, user.id), findSiteName(db)]);
  if (existing.length >= maxPasskeys) throw tooMany();
  const userHandle = existing[0]?.user_handle ?? newUserHandle();
  const challenge = await newChallenge(ctx, { ceremony: 'own_registration', id: session.id }, userHandle);
  const account = accountFor(userHandle, user, domain.label, siteName);
  const options = creationOptions(baseUrl, challenge, account, existing);
  await atomically(db, (h) => statements(h));
  return options;
}

/**
 * Stores the passkey that the authenticator of the caller has created.
 * @throws AppError `invalid_credentials` for a response that is not valid or not expected; `already_exists`,
 *   `invalid_state`
 */
export async function finishRegistration(ctx: OwnCtx, named: NamedRegistration): Promise<RegistrationProof> {
  const { session, user } = ctx.principal;
  const found = await findSecondFactor(ctx.deps.db, user.id, {}, ctx.now);
  const purpose = { ceremony: 'own_registration', id: session.id } as const;
  const isFirst = !found.factor && !found.hasPasskey;
  const proof = await proveRegistration(ctx, ownerOf(ctx), purpose, named, isFirst);
  if (!proof) throw new AppError('invalid_credentials');
  await atomically(ctx.deps.db, proof.statements).catch((error: unknown) => {
    throw storageError(error);
  });
  return proof;
}

/**
 * A request without changes is still a write: it returns the passkey and writes an audit event.
 * @throws AppError `not_found` also for a passkey of another user
 */
export async function renameOwnPasskey(ctx: OwnCtx, id: string, newName: string | undefined) {
  const { user } = ctx.principal;
  const passkey = await findUserPasskey(ctx.deps.db, user.id, id);
  if (!passkey) throw notFound();
  const name = newName ?? passkey.name;
  const details = { passkey_id: id, passkey: name, former_name: passkey.name };
  const audit = factorEvent(ctx, ownerOf(ctx), 'rename_passkey', details);
  await atomically(ctx.deps.db, (h) => [renamePasskey(h, user.id, id, name), appendAudit(h, audit)]);
  return { ...passkey, name };
}

/** @throws AppError `not_found` also for a passkey of another user, and those of `proveOwn` */
export async function deleteOwnPasskey(ctx: OwnCtx, id: string, proof: OwnProof): Promise<void> {
  const { user } = ctx.principal;
  const passkey = await findUserPasskey(ctx.deps.db, user.id, id);
  if (!passkey) throw notFound();
  const statements = await proveOwn(ctx, proof);
  const details = { passkey_id: id, passkey: passkey.name };
  const audit = factorEvent(ctx, ownerOf(ctx), 'remove_passkey', details);
  await atomically(ctx.deps.db, (h) => [
    ...statements(h),
    ...deletePasskey(h, user.id, id),
    appendAudit(h, audit),
  ]);
}

/**
 * Checks that the owner of the session is present. Failures count as login failures.
 * @throws AppError `invalid_credentials`, `locked_out`; `two_factor_required` for a password without a required code;
 *   `invalid_state` if users of the domain cannot have passkeys
 */
async function proveOwn(ctx: OwnCtx, proof: OwnProof): Promise<(h: Db) => Statement[]> {
  if ('password' in proof) {
    const opened = await openOwn(ctx);
    assertTakesPasskeys(ctx, opened);
    const { statements } = await proveOpened(ctx, opened, proof);
    return statements;
  }
  const attempt = withPasskeyFactor(await openOwn(ctx));
  assertTakesPasskeys(ctx, attempt);
  const found = await findPasskeyByCredential(ctx.deps.db, proof.assertion.id);
  const isOwn = found?.passkey.user_id === ctx.principal.user.id;
  const purpose = { ceremony: 'sign_in' } as const;
  const proven = isOwn && (await provePasskey(ctx, ownerOf(ctx), found.passkey, purpose, proof.assertion));
  if (!proven) return refuseAttempt(ctx, attempt);
  return (h) => [...clearFailures(h, attempt.key, ctx.now), ...proven.statements(h)];
}

function assertTakesPasskeys({ deps }: OwnCtx, { candidate }: OpenAttempt): void {
  if (!candidate || !takesPasskeys(deps.baseUrl, candidate.domain.type)) throw noPasskeys();
}
