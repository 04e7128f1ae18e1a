import { useQuery } from '@tanstack/preact-query';
import { refusalOf } from '../../../../shared/client/refusals.ts';
import { send } from '../../../../shared/web/client/session.ts';

const bytesPath = '/api/webui/aggregator/gallery/images/srvimg/';

/** Where the bytes of a stored picture are. */
const bytesAddress = (id: string): string => `${bytesPath}${encodeURIComponent(id)}`;

/** Reads a stored picture. Pictures need the token of the page, so `img` elements cannot load them themselves. */
export async function readBytes(id: string, signal: AbortSignal): Promise<Blob> {
  const answer = await send(new Request(new URL(bytesAddress(id), location.origin), { signal }));
  if (!answer.ok) throw await refusalOf(answer);
  return answer.blob();
}

/** The bytes of a picture never change, so they are read once. @returns undefined until they are read */
export function usePicture(id: string | undefined): string | undefined {
  const { data } = useQuery({
    // Changes of records do not concern it.
    queryKey: ['picture bytes', 'picture bytes', id],
    queryFn: async ({ signal }) =>
      id === undefined ? null : URL.createObjectURL(await readBytes(id, signal)),
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return data ?? undefined;
}
