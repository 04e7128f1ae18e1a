import { z } from 'zod';
import { messageNeeds } from '../../../shared/agents/messages.ts';
import type { Permission } from '../../../shared/context/permissions.ts';
import { maintainedPool } from '../../../shared/maintenance/orders.ts';
import type { Capability } from '../../../shared/remotes/dispatcher/capabilities.ts';
import { kinds } from '../../../shared/sites/calls/actions.ts';
import type { WebuiCtx } from '../deps.ts';
import { maintenanceJudgement, previewAction, previewBodyOf } from '../previews.ts';

export const PoolPreviewBody = previewBodyOf(
  z
    .enum(['start_maintenance', 'end_maintenance', 'message', 'update'])
    .describe('Action to preview: `start_maintenance`, `end_maintenance`, `message` or `update`.'),
);
type Body = ReturnType<typeof PoolPreviewBody.parse>;

const permissions: Record<Body['action'], Permission> = {
  start_maintenance: 'servicespools.maintenance',
  end_maintenance: 'servicespools.maintenance',
  message: 'workplaces.message',
  update: 'servicespools.update',
};

const needs: Record<Body['action'], readonly Capability[]> = {
  start_maintenance: maintainedPool.needs,
  end_maintenance: maintainedPool.needs,
  message: messageNeeds,
  update: ['pool_settings'],
};

/** What an action would do to each of the pools. */
export const previewPools = (ctx: WebuiCtx, { action, objects }: Body) =>
  previewAction(ctx, {
    kind: kinds.pool,
    permission: permissions[action],
    objects,
    needs: needs[action],
    judge: ({ object }) =>
      action === 'start_maintenance' || action === 'end_maintenance'
        ? maintenanceJudgement(object, action === 'start_maintenance')
        : undefined,
  });
