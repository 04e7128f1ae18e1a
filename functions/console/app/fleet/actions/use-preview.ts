import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../shared/client/operations.ts';
import { sendRequest } from '../../../../../shared/web/client/request.ts';
import type { Kind } from '../../records/kinds.ts';
import type { FleetAction, Target } from './fleet-actions.ts';

type Item = Operations['workplace.preview']['answer']['items'][number];
export type Verdict = Item['verdict'];
type Reason = NonNullable<Item['reason']>;
export type Judged = { target: Target; verdict: Verdict; reason: Reason | null };

const limitMs = 30_000;

/** What an action would do to each of the records, as the portal judges it before anything is done. */
export const usePreview = (
  kind: Kind,
  { name }: FleetAction,
  targets: readonly Target[],
  isNeeded: boolean,
): UseQueryResult<Judged[]> =>
  useQuery({
    queryKey: ['preview', kind.type, name, targets.map(({ key }) => key).join()],
    queryFn: async ({ signal }) => {
      const objects = targets.map(({ farm_id, uuid }) => ({ farm_id, uuid }));
      const { body } = await sendRequest({
        method: 'POST',
        path: `${kind.path}/preview`,
        body: { action: name, objects },
        signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
      });
      const { items } = body as Operations['workplace.preview']['answer'];
      return targets.flatMap((target, at) => {
        const item = items[at];
        return item ? [{ target, verdict: item.verdict, reason: item.reason }] : [];
      });
    },
    enabled: isNeeded,
    staleTime: 0,
    gcTime: 0,
  });

/** The records that an action is sent for. */
export const sentFor = (judged: readonly Judged[], isForced: boolean): Target[] =>
  judged
    .filter(({ verdict }) => isSent[verdict] || (verdict === 'needs_force' && isForced))
    .map(({ target }) => target);

const isSent: Record<Verdict, boolean> = {
  possible: true,
  unlikely: true,
  needs_force: false,
  no_effect: false,
  refused: false,
};

/** Records with the same verdict and reason, in the order of the verdicts. */
export type Group = { verdict: Verdict; reason: Reason | null; targets: Target[] };

const order: readonly Verdict[] = ['possible', 'unlikely', 'needs_force', 'no_effect', 'refused'];

export function groupsIn(judged: readonly Judged[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { target, verdict, reason } of judged) {
    const key = `${verdict} ${reason}`;
    const group = groups.get(key) ?? { verdict, reason, targets: [] };
    group.targets.push(target);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
}
