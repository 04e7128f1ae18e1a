import { type EndVerb, endingAction, sessionHappening } from '../../../shared/agents/session-ending.ts';
import type { Assistance } from '../../../shared/remotes/dispatcher/orders.ts';
import { act, findTarget, isGone, kinds } from '../../../shared/sites/calls/actions.ts';
import type { WebuiCtx } from '../deps.ts';

/** Ends or disconnects a session. @returns the session after the change; undefined if it had already ended */
export async function endSession(ctx: WebuiCtx, farmId: string, uuid: string, verb: EndVerb) {
  const target = await findTarget(ctx, kinds.session, { farmId, uuid });
  try {
    const row = await act(ctx, target, endingAction(target, verb, ctx.deps.dispatchers, ctx.now));
    return { ...target.object, ...row, fetched_at: ctx.now };
  } catch (error) {
    if (!isGone(error)) throw error;
    return undefined;
  } finally {
    // Notifies the session agent, which may be waiting for messages.
    ctx.deps.notifier?.notify(String(target.object.workplace_uuid));
  }
}

/** A one-time URL for remote assistance in the session. It is not written to the audit log. */
export async function assistSession(ctx: WebuiCtx, farmId: string, uuid: string): Promise<Assistance> {
  const target = await findTarget(ctx, kinds.session, { farmId, uuid });
  return act<Assistance>(ctx, target, {
    audit: sessionHappening(target, 'assist'),
    needs: ['session_assistance'],
    call: (call) => ctx.deps.dispatchers.assistSession(call, uuid),
    written: () => [],
  });
}
