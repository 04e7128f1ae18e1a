import { z } from 'zod';
import type { ListedObject } from '../../../db/repositories/snapshot/listed-objects.ts';
import { messageNeeds } from '../../../shared/agents/messages.ts';
import type { Permission } from '../../../shared/context/permissions.ts';
import { maintainedWorkplace } from '../../../shared/maintenance/orders.ts';
import { type Capability, isCapable } from '../../../shared/remotes/dispatcher/capabilities.ts';
import { type MachineAction, machineActions } from '../../../shared/remotes/dispatcher/orders.ts';
import type { MachineState } from '../../../shared/remotes/dispatcher/rows.ts';
import { kinds } from '../../../shared/sites/calls/actions.ts';
import type { WebuiCtx } from '../deps.ts';
import {
  type Judgement,
  maintenanceJudgement,
  noEffect,
  previewAction,
  previewBodyOf,
  refused,
} from '../previews.ts';
import { interruptsWork, machineNeeds, mayForce, useConflict } from './in-use-check.ts';

const otherActions = [
  'refresh',
  'delete',
  'assign',
  'unassign',
  'start_maintenance',
  'end_maintenance',
  'tag',
  'message',
] as const;

export const WorkplacePreviewBody = previewBodyOf(
  z
    .enum([...machineActions, ...otherActions])
    .describe(
      'Action to preview: `start`, `shutdown`, `poweroff`, `reboot`, `reset`, `suspend`, `resume`, `refresh`, `delete`, `assign`, `unassign`, `start_maintenance`, `end_maintenance`, `tag` or `message`.',
    ),
);
type Body = ReturnType<typeof WorkplacePreviewBody.parse>;
type Action = Body['action'];

const permissions: Record<(typeof otherActions)[number], Permission> = {
  refresh: 'workplaces.refresh',
  delete: 'workplaces.delete',
  assign: 'workplaces.assign',
  unassign: 'workplaces.assign',
  start_maintenance: 'workplaces.maintenance',
  end_maintenance: 'workplaces.maintenance',
  tag: 'workplaces.tag',
  message: 'workplaces.message',
};

const needs: Partial<Record<(typeof otherActions)[number], readonly Capability[]>> = {
  unassign: ['workplace_unassign'],
  start_maintenance: maintainedWorkplace.needs,
  end_maintenance: maintainedWorkplace.needs,
  tag: ['workplace_tags'],
  refresh: ['workplace_refresh'],
  message: messageNeeds,
};

/** States of the machine in which the action changes nothing, or is not possible. */
const without: Record<MachineAction, readonly MachineState[]> = {
  start: ['running', 'starting'],
  shutdown: ['stopped', 'stopping'],
  poweroff: ['stopped'],
  reboot: ['stopped'],
  reset: ['stopped'],
  suspend: ['suspended', 'stopped'],
  resume: ['running', 'starting', 'stopped'],
};

const isOfMachine = (action: Action): action is MachineAction =>
  machineActions.some((name) => name === action);

/** What an action would do to each of the workplaces. */
export const previewWorkplaces = (ctx: WebuiCtx, { action, objects }: Body) =>
  previewAction(ctx, {
    kind: kinds.workplace,
    permission: isOfMachine(action) ? 'workplaces.power' : permissions[action],
    objects,
    needs: isOfMachine(action) ? machineNeeds(action) : needs[action],
    withUse: true,
    judge: (object) => judge(ctx, action, object),
  });

function judge(ctx: WebuiCtx, action: Action, listed: ListedObject): Judgement | undefined {
  const { object } = listed;
  if (object.state === 'removing') return noEffect('being_deleted');
  if (isOfMachine(action)) {
    if (without[action].some((state) => state === object.machine_state)) return noEffect('machine_state');
    return interruptsWork(action) ? judgeUse(ctx, listed) : undefined;
  }
  switch (action) {
    case 'refresh':
    case 'delete':
      return judgeUse(ctx, listed);
    case 'assign':
      return hasLastingOwner(listed) ? refused('other_owner') : undefined;
    case 'unassign':
      return object.owner === null ? noEffect('no_owner') : undefined;
    case 'message':
      return object.in_use === false && listed.use?.sessions === 0 ? noEffect('no_session') : undefined;
    case 'start_maintenance':
    case 'end_maintenance':
      return maintenanceJudgement(object, action === 'start_maintenance');
    case 'tag':
      return undefined;
  }
}

/** True if the owner has to be removed before the workplace is given to another user. */
const hasLastingOwner = ({ object, kind }: ListedObject): boolean =>
  object.owner !== null && (kind === null || !isCapable(kind, 'workplace_reassign'));

function judgeUse(ctx: WebuiCtx, { object, use, site_id }: ListedObject): Judgement | undefined {
  const reason = useConflict(ctx, { object, use });
  if (reason === undefined) return undefined;
  return { verdict: mayForce(ctx, site_id) ? 'needs_force' : 'refused', reason };
}
