import {
  atomically,
  type BuildBatch,
  type Lease as FrameLease,
  OpeningError,
  withFrame,
} from '../../../db/client.ts';
import { asAppError, isReferenceViolation, pgFault, raisedByMust } from '../../../db/errors.ts';
import {
  claimNewKey,
  endLease,
  type KeyLease,
  type KeyOwner,
  keyIsLocked,
  keyIsStored,
  leaseKey,
  releaseKey,
  storeResponse,
} from '../../../db/repositories/jobs/idempotency-keys.ts';
import type { BaseDeps } from '../../context/context.ts';
import type { SignedIn } from '../../context/principal.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { AppError, problemProperties } from '../../kernel/errors.ts';
import { canonicalJson } from '../../kernel/json/json.ts';
import { withoutTrailingSlashes } from '../../kernel/text.ts';
import type { RequestCtx } from '../context.ts';
import type { RawInput } from '../declare/operation.ts';
import {
  fingerprintOf,
  type Keyed,
  keyOwner,
  type ResponseStorage,
  replayStored,
  type Storable,
  storable,
} from './stored-response.ts';
import { type LateWrites, type Run, runWithin } from './transactional.ts';

export const requestText = (method: string, path: string, { query, body }: RawInput): string =>
  canonicalJson([method, withoutTrailingSlashes(path), query, body]);

/**
 * Runs an operation in one transaction with the row of its key, so that the change and the stored response are
 * committed together. A retry receives the stored response, and the operation is not run again. With a driver that
 * holds no transaction open, the change is committed together with a lease of the key, and the response is stored
 * afterwards: the outcome of an operation that was interrupted in between is unknown.
 * @throws AppError `idempotency_in_progress`, `idempotency_mismatch`, `outcome_unknown`, `forbidden` if the caller had
 *   more permissions at the time of the response, and the errors of the operation
 */
export async function runOnce<D extends BaseDeps>(
  ctx: RequestCtx<D, SignedIn>,
  keyed: Keyed,
  operation: ResponseStorage,
  run: Run<D>,
): Promise<Response> {
  const { db } = ctx.deps;
  const owner = keyOwner(ctx.principal, keyed.key);
  const late: LateWrites = [];
  try {
    const outcome = await withFrame<Outcome>(db, {
      opening: (h) => claimNewKey(h, owner, ctx.now),
      work: async (handle) => {
        const answer = await runWithin(ctx, handle, run, late).catch(refusalOf);
        return answer instanceof AppError ? answer : storable(ctx, owner, keyed, answer, operation);
      },
      closing: (h, result) => (result instanceof AppError ? [] : [storeResponse(h, owner, result.stored)]),
      lease: leaseFor(ctx, owner, keyed),
    });
    for (const write of late) ctx.later(write);
    if (outcome instanceof AppError) throw outcome;
    return outcome.answer;
  } catch (error) {
    if (error instanceof OpeningError && isStored(error)) return replayStored(ctx, keyed, owner);
    throw explained(error);
  }
}

/** The result of an operation: what is stored, or a rejection, of which nothing is stored. */
type Outcome = Storable | AppError;

const leaseFor = (
  ctx: RequestCtx<BaseDeps, SignedIn>,
  owner: KeyOwner,
  keyed: Keyed,
): FrameLease<Outcome> => ({
  take: (h) => [leaseKey(h, owner, leaseOf(ctx, keyed))],
  isRefusal: (error) => isClaimed(raisedByMust(error)?.code) || isOwnerGone(error),
  // The effects of a rejection stay, and a retry runs again.
  closing: (h, result) => [
    result instanceof AppError ? releaseKey(h, owner) : storeResponse(h, owner, result.stored),
  ],
  abandon: (h) => [endLease(h, owner)],
  onExpiry: (error) =>
    ctx.deps.log.error('a response could not be stored', {
      request_id: ctx.requestId,
      error,
    }),
});

/**
 * Runs an operation with an effect on another system. The key is claimed first. The effect cannot be rolled back, so an
 * operation without a response, or with a failure as response, is never run again.
 * @throws AppError `idempotency_in_progress`, `idempotency_mismatch`, `outcome_unknown`, `forbidden` if the caller had
 *   more permissions at the time of the response, and the errors of the operation
 */
export async function runLeased<D extends BaseDeps>(
  ctx: RequestCtx<D, SignedIn>,
  keyed: Keyed,
  operation: ResponseStorage,
  run: Run<D>,
): Promise<Response> {
  const { db } = ctx.deps;
  const owner = keyOwner(ctx.principal, keyed.key);
  const claim: BuildBatch = (h) => [
    ...claimNewKey(h, owner, ctx.now),
    leaseKey(h, owner, leaseOf(ctx, keyed)),
  ];
  try {
    await atomically(db, claim);
  } catch (error) {
    if (isStored(error)) return replayStored(ctx, keyed, owner);
    throw explained(error);
  }
  const answer = await run(ctx).catch(async (error: unknown) => {
    await (isWithoutEffect(error) ? releaseKey(db, owner) : endLease(db, owner));
    throw error;
  });
  const { answer: unread, stored } = await storable(ctx, owner, keyed, answer, operation);
  await Promise.resolve(storeResponse(db, owner, stored)).catch(explainOwner);
  return unread;
}

const leaseOf = ({ deps, now }: RequestCtx<BaseDeps, SignedIn>, keyed: Keyed): KeyLease => ({
  fingerprint: fingerprintOf(deps, keyed),
  now,
  until: addSeconds(now, leaseS),
});

/** Lease in seconds; longer than the time limit of any call to a dispatcher. */
const leaseS = 60;

const isStored = (error: unknown): boolean => raisedByMust(error)?.code === keyIsStored;

const isClaimed = (code?: string): boolean => code === keyIsStored || code === keyIsLocked;

/** The user or the peer was deleted during the request. */
const isOwnerGone = (error: unknown): boolean =>
  pgFault(error)?.constraint?.startsWith('idempotency_keys') === true && isReferenceViolation(error);

/** True for a rejection, and for a farm of which no node was called. */
function isWithoutEffect(error: unknown): boolean {
  const { code } = asAppError(error);
  return problemProperties(code).status < 500 || code === 'upstream_unavailable';
}

/**
 * A rejection is not stored, but must not roll back the transaction: its effects, such as the counter of failed
 * attempts, are the same with and without a key.
 */
function refusalOf(error: unknown): AppError {
  const refusal = asAppError(error);
  if (problemProperties(refusal.code).status >= 500) throw error;
  return refusal;
}

function explainOwner(error: unknown): never {
  throw explained(error);
}

const explained = (error: unknown): unknown =>
  isOwnerGone(error) ? new AppError('invalid_token', undefined, {}, { cause: error }) : error;
