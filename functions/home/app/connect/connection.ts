import { refusalOf } from '../../../../shared/client/refusals.ts';
import { portal, send } from '../../../../shared/web/client/session.ts';
import { type Problem, problemOf } from '../../../../shared/web/problems/problem.ts';
import type { Protocol } from '../services/card.tsx';
import type { Card } from '../services/cards.ts';
import { nameIn } from './file-name.ts';

/** How far a connection is. */
export type Progress =
  | { phase: 'checking' }
  | { phase: 'waiting'; reason: string; percent: number | undefined; message: string | undefined }
  | { phase: 'opening' }
  | { phase: 'saved'; file: string; address: string }
  | { phase: 'refused'; reason: string; message: string | undefined }
  | { phase: 'failed'; problem: Problem };

const fileTypes = { rdp: 'application/x-rdp', spice: 'application/x-virt-viewer' } as const;

/** Milliseconds between two checks of a workplace that is being prepared. */
const waits = { least: 1_000, most: 30_000, usual: 3_000 };

type Wanted = { card: Card; protocol: Protocol | undefined; signal: AbortSignal };

/** Checks the workplace until it is ready, then requests the connection. Ends with a final phase. */
export async function* connect(wanted: Wanted): AsyncGenerator<Progress> {
  try {
    for (;;) {
      yield { phase: 'checking' };
      const found = await check(wanted);
      if (found.verdict === 'connect') break;
      if (found.verdict === 'abandon')
        return yield { phase: 'refused', reason: found.reason_code, message: found.message };
      yield { phase: 'waiting', reason: found.reason_code, percent: found.percent, message: found.message };
      await pause(found.retry_after_ms ?? waits.usual, wanted.signal);
    }
    yield { phase: 'opening' };
    yield await open(wanted);
  } catch (error) {
    if (!wanted.signal.aborted) yield { phase: 'failed', problem: problemOf(error) };
  }
}

const check = ({ card: { site, service }, protocol, signal }: Wanted) =>
  portal.call(
    'connection.check',
    { path: { site_uri: site.uri, id: service.id }, query: { ...(protocol && { protocol }) } },
    { signal },
  );

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.min(waits.most, Math.max(waits.least, ms)));
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}

/** Requests the connection as a file for the client program. */
async function open({ card: { site, service }, protocol, signal }: Wanted): Promise<Progress> {
  const url = new URL(service.link, location.origin);
  if (url.origin !== location.origin) throw new Error(`the connection of ${site.uri} leads elsewhere`);
  const types = protocol ? [fileTypes[protocol]] : Object.values(fileTypes);
  const answer = await send(new Request(url, { headers: { accept: types.join(', ') }, signal }));
  if (!answer.ok) throw await refusalOf(answer);
  const file = nameIn(answer.headers.get('content-disposition') ?? '');
  return { phase: 'saved', file, address: URL.createObjectURL(await answer.blob()) };
}
