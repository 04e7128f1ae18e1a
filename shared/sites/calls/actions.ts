import { atomically, type Db, type Statement } from '../../../db/client.ts';
import { type AuditEntry, appendAudit } from '../../../db/repositories/audit/events.ts';
import type { Scope } from '../../../db/repositories/records/scope.ts';
import {
  type MergedSpec,
  poolList,
  sessionList,
  workplaceList,
} from '../../../db/repositories/snapshot/lists.ts';
import {
  type FleetFarm,
  type FleetObject,
  findFleetObjects,
  type ObjectQuery,
} from '../../../db/repositories/snapshot/objects.ts';
import { requestRead } from '../../../db/repositories/snapshot/sync.ts';
import { removePool, removeSession, removeWorkplace } from '../../../db/repositories/snapshot/touch.ts';
import type { FieldChange } from '../../../db/schema/audit/events.ts';
import { auditEntry, changesBetween, type Happening } from '../../context/audit-entry.ts';
import type { Ctx } from '../../context/context.ts';
import type { SignedIn } from '../../context/principal.ts';
import { AppError, conflict, type ErrorCode, notFound } from '../../kernel/errors.ts';
import type { Call } from '../../remotes/dispatcher/port.ts';
import { aggregator, type FleetDeps } from './dispatcher-keys.ts';
import { callFarm, type FarmCtx, type Retry } from './farm-calls.ts';

/** What an operation that calls a farm for an administrator can answer besides. */
export const actionErrors: readonly ErrorCode[] = [
  'invalid_state',
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_unavailable',
  'upstream_timeout',
];

/** A kind of object that dispatchers own: where the snapshot has it, and how it is taken out. */
export type FleetKind = {
  spec: MergedSpec;
  type: 'servicespool' | 'workplace' | 'spsession';
  remove: (h: Db, farmId: string, uuid: string) => Statement[];
};

export const kinds = {
  pool: { spec: poolList, type: 'servicespool', remove: removePool },
  workplace: { spec: workplaceList, type: 'workplace', remove: removeWorkplace },
  session: { spec: sessionList, type: 'spsession', remove: removeSession },
} as const satisfies Record<string, FleetKind>;

export type Target = FleetObject & { kind: FleetKind; uuid: string };

/**
 * The object within the caller's scope; one round trip.
 * @throws AppError `not_found`, also for what does not belong together; `invalid_state` for a farm that is disabled, or
 *   when several farms have it and none is named
 */
export async function findTarget(
  ctx: FarmCtx & { scope: Scope },
  kind: FleetKind,
  at: ObjectQuery,
): Promise<Target> {
  const [found, further] = await findFleetObjects(ctx.deps.db, kind.spec, at, ctx.scope);
  if (!found) throw notFound();
  if (further) throw conflict('ambiguous', 'Several farms have this pool; select one with farm_id');
  if (!found.site.enabled || !found.farm.enabled)
    throw conflict('farm_disabled', 'The farm or its site is disabled');
  return { ...found, kind, uuid: at.uuid };
}

/** The name of the object; its identifier where the node gives it no name. */
export const nameOf = ({ object, uuid }: Pick<Target, 'object' | 'uuid'>): string =>
  typeof object.name === 'string' ? object.name : uuid;

export type Action<T> = {
  call: (call: Call) => Promise<T>;
  happening: Omit<Happening, 'object_type' | 'object_id' | 'result'>;
  /** What the answer makes of the snapshot. */
  written: (h: Db, answer: T) => Statement[];
  changed?: (answer: T) => FieldChange[];
  told?: (answer: T) => Record<string, unknown>;
  /** Written however it ends. */
  released?: (h: Db) => Statement[];
  /** An object that the node does not know any more is what was wanted; what is written then besides. */
  wantsGone?: (h: Db) => Statement[];
};

/**
 * Has the next round read the list that the object is in. The answers to orders differ between dispatchers, and may leave out
 * what the order changed besides.
 */
export const readAgain = (h: Db, { kind, farm }: Pick<Target, 'kind' | 'farm'>): Statement[] => [
  requestRead(h, farm.id, kind.spec.kind),
];

/** The event of what was done; none where it is not to be told again. */
export type Teller = (happening: Happening) => AuditEntry | undefined;

