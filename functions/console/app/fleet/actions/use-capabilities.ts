import { useQueries } from '@tanstack/preact-query';
import type { Capability } from '../../../../../shared/remotes/dispatcher/capabilities.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { may } from '../../facts.ts';
import type { Row } from '../../records/kinds.ts';

/** Rows of more farms are offered everything; a preview then shows what is not possible. */
const mostFarms = 20;

/** @returns whether the dispatchers of the row can do one of these; true as long as it is not known */
export type CanDo = (row: Row, needs: readonly Capability[] | undefined) => boolean;

/** What the dispatchers of the farms of these rows can do. */
export function useCapabilities(rows: readonly Row[]): CanDo {
  const farms = [...new Set(rows.map((row) => String(row.farm_id)))];
  const isRead = farms.length <= mostFarms && may(['farms.read']);
  const answers = useQueries({
    queries: (isRead ? farms : []).map((id) => ({
      queryKey: ['record', 'farm', id, 'capabilities'],
      queryFn: ({ signal }: { signal: AbortSignal }) => portal.call('farm.get', { path: { id } }, { signal }),
      staleTime: 60_000,
    })),
  });
  const known = new Map(
    answers.flatMap(({ data }) =>
      data && data.kind !== null ? [[data.id, data.capabilities] as const] : [],
    ),
  );
  return (row, needs) => {
    const capabilities: readonly Capability[] | undefined = known.get(String(row.farm_id));
    return !capabilities || !needs || needs.some((one) => capabilities.includes(one));
  };
}
