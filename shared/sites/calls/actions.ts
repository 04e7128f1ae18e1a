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
import {
  removePool,
  removeSession,
  removeWorkplace,
} from '../../../db/repositories/snapshot/write-through.ts';
import type { FieldChange } from '../../../db/schema/audit/events.ts';
import { type AuditFields, auditEntry, changesBetween } from '../../context/audit-entry.ts';
import type { Ctx } from '../../context/context.ts';
import type { SignedIn } from '../../context/principal.ts';
import { AppError, conflict, type ErrorCode, notFound } from '../../kernel/errors.ts';
import type { Capability } from '../../remotes/dispatcher/capabilities.ts';
import type { Call } from '../../remotes/dispatcher/port.ts';
import { assertCapable } from './capable.ts';
import { aggregator, type FleetDeps } from './dispatcher-keys.ts';
import { callFarm, type FarmCtx, type Retry } from './farm-calls.ts';

/** Additional errors of operations that call a farm for an administrator. */
export const actionErrors: readonly ErrorCode[] = [
  'invalid_state',
  'upstream_failed',
  'upstream_refused',
  'upstream_tls',
  'upstream_unavailable',
  'upstream_timeout',
];

/** A kind of object that dispatchers own: its list in the snapshot, and the statements that remove it. */
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
 * Finds the object within the caller's scope, in one round trip.
 * @throws AppError `not_found`, also if the identifiers do not belong together; `invalid_state` if the farm is
 *   disabled, or if several farms have the object and `farm_id` is absent
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

/** The name of the object, or its identifier if the node does not report a name. */
export const nameOf = ({ object, uuid }: Pick<Target, 'object' | 'uuid'>): string =>
  typeof object.name === 'string' ? object.name : uuid;

export type Action<T> = {
  /** The dispatchers of the farm must have one of these capabilities. Default: all dispatchers can do it. */
  needs?: readonly Capability[];
  call: (call: Call) => Promise<T>;
  audit: Omit<AuditFields, 'object_type' | 'object_id' | 'result'>;
  /** Statements that write the response to the snapshot. */
  written: (h: Db, answer: T) => Statement[];
  changed?: (answer: T) => FieldChange[];
  details?: (answer: T) => Record<string, unknown>;
  /** Statements that are written after success and after failure. */
  released?: (h: Db) => Statement[];
  /**
   * Set if the action removes the object. `not_found` of the node then counts as success, and these statements are
   * written.
   */
  wantsGone?: (h: Db) => Statement[];
};

/**
 * Requests a new read of the list of the object in the next synchronization. Responses to actions differ between
 * dispatchers and may omit members that the action also changed.
 */
export const readAgain = (h: Db, { kind, farm }: Pick<Target, 'kind' | 'farm'>): Statement[] => [
  requestRead(h, farm.id, kind.spec.kind),
];

/** Creates the audit entry of an action; undefined if the action is not to be audited again. */
export type AuditEntryFactory = (fields: AuditFields) => AuditEntry | undefined;

/** The principal of an action is a user, a service token or a peer. */
export type ActionCtx = Ctx<FleetDeps, SignedIn>;

/**
 * Executes an action on a node of the farm, at most once. Writes the result to the snapshot in one batch with the audit
 * event. A failure is audited as well. An object that the node does not have any more is removed from the snapshot.
 * @throws AppError `not_found`, `invalid_state`, `upstream_*`
 */
export const act = <T>(ctx: ActionCtx, target: Target, action: Action<T>): Promise<T> =>
  actAs(ctx, (happening) => auditEntry(ctx, happening), target, action);

/** Like `act`, for a job. A job has no request, so it passes the function that creates the audit entry. */
export async function actAs<T>(
  ctx: FarmCtx,
  createEntry: AuditEntryFactory,
  target: Target,
  action: Action<T>,
): Promise<T> {
  assertCapable(target, action.needs);
  const answer = await callNode(ctx, target, action.call, 'unsent').catch(async (error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    await atomically(ctx.deps.db, (h) => [
      ...failureStatements(createEntry, target, action, h, error),
      ...(action.released?.(h) ?? []),
    ]);
    throw error;
  });
  await atomically(ctx.deps.db, (h) => successStatements(createEntry, target, action, h, answer));
  return answer;
}

/** Writes the result and the audit event of an action that does not call a node. */
export const actLater = <T>(
  ctx: ActionCtx,
  target: Target,
  action: Omit<Action<T>, 'call'>,
  answer: T,
): Promise<T> => actLaterAs(ctx, (happening) => auditEntry(ctx, happening), target, action, answer);

/** Like `actLater`, for a job. */
export async function actLaterAs<T>(
  ctx: FarmCtx,
  createEntry: AuditEntryFactory,
  target: Target,
  action: Omit<Action<T>, 'call'>,
  answer: T,
): Promise<T> {
  assertCapable(target, action.needs);
  await atomically(ctx.deps.db, (h) => successStatements(createEntry, target, action, h, answer));
  return answer;
}

/**
 * Calls a node of the farm with the principal of the portal.
 * @throws AppError `not_found`, `upstream_*`
 */
export const callNode = <T>(
  ctx: FarmCtx,
  { site, farm, nodes }: FleetFarm,
  call: (call: Call) => Promise<T>,
  retry?: Retry,
): Promise<T> => callFarm(ctx, { site, farm: { ...farm, nodes }, principal: aggregator, retry }, call);

export const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'not_found';

/** The differences between the earlier object and the row of the response, limited to the members `names`. */
export const changesOf = (
  before: Record<string, unknown>,
  after: object,
  names: readonly string[],
): FieldChange[] => changesBetween(only(before, names), only(after, names));

const only = (from: object, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(from, name)]));

function successStatements<T>(
  createEntry: AuditEntryFactory,
  target: Target,
  action: Omit<Action<T>, 'call'>,
  h: Db,
  answer: T,
): Statement[] {
  const { written, changed, details, released } = action;
  const fields = { changes: changed?.(answer) ?? [], details: details?.(answer) ?? {} };
  return [
    ...written(h, answer),
    ...(released?.(h) ?? []),
    ...auditStatement(createEntry, target, action, h, fields),
  ];
}

function failureStatements(
  createEntry: AuditEntryFactory,
  target: Target,
  action: Pick<Action<never>, 'audit' | 'wantsGone'>,
  h: Db,
  error: AppError,
): Statement[] {
  const gone = isGone(error) ? target.kind.remove(h, target.farm.id, target.uuid) : [];
  const onGone = isGone(error) ? action.wantsGone : undefined;
  const { reason, dispatcher } = error.members;
  const fields = onGone
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
  return [...gone, ...(onGone?.(h) ?? []), ...auditStatement(createEntry, target, action, h, fields)];
}

function auditStatement(
  createEntry: AuditEntryFactory,
  { kind, uuid, farm }: Target,
  { audit }: Pick<Action<never>, 'audit'>,
  h: Db,
  { details, ...more }: Partial<AuditFields>,
): Statement[] {
  const entry = createEntry({
    ...audit,
    ...more,
    object_type: kind.type,
    object_id: uuid,
    details: { farm_id: farm.id, farm_name: farm.name, ...audit.details, ...details },
  });
  return entry ? [appendAudit(h, entry)] : [];
}
