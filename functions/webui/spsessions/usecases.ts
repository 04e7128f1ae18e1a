import { removeSession, touchSession } from '../../../db/repositories/snapshot-touch.ts';
import {
  type Action,
  act,
  changesOf,
  findTarget,
  isGone,
  kinds,
  type Target,
} from '../../../shared/fleet/actions.ts';
import { sessionValues } from '../../../shared/fleet/snapshot/rows.ts';
import type { Assistance } from '../../../shared/remotes/dispatcher/action-shapes.ts';
import type { ListRow } from '../../../shared/remotes/dispatcher/list-shapes.ts';
import type { WebuiCtx } from '../deps.ts';

type Verb = 'disconnect' | 'logoff';

/** Ends a session, or leaves it to be taken up again. @returns it as it is now; undefined when it was gone already */
export async function endSession(ctx: WebuiCtx, farmId: string, uuid: string, verb: Verb) {
  const target = await findTarget(ctx, kinds.session, { farmId, uuid });
  try {
    const row = await act<ListRow<'spsessions'>>(ctx, target, {
      happening: happeningOf(target, verb),
      call: (call) => ctx.deps.dispatchers.endSession(call, uuid, verb),
      written: (h, answer) =>
        verb === 'logoff'
          ? removeSession(h, farmId, uuid)
          : [touchSession(h, farmId, uuid, sessionValues(answer))],
      changed: (answer) => changesOf(target.object, answer, ['state']),
      wantsGone: true,
    });
    return { ...target.object, ...row, fetched_at: ctx.now };
  } catch (error) {
    if (!isGone(error)) throw error;
    return undefined;
  }
}

/** A one-time URL to help whoever works in the session; the audit does not know it. */
export async function assistSession(ctx: WebuiCtx, farmId: string, uuid: string): Promise<Assistance> {
  const target = await findTarget(ctx, kinds.session, { farmId, uuid });
  return act<Assistance>(ctx, target, {
    happening: happeningOf(target, 'assist'),
    call: (call) => ctx.deps.dispatchers.assistSession(call, uuid),
    written: () => [],
  });
}

const happeningOf = (
  { object: { user, domain, workplace_uuid, workplace_name } }: Target,
  action: string,
): Action<never>['happening'] => ({
  event: 'portal.SessionAction',
  category: 'session',
  action,
  object_name: `${domain}\\${user}`,
  details: { workplace_uuid, workplace_name },
});
