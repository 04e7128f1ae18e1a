import { z } from 'zod';
import { messageNeeds } from '../../../shared/agents/messages.ts';
import { endingNeeds } from '../../../shared/agents/session-ending.ts';
import type { Permission } from '../../../shared/context/permissions.ts';
import { kinds } from '../../../shared/sites/calls/actions.ts';
import type { WebuiCtx } from '../deps.ts';
import { noEffect, previewAction, previewBodyOf } from '../previews.ts';

export const SessionPreviewBody = previewBodyOf(
  z
    .enum(['disconnect', 'logoff', 'message'])
    .describe('Action to preview: `disconnect`, `logoff` or `message`.'),
);
type Body = ReturnType<typeof SessionPreviewBody.parse>;

const permissions: Record<Body['action'], Permission> = {
  disconnect: 'spsessions.disconnect',
  logoff: 'spsessions.logoff',
  message: 'workplaces.message',
};

/** What an action would do to each of the sessions. */
export const previewSessions = (ctx: WebuiCtx, { action, objects }: Body) =>
  previewAction(ctx, {
    kind: kinds.session,
    permission: permissions[action],
    objects,
    needs: action === 'message' ? messageNeeds : endingNeeds[action],
    judge: ({ object }) =>
      action !== 'logoff' && object.state === 'disconnected' ? noEffect('disconnected') : undefined,
  });
