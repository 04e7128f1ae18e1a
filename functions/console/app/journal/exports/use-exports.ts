import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { Operations } from '../../../../../shared/client/operations.ts';
import { portal } from '../../../../../shared/web/client/session.ts';

export type Export = Operations['export.listOwn']['answer']['items'][number];

export const exportsKey = ['exports', 'export'];

const limitMs = 20_000;
/** Milliseconds between two reads while a file is built. */
const everyMs = 1_500;

export const isUnderWay = ({ state }: Export): boolean => state === 'pending' || state === 'running';

/** The exports of the user, read again while one of them is built. */
export const useExports = (): UseQueryResult<Export[]> =>
  useQuery({
    queryKey: exportsKey,
    queryFn: async ({ signal }) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      return (await portal.call('export.listOwn', {}, { signal: limited })).items;
    },
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? everyMs : false),
  });
