import { useQuery } from '@tanstack/preact-query';
import { areas } from '../areas.ts';
import type { Extension } from './extension.ts';
import type { Kind } from './kinds.ts';

const none: Extension = {};

const loaders = new Map(areas.flatMap(({ extensions = {} }) => Object.entries(extensions)));

/** @returns undefined while the code is loaded */
export function useExtension({ type }: Kind): Extension | undefined {
  const load = loaders.get(type);
  const { data } = useQuery({
    queryKey: ['extension', type],
    queryFn: () => load?.() ?? none,
    enabled: load !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: 3,
  });
  return load ? data : none;
}
