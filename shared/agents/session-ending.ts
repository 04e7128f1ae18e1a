import type { Db, Statement } from '../../db/client.ts';
import { addLogoffRequest } from '../../db/repositories/agents/session-messages.ts';
import {
  freeWorkplace,
  removeSession,
  updateSessionRow,
} from '../../db/repositories/snapshot/write-through.ts';
import { foldName } from '../kernel/text.ts';
import type { Capability } from '../remotes/dispatcher/capabilities.ts';
import type { DispatcherActions } from '../remotes/dispatcher/port.ts';
import type { Answered } from '../remotes/dispatcher/rows.ts';
import { type Action, changesOf, readAgain, type Target } from '../sites/calls/actions.ts';
import { sessionChanges } from '../snapshot/rows.ts';

export type EndVerb = 'disconnect' | 'logoff';

/** The capability that the dispatchers of the farm need. */
export const endingNeeds = {
  disconnect: ['session_disconnect'],
  logoff: ['session_logoff'],
} as const satisfies Record<EndVerb, readonly Capability[]>;

/**
 * Logs a session off, or disconnects it so that the user can reconnect. After a logoff, the session agent receives a
 * logoff request, even if the node had already removed the session.
 */
export const endingAction = (
  target: Target,
  verb: EndVerb,
  node: DispatcherActions,
  now: Date,
): Action<Answered<'spsessions'>> => ({
  audit: sessionHappening(target, verb),
  needs: endingNeeds[verb],
  call: async (call) => ({
    ...(verb === 'disconnect' && { state: 'disconnected' as const }),
    ...(await node.endSession(call, target.uuid, verb)),
  }),
  written: (h, answer) =>
    verb === 'logoff'
      ? [...removeSession(h, target.farm.id, target.uuid), ...afterEnd(h, target, now)]
      : [updateSessionRow(h, target.farm.id, target.uuid, sessionChanges(answer)), ...readAgain(h, target)],
  changed: (answer) => changesOf(target.object, answer, ['state']),
  wantsGone: (h) => (verb === 'logoff' ? afterEnd(h, target, now) : []),
});

/** Returns no statements if the dispatcher does not report the workplace. */
function afterEnd(h: Db, { farm, uuid, object }: Target, at: Date): Statement[] {
  const { workplace_uuid: workplace, user } = object;
  if (typeof workplace !== 'string') return [];
  const session = { farmId: farm.id, uuid, workplace, user: foldName(String(user ?? '')) };
  return [freeWorkplace(h, farm.id, workplace), addLogoffRequest(h, session, at)];
}

/** The audit event of an action on a session. */
export const sessionHappening = (
  { uuid, object: { user, domain, workplace_uuid, workplace_name } }: Target,
  action: string,
): Action<never>['audit'] => ({
  event: 'portal.SessionAction',
  category: 'session',
  action,
  object_name: user === null ? uuid : `${domain ?? ''}\\${user}`,
  details: { workplace_uuid, workplace_name },
});
