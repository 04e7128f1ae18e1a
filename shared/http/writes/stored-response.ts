import {
  findKey,
  type KeyOwner,
  type StoredResponse,
} from '../../../db/repositories/jobs/idempotency-keys.ts';
import type { StoredRight } from '../../../db/schema/jobs/idempotency-keys.ts';
import type { Access } from '../../access/guard.ts';
import type { BaseDeps } from '../../context/context.ts';
import { ownerOf, type SignedIn } from '../../context/principal.ts';
import { grantsOf, missingFor } from '../../context/rights.ts';
import type { SealedField } from '../../kernel/crypto/sealing.ts';
import { AppError } from '../../kernel/errors.ts';
import type { RequestCtx } from '../context.ts';
import type { Operation } from '../declare/operation.ts';
import { withoutSecrets } from './transactional.ts';

/** The key of a request, and a text by which requests with the same key are distinguished. */
export type Keyed = { key: string; request: string };

/** Properties of an operation that determine how its response is stored. */
export type ResponseStorage = Pick<Operation<never>, 'access' | 'shownOnce'>;

/** Headers that are stored with the status and the body of a response. */
const storedHeaders = ['content-type', 'etag', 'location'];

/**
 * The fingerprint uses a secret key. With a plain hash, the passwords in bodies could be guessed while the row exists.
 */
export const fingerprintOf = ({ sealer }: BaseDeps, { request }: Keyed): string =>
  sealer.fingerprint('idempotency', request);

/** A response with an unread body, and what is stored of it for retries. */
export type Storable = { answer: Response; stored: StoredResponse };

/** Returns what is stored of a response for retries, and the same response with an unread body. */
export async function storable(
  ctx: RequestCtx<BaseDeps, SignedIn>,
  owner: KeyOwner,
  keyed: Keyed,
  answer: Response,
  { access, shownOnce }: ResponseStorage,
): Promise<Storable> {
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
 * Returns the stored response of the first request with the key.
 * @throws AppError `idempotency_in_progress`, `idempotency_mismatch`, `outcome_unknown`, `forbidden`
 */
export async function replayStored(
  ctx: RequestCtx<BaseDeps, SignedIn>,
  keyed: Keyed,
  owner: KeyOwner,
): Promise<Response> {
  const stored = await findKey(ctx.deps.db, owner, ctx.now);
  // The row was deleted meanwhile: its user was, it has expired, or its request was rejected.
  if (!stored) throw new AppError('idempotency_in_progress');
  return replay(ctx, keyed, stored);
}

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
      { missing },
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

export const keyOwner = (principal: SignedIn, key: string): KeyOwner => {
  const { kind, id } = ownerOf(principal);
  return { kind, id, key };
};

const placeOf = ({ id, key }: KeyOwner): SealedField => ({
  table: 'idempotency_keys',
  row: `${id}/${key}`,
  column: 'sealed_body',
});