/** An action is ordered by a user, a service token or a peer. */
export type ActionCtx = Ctx<FleetDeps, SignedIn>;

/**
 * Does something on a node of the farm, at once and at most once; then the snapshot says so, in one batch with the
 * audit event. A failure is an event as well; an object that the node does not know leaves the snapshot.
 * @throws AppError `not_found`, `invalid_state`, `upstream_*`
 */
export const act = <T>(ctx: ActionCtx, target: Target, action: Action<T>): Promise<T> =>
  actAs(ctx, (happening) => auditEntry(ctx, happening), target, action);

/** The same for a job, which has no request: it says itself how the event reads. */
export async function actAs<T>(ctx: FarmCtx, tell: Teller, target: Target, action: Action<T>): Promise<T> {
  const answer = await ask(ctx, target, action.call, 'unsent').catch(async (error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    await atomically(ctx.deps.db, (h) => [
      ...noteFailure(tell, target, action, h, error),
      ...(action.released?.(h) ?? []),
    ]);
    throw error;
  });
  await atomically(ctx.deps.db, (h) => noteSuccess(tell, target, action, h, answer));
  return answer;
}

/** Writes down what needs no node now, as `act` writes down what one has done. */
export const actLater = <T>(
  ctx: ActionCtx,
  target: Target,
  action: Omit<Action<T>, 'call'>,
  answer: T,
): Promise<T> => actLaterAs(ctx, (happening) => auditEntry(ctx, happening), target, action, answer);

/** The same for a job, as `actAs`. */
export async function actLaterAs<T>(
  ctx: FarmCtx,
  tell: Teller,
  target: Target,
  action: Omit<Action<T>, 'call'>,
  answer: T,
): Promise<T> {
  await atomically(ctx.deps.db, (h) => noteSuccess(tell, target, action, h, answer));
  return answer;
}

/** Asks a node of the farm for something. @throws AppError `not_found`, `upstream_*` */
export const ask = <T>(
  ctx: FarmCtx,
  { site, farm, nodes }: FleetFarm,
  call: (call: Call) => Promise<T>,
  retry?: Retry,
): Promise<T> => callFarm(ctx, { site, farm: { ...farm, nodes }, principal: aggregator, retry }, call);

export const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';

/** Of the object as it was and the row as the node tells it now, what differs among these members. */
export const changesOf = (
  before: Record<string, unknown>,
  after: object,
  names: readonly string[],
): FieldChange[] => changesBetween(only(before, names), only(after, names));

const only = (from: object, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(from, name)]));

function noteSuccess<T>(
  tell: Teller,
  target: Target,
  action: Omit<Action<T>, 'call'>,
  h: Db,
  answer: T,
): Statement[] {
  const { written, changed, told, released } = action;
  const happening = { changes: changed?.(answer) ?? [], details: told?.(answer) ?? {} };
  return [...written(h, answer), ...(released?.(h) ?? []), ...audited(tell, target, action, h, happening)];
}

function noteFailure(
  tell: Teller,
  target: Target,
  action: Pick<Action<never>, 'happening' | 'wantsGone'>,
  h: Db,
  error: AppError,
): Statement[] {
  const gone = isGone(error) ? target.kind.remove(h, target.farm.id, target.uuid) : [];
  const wanted = isGone(error) ? action.wantsGone : undefined;
  const { reason, dispatcher } = error.members;
  const happening = wanted
    ? { details: { result: 'gone' } }
    : {
        result: 'failure' as const,
        level: 'warning' as const,
        details: {
          code: error.code,
          ...(reason !== undefined && { reason }),
          dispatcher: dispatcher ?? null,
        },
      };
  return [...gone, ...(wanted?.(h) ?? []), ...audited(tell, target, action, h, happening)];
}

function audited(
  tell: Teller,
  { kind, uuid, farm }: Target,
  { happening }: Pick<Action<never>, 'happening'>,
  h: Db,
  { details, ...more }: Partial<Happening>,
): Statement[] {
  const entry = tell({
    ...happening,
    ...more,
    object_type: kind.type,
    object_id: uuid,
    details: { farm_id: farm.id, farm_name: farm.name, ...happening.details, ...details },
  });
  return entry ? [appendAudit(h, entry)] : [];
}
