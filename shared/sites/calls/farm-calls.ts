import type { FarmNode } from '../../../db/repositories/sites/farm-nodes.ts';
import { AppError } from '../../kernel/errors.ts';
import { isKeyRefused, isUnauthorized, isUnsent, outcomeUnknown } from '../../remotes/dispatcher/failures.ts';
import type { Call, DispatcherPrincipal } from '../../remotes/dispatcher/port.ts';
import { refusalReasonOf } from '../../remotes/dispatcher/refusals.ts';
import type { UserFarm, UserSite } from '../user-site.ts';
import { circuitOpen, noteOutcome, probeCircuit } from './circuit.ts';
import {
  type CallCtx,
  cachedKey,
  dropCachedKey,
  type KeyRequest,
  nodeOf,
  obtainKey,
  ownKeyOf,
} from './dispatcher-keys.ts';
import { countCall, orderNodes } from './order.ts';

/*
 * The steps of every call of a dispatcher: node → slot → key → call → circuit record. `tryNode` is the only function
 * that sends the request. The steps exchange data only.
 */

/** The part of a request or job context that calls of a farm need. */
export type FarmCtx = CallCtx & { requestId: string };

/** One request to a node. */
export type NodeRequest<T> = (call: Call) => Promise<T>;

/**
 * The failure after which another node is tried. `unsent` is for calls with an effect: another node is tried only if
 * the first node did not receive the request.
 */
export type Retry = 'failed' | 'unsent';

/** A farm, the principal of the call, and the abort signal. */
export type FarmTarget = {
  site: Pick<UserSite, 'uri'>;
  farm: UserFarm;
  principal: DispatcherPrincipal;
  signal?: AbortSignal | undefined;
  /** Default `failed`. */
  retry?: Retry | undefined;
};

/** The result of a call of one node. `asked` is false if the node issued no key, so that the request was not sent. */
type Attempt<T> = { ok: true; value: T } | { ok: false; error: unknown; isSent: boolean };

/** At most one further node is tried, so that a request does not wait for every unreachable node of a farm. */
const tries = 2;

/**
 * Calls the healthiest node of the farm, and another node if the first cannot respond or refuses the person.
 * @throws AppError with `site` and `farm`: `not_known_here` if a node refuses the person and no other one answers;
 *   otherwise that of the node whose request may have had an effect, or of the last node tried; `upstream_unavailable`
 *   for a farm without nodes
 */
export async function callFarm<T>(ctx: FarmCtx, to: FarmTarget, request: NodeRequest<T>): Promise<T> {
  const { farm, signal, retry } = to;
  probeOpenCircuits(ctx, farm);
  const failed: AppError[] = [];
  for (const [n, node] of nodesToTry(ctx, farm).entries()) {
    if (n > 0) await jitter();
    if (signal?.aborted) break;
    const attempt = await inSlot(ctx, to, node, request);
    if (attempt.ok) return attempt.value;
    const { error, isSent } = attempt;
    if (!isRefusal(error) && !isNodeFailure(error)) throw error;
    failed.push(error);
    if (retry === 'unsent' && isSent && !isRefusal(error) && !isUnsent(error)) break;
  }
  throw failureOf(to, failed);
}

/**
 * A request whose effect is not known outweighs all others. A refusal is certain, so it counts more than a node that did
 * not answer.
 */
function failureOf({ site, farm }: FarmTarget, failed: readonly AppError[]): AppError {
  const mayHaveActed = failed.find(({ members }) => members.reason === outcomeUnknown);
  const cause =
    mayHaveActed ??
    failed.find(isRefusal) ??
    failed.at(-1) ??
    (farm.nodes.length > 0 ? circuitOpen() : withoutNodes());
  const members = { ...cause.members, site: site.uri, farm: farm.name };
  return new AppError(cause.code, cause.detail, members, { cause });
}

const nodesToTry = (ctx: FarmCtx, farm: UserFarm): FarmNode[] => {
  const closed = farm.nodes.filter(({ circuit }) => circuit === 'closed');
  return orderNodes(closed, farm.balancing, countCall(ctx.deps, farm)).slice(0, tries);
};

/**
 * Calls one node within a slot of the semaphore for outgoing calls. The circuit record is written after the response.
 */
