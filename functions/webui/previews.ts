import { z } from 'zod';
import {
  findListedObjects,
  type ListedObject,
  type ObjectPlace,
} from '../../db/repositories/snapshot/listed-objects.ts';
import type { Permission } from '../../shared/context/permissions.ts';
import { scopeOf } from '../../shared/context/rights.ts';
import { type Capability, isCapable } from '../../shared/remotes/dispatcher/capabilities.ts';
import { Id } from '../../shared/shapes/fields.ts';
import type { FleetKind } from '../../shared/sites/calls/actions.ts';
import type { WebuiCtx } from './deps.ts';

const verdicts = ['possible', 'needs_force', 'unlikely', 'no_effect', 'refused'] as const;
const reasons = [
  'not_found',
  'forbidden',
  'farm_disabled',
  'machine_state',
  'in_maintenance',
  'not_in_maintenance',
  'being_deleted',
  'other_owner',
  'no_owner',
  'disconnected',
  'no_session',
  'session_live',
  'use_unknown',
  'snapshot_stale',
  'circuit_open',
  'not_supported_by_dispatcher',
] as const;
export type PreviewReason = (typeof reasons)[number];

/** What an action would do to one object. */
export type Judgement = { verdict: (typeof verdicts)[number]; reason: PreviewReason | null };

const most = 500;

/** @param action the actions that can be previewed */
export const previewBodyOf = <A extends z.ZodEnum>(action: A) =>
  z.strictObject({
    action,
    objects: z
      .array(
        z.strictObject({
          farm_id: Id.describe('Identifier of the farm.'),
          uuid: Id.describe('Identifier of the object, assigned by the dispatcher.'),
        }),
      )
      .min(1)
      .max(most)
      .describe('The objects of the action.'),
  });

export const Preview = z.strictObject({
  items: z
    .array(
      z.strictObject({
        farm_id: z.string().describe('Identifier of the farm.'),
        uuid: z.string().describe('Identifier of the object, assigned by the dispatcher.'),
        verdict: z
          .enum(verdicts)
          .describe(
            '`possible`; `needs_force`: only with `force`, which the caller may set; `unlikely`: the farm does not answer at present; `no_effect`: nothing would change; `refused`.',
          ),
        reason: z.enum(reasons).nullable().describe('Cause of the verdict. Null if the action is possible.'),
      }),
    )
    .describe('One entry for each object of the request, in the same order.'),
});

export const previewTexts = {
  description:
    'Nothing is changed, and no dispatcher is called: the verdicts follow from the data of the portal. The dispatcher decides when the action is performed.',
  readsOnly: true,
} as const;

const possible: Judgement = { verdict: 'possible', reason: null };

type Asked = {
  kind: FleetKind;
  /** Permission for the action itself. */
  permission: Permission;
  objects: readonly ObjectPlace[];
  /** Whether the sessions at workplaces are read. */
  withUse?: boolean;
  /** The dispatchers must have one of these capabilities. Default: all can do it. */
  needs?: readonly Capability[] | undefined;
  /** What prevents the action, from the data about the object. */
  judge: (object: ListedObject) => Judgement | undefined;
};

/** Judges an action on several objects, in one round trip. Objects out of the scope of the caller do not exist. */
export async function previewAction(
  ctx: WebuiCtx,
  { kind, permission, objects, withUse = false, needs, judge }: Asked,
) {
  const found = await findListedObjects(ctx.deps.db, kind.spec, { objects, withUse }, ctx.scope);
  const byPlace = new Map(found.map((object) => [`${object.farm_id} ${object.uuid}`, object]));
  const items = objects.map(({ farm_id, uuid }) => {
    const object = byPlace.get(`${farm_id} ${uuid}`);
    return { farm_id, uuid, ...judgementOf(ctx, object, { permission, needs, judge }) };
  });
  return { items };
}

function judgementOf(
  { principal }: WebuiCtx,
  object: ListedObject | undefined,
  { permission, needs, judge }: Pick<Asked, 'permission' | 'needs' | 'judge'>,
): Judgement {
  if (!object) return { verdict: 'refused', reason: 'not_found' };
  const scope = scopeOf(principal, permission);
  if (scope !== '*' && !scope?.includes(object.site_id)) return { verdict: 'refused', reason: 'forbidden' };
  if (!object.enabled) return { verdict: 'refused', reason: 'farm_disabled' };
  if (!isSupported(object, needs)) return unsupported(needs);
  const judged = judge(object);
  if (judged) return judged;
  return object.circuit_open ? { verdict: 'unlikely', reason: 'circuit_open' } : possible;
}

const isSupported = ({ kind }: ListedObject, needs: Asked['needs']): boolean =>
  kind === null || needs === undefined || needs.some((one) => isCapable(kind, one));

/** Session agents can show a message that the dispatchers cannot. */
const unsupported = (needs: Asked['needs']): Judgement => ({
  verdict: needs?.includes('messages') ? 'unlikely' : 'refused',
  reason: 'not_supported_by_dispatcher',
});

export const noEffect = (reason: PreviewReason): Judgement => ({ verdict: 'no_effect', reason });
export const refused = (reason: PreviewReason): Judgement => ({ verdict: 'refused', reason });

/** Judges the start and the end of a maintenance. */
export const maintenanceJudgement = (object: Record<string, unknown>, isStart: boolean) => {
  if (isStart && object.maintenance === true) return noEffect('in_maintenance');
  return isStart || object.maintenance !== false ? undefined : noEffect('not_in_maintenance');
};
