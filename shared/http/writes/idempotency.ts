import { OpeningError, withFrame } from '../../../db/client.ts';
import { asAppError, isReferenceViolation, pgFault, raisedByMust } from '../../../db/errors.ts';
import {
  claimKey,
  claimNewKey,
  endLease,
  findKey,
  type KeyOwner,
  keyIsStored,
  releaseKey,
  type StoredResponse,
  storeResponse,
} from '../../../db/repositories/jobs/idempotency-keys.ts';
import type { StoredRight } from '../../../db/schema/jobs/idempotency-keys.ts';
import type { Access } from '../../access/guard.ts';
import type { BaseDeps } from '../../context/context.ts';
import { ownerOf, type SignedIn } from '../../context/principal.ts';
import { grantsOf, missingFor } from '../../context/rights.ts';
import { addSeconds } from '../../kernel/clock.ts';
import type { SealedField } from '../../kernel/crypto/sealing.ts';
import { AppError, problemProperties } from '../../kernel/errors.ts';
import { canonicalJson } from '../../kernel/json/json.ts';
import { withoutTrailingSlashes } from '../../kernel/text.ts';
import type { RequestCtx } from '../context.ts';
import type { Operation, RawInput } from '../declare/operation.ts';
import { type LateWrites, type Run, runWithin, withoutSecrets } from './transactional.ts';

/** The key of a request, and a text by which requests with the same key are distinguished. */
export type Keyed = { key: string; request: string };

/** Properties of an operation that determine how its response is stored. */
type ResponseStorage = Pick<Operation<never>, 'access' | 'shownOnce'>;

/** Headers that are stored with the status and the body of a response. */
const storedHeaders = ['content-type', 'etag', 'location'];

export const requestText = (method: string, path: string, { query, body }: RawInput): string =>
  canonicalJson([method, withoutTrailingSlashes(path), query, body]);

/**
 * The fingerprint uses a secret key. With a plain hash, the passwords in bodies could be guessed while the row exists.
 */
const fingerprintOf = ({ sealer }: BaseDeps, { request }: Keyed): string =>
  sealer.fingerprint('idempotency', request);

/**
 * Runs an operation in one transaction with the row of its key, so that the change and the stored response are
 * committed together. A retry receives the stored response, and the operation is not run again.
 * @throws AppError `idempotency_in_progress`, `idempotency_mismatch`, `outcome_unknown`, `forbidden` if the caller had
 *   more permissions at the time of the response, and the errors of the operation
 */
export async function runOnce<D extends BaseDeps>(
  ctx: RequestCtx<D, SignedIn>,
  keyed: Keyed,
  operation: ResponseStorage,
  run: Run<D>,
): Promise<Response> {
  const owner = keyOwner(ctx.principal, keyed.key);
  const late: LateWrites = [];
  try {
    const outcome = await withFrame(ctx.deps.db, {
      opening: (h) => claimNewKey(h, owner, ctx.now),
      work: async (handle) => {
        const answer = await runWithin(ctx, handle, run, late).catch(refusalOf);
        return answer instanceof AppError ? answer : storable(ctx, owner, keyed, answer, operation);
      },
      closing: (h, result) => (result instanceof AppError ? [] : [storeResponse(h, owner, result.stored)]),
    });
    for (const write of late) ctx.later(write);
    if (outcome instanceof AppError) throw outcome;
    return outcome.answer;
  } catch (error) {
    if (!isStored(error)) throw explained(error);
    const stored = await findKey(ctx.deps.db, owner, ctx.now);
    // The row was deleted meanwhile: its user was, or it has expired.
    if (!stored) throw new AppError('idempotency_in_progress');
    return replay(ctx, keyed, stored);
  }
}

const isStored = (error: unknown): boolean =>
  error instanceof OpeningError && raisedByMust(error)?.code === keyIsStored;

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
  const lease = {
    fingerprint: fingerprintOf(ctx.deps, keyed),
    now: ctx.now,
    until: addSeconds(ctx.now, leaseS),
  };
  if (!(await claimKey(db, owner, lease).catch(explainOwner))) {
    const stored = await findKey(db, owner, ctx.now);
    if (stored) return replay(ctx, keyed, stored);
    throw new AppError('idempotency_in_progress');
  }
  const answer = await run(ctx).catch(async (error: unknown) => {
    await (isWithoutEffect(error) ? releaseKey(db, owner) : endLease(db, owner));
    throw error;
  });
  const { answer: unread, stored } = await storable(ctx, owner, keyed, answer, operation);
  await Promise.resolve(storeResponse(db, owner, stored)).catch(explainOwner);
  return unread;
}

