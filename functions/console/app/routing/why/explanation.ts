import { useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';

export type Explanation = Operations['rule.explain']['answer'];
export type Member = Explanation['members'][number];
export type Obstacle = Member['obstacles'][number];

/** Milliseconds after which the request has failed for the page. */
const limitMs = 20_000;
/** Nodes and sessions change without a change of records, so the answer is read again. */
const everyMs = 30_000;

/** Why a rule connects a user as it does. The query has no type, so each change reads it again. */
export const useExplanation = (ruleId: string, userId: string) =>
  useQuery({
    queryKey: ['why', undefined, ruleId, userId],
    queryFn: ({ signal }) =>
      portal.call(
        'rule.explain',
        { path: { id: ruleId }, query: { user_id: userId } },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) },
      ),
    refetchInterval: everyMs,
    staleTime: 0,
  });

export const explanationPath = (ruleId: string): string => `/api/webui/aggregator/rules/${ruleId}/explain`;

/** What users are connected to first, if anything. */
export const chosenOf = ({ members }: Explanation): Member | undefined =>
  members.find(({ outcome }) => outcome === 'chosen');

/** Name of the pool, or the start of its identifier. */
export const poolName = ({ servicepool_name, servicepool_uuid }: Member): string =>
  servicepool_name ?? `${servicepool_uuid.slice(0, 8)}…`;