function inSlot<T>(
  ctx: FarmCtx,
  { principal, signal }: FarmTarget,
  stored: FarmNode,
  request: NodeRequest<T>,
): Promise<Attempt<T>> {
  const { parameters } = ctx;
  const node = nodeOf(stored, parameters['aggregator.call_timeout_ms']);
  return ctx.upstream(async () => {
    // The wait for the slot can exceed the deadline. That is not a failure of the node.
    if (signal?.aborted) return { ok: false, error: new AppError('upstream_timeout'), isSent: false };
    const note = (error?: unknown) => noteOutcome(ctx, node, stored, parameters, error);
    // The wait for a new key can exceed the deadline. The node is then recorded as timed out.
    const noteLate = () => note(new AppError('upstream_timeout'));
    signal?.addEventListener('abort', noteLate, { once: true });
    const attempt = await tryNode(ctx, { node, principal, keys: stored.keys }, request, signal);
    signal?.removeEventListener('abort', noteLate);
    // A refusal of the person shows that the node responds.
    if (attempt.ok || isRefusal(attempt.error)) note();
    else if (!signal?.aborted) note(attempt.error);
    return attempt;
  });
}

/**
 * Obtains the key and sends the request. A stored key that the node refuses is replaced once: that of the portal only if
 * it has ended, that of a user also if the node forbids the request, because a session that has ended may look so.
 */
async function tryNode<T>(
  ctx: CallCtx,
  of: KeyRequest,
  request: NodeRequest<T>,
  signal: AbortSignal | undefined,
): Promise<Attempt<T>> {
  const { node, principal } = of;
  const ownKey = principal.user === null ? undefined : ownKeyOf(ctx, of);
  const to = { node, trace: ctx.trace, signal, ownKey };
  let isSent = false;
  try {
    const cached = await cachedKey(ctx, of);
    if (cached) {
      isSent = true;
      const first = await settled(request({ ...to, key: cached.token }));
      const isRefused = principal.user === null ? isUnauthorized : isKeyRefused;
      if (first.ok || !isRefused(first.error)) return first;
      dropCachedKey(ctx, node, cached.stored);
    }
    const { token: key } = await untilAborted(obtainKey(ctx, of), signal);
    isSent = true;
    return { ok: true, value: await request({ ...to, key }) };
  } catch (error) {
    return { ok: false, error, isSent };
  }
}

/** The result of the work, which goes on after the abort. @throws AppError `upstream_timeout` at the abort */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(new AppError('upstream_timeout'));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', end));
}

const settled = <T>(answer: Promise<T>): Promise<Attempt<T>> =>
  answer.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error, isSent: true }),
  );

/**
 * Calls one node without a slot and without a circuit record. The caller manages both for several calls.
 * @throws AppError `upstream_*`, and the errors of the call itself
 */
export async function callNode<T>(
  ctx: CallCtx,
  of: KeyRequest,
  request: NodeRequest<T>,
  signal?: AbortSignal,
): Promise<T> {
  const attempt = await tryNode(ctx, of, request, signal);
  if (!attempt.ok) throw attempt.error;
  return attempt.value;
}

/** A random delay, so that calls that failed at the same time do not reach the next node at the same time. */
const jitter = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * longestJitterMs));

const longestJitterMs = 50;

const withoutNodes = (): AppError =>
  new AppError('upstream_unavailable', 'The farm has no enabled dispatcher node');

/**
 * Probes the nodes whose open circuit is due, after the response. `callFarm` does this for its farm. A farm that is
 * skipped because all circuits are open needs it as well.
 */
export function probeOpenCircuits(ctx: FarmCtx, { nodes }: UserFarm): void {
  const { parameters } = ctx;
  for (const stored of nodes.filter(({ circuit, circuit_due }) => circuit !== 'closed' && circuit_due)) {
    const node = nodeOf(stored, parameters['aggregator.call_timeout_ms']);
    ctx.later(() => probeCircuit({ ...ctx.deps, now: ctx.now }, node, parameters, ctx.requestId));
  }
}

const isRefusal = (error: unknown): error is AppError => refusalReasonOf(error) !== undefined;

/** True for failures of one node that another node of the farm may not have. */
const isNodeFailure = (error: unknown): error is AppError =>
  error instanceof AppError && error.code.startsWith('upstream_');
