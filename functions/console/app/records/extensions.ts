import { useQuery } from '@tanstack/preact-query';
import { areas } from '../areas.ts';
import { combined } from './combined-extension.ts';
import type { Extension } from './extension.ts';
import type { Kind } from './kinds.ts';

const none: Extension = {};

/** Several areas can extend one kind. */
const loaders = Map.groupBy(
  areas.flatMap(({ extensions = {} }) => Object.entries(extensions)),
  ([type]) => type,
);

/** @returns undefined while the code is loaded */
export function useExtension({ type }: Kind): Extension | undefined {
  const found = loaders.get(type);
  const { data } = useQuery({
    queryKey: ['extension', type],
    queryFn: async () => combined(await Promise.all((found ?? []).map(([, load]) => load()))),
    enabled: found !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: 3,
  });
  return found ? data : none;
}
