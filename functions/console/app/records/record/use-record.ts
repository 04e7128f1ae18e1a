import { type QueryClient, type UseQueryResult, useQuery } from '@tanstack/preact-query';
import { type RecordState, readRecord, type Target } from '../requests.ts';

const recordKey = ({ kind, id }: Target): string[] => ['record', kind.type, id];

/** A record, as it was read last. */
export const useRecord = (target: Target): UseQueryResult<RecordState> =>
  useQuery({
    queryKey: recordKey(target),
    queryFn: ({ signal }) => readRecord(target, signal),
  });

/** After a write: what is shown of the kind, and names of its records, are read again. */
export async function forgetKind(client: QueryClient, type: string): Promise<void> {
  await Promise.all(
    ['list', 'record', 'name', 'history'].map((what) => client.invalidateQueries({ queryKey: [what, type] })),
  );
}
