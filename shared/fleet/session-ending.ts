import { removeSession, touchSession } from '../../db/repositories/snapshot-touch.ts';
import type { ListRow } from '../remotes/dispatcher/list-shapes.ts';
import type { DispatcherActions } from '../remotes/dispatcher/port.ts';
import { type Action, changesOf, type Target } from './actions.ts';
import { sessionValues } from './snapshot/rows.ts';

export type EndVerb = 'disconnect' | 'logoff';

/** Ends a session, or leaves it to be taken up again. */
export const endingAction = (
  target: Target,
  verb: EndVerb,
  node: DispatcherActions,
): Action<ListRow<'spsessions'>> => ({
  happening: sessionHappening(target, verb),
  call: (call) => node.endSession(call, target.uuid, verb),
  written: (h, answer) =>
    verb === 'logoff'
      ? removeSession(h, target.farm.id, target.uuid)
      : [touchSession(h, target.farm.id, target.uuid, sessionValues(answer))],
  changed: (answer) => changesOf(target.object, answer, ['state']),
  wantsGone: true,
});

/** What the audit says of something done with a session. */
export const sessionHappening = (
  { object: { user, domain, workplace_uuid, workplace_name } }: Target,
  action: string,
): Action<never>['happening'] => ({
  event: 'portal.SessionAction',
  category: 'session',
  action,
  object_name: `${domain}\\${user}`,
  details: { workplace_uuid, workplace_name },
});