/** Lease in seconds; longer than the time limit of any call to a dispatcher. */
const leaseS = 60;

/** True for a rejection, and for a farm of which no node was called. */
function isWithoutEffect(error: unknown): boolean {
  const { code } = asAppError(error);
  return problemProperties(code).status < 500 || code === 'upstream_unavailable';
}

/** Returns what is stored of a response for retries, and the same response with an unread body. */
async function storable(
  ctx: RequestCtx<BaseDeps, SignedIn>,
  owner: KeyOwner,
  keyed: Keyed,
  answer: Response,
  { access, shownOnce }: ResponseStorage,
): Promise<{ answer: Response; stored: StoredResponse }> {
  const body = await answer.text();
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => storedHeaders.includes(name)));
  const stored = {
    fingerprint: fingerprintOf(ctx.deps, keyed),
    created_at: ctx.now,
    status: answer.status,
    headers,
    sealed_body: body && (await ctx.deps.sealer.seal(withoutSecrets(body, shownOnce), placeOf(owner))),
    rights: rightsAt(ctx, access),
  };
  return { answer: new Response(body || null, answer), stored };
}

/**
 * The current rights of the principal. A response of an operation without a permission contains only data of the
 * caller.
 */
const rightsAt = ({ principal }: RequestCtx<BaseDeps, SignedIn>, access: Access): StoredRight[] =>
  access === 'public' || access === 'signed-in'
    ? []
    : grantsOf(principal).map(({ permissions, scope }) => ({ permissions, scope }));

/**
 * A rejection is not stored, but must not roll back the transaction: its effects, such as the counter of failed
 * attempts, are the same with and without a key.
 */
function refusalOf(error: unknown): AppError {
  const refusal = asAppError(error);
  if (problemProperties(refusal.code).status >= 500) throw error;
  return refusal;
}

/** The user or the peer was deleted during the request. */
function explainOwner(error: unknown): never {
  throw explained(error);
}

const explained = (error: unknown): unknown =>
  pgFault(error)?.constraint?.startsWith('idempotency_keys') && isReferenceViolation(error)
    ? new AppError('invalid_token', undefined, {}, { cause: error })
    : error;

type KeyRecord = NonNullable<Awaited<ReturnType<typeof findKey>>>;

/**
 * Returns the stored response. The guard has checked the permission, but not the content of the response, which is
 * returned only if the caller still holds all the rights of that time.
 */
async function replay(
  { deps, now, principal }: RequestCtx<BaseDeps, SignedIn>,
  { key, request }: Keyed,
  { status, headers, sealed_body, ...stored }: KeyRecord,
): Promise<Response> {
  const { sealer } = deps;
  // The fingerprint was made with a key that is no longer configured, so neither the request nor its response can be
  // checked.
  if (!sealer.keyIds.includes(sealer.keyIdOf(stored.fingerprint))) throw new AppError('outcome_unknown');
  if (!sealer.isFingerprintOf(stored.fingerprint, 'idempotency', request))
    throw new AppError('idempotency_mismatch');
  if (status === null) {
    const isRunning = stored.lease_until !== null && stored.lease_until > now;
    throw new AppError(isRunning ? 'idempotency_in_progress' : 'outcome_unknown');
  }
  const missing = missingFor(principal, stored.rights);
  if (missing.length > 0)
    throw new AppError(
      'forbidden',
      'The first response was sent when the caller had more permissions than now',
      {
        missing,
      },
    );
  const body = sealed_body
    ? await sealer.open(sealed_body, placeOf(keyOwner(principal, key))).catch(unreadable)
    : null;
  return new Response(body, { status, headers: headers ?? {} });
}

/** The change was made, but the key that encrypted the stored response is no longer configured. */
function unreadable(cause: unknown): never {
  throw new AppError('outcome_unknown', undefined, {}, { cause });
}

const keyOwner = (principal: SignedIn, key: string): KeyOwner => {
  const { kind, id } = ownerOf(principal);
  return { kind, id, key };
};

const placeOf = ({ id, key }: KeyOwner): SealedField => ({
  table: 'idempotency_keys',
  row: `${id}/${key}`,
  column: 'sealed_body',
});
