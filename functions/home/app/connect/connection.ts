import { refusalOf } from '../../../../shared/client/refusals.ts';
import { portal, send } from '../../../../shared/web/client/session.ts';
import { type Problem, problemOf } from '../../../../shared/web/problems/problem.ts';
import type { Protocol } from '../services/card.tsx';
import type { Card } from '../services/cards.ts';
import { nameIn } from './file-name.ts';

/** How far a connection is. */
export type Progress =
  | { phase: 'checking' }
  | {
      phase: 'waiting';
      reason: string;
      percent: number | undefined;
      message: string | undefined;
      retryMs: number;
    }
  | { phase: 'opening' }
  | { phase: 'saved'; file: string; address: string }
  | { phase: 'linked'; link: string }
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
      const { reason_code: reason, percent, message, retry_after_ms: retryMs = waits.usual } = found;
      yield { phase: 'waiting', reason, percent, message, retryMs };
      await pause(retryMs, wanted.signal);
    }
    yield { phase: 'opening' };
    for (;;) {
      const opened = await open(wanted);
      yield opened;
      if (opened.phase !== 'waiting') return;
      await pause(opened.retryMs, wanted.signal);
    }
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

/** Requests the connection as a file for the client program. Some dispatchers answer with a link for theirs. */
async function open({ card: { site, service }, protocol, signal }: Wanted): Promise<Progress> {
  const url = new URL(service.link, location.origin);
  if (url.origin !== location.origin) throw new Error(`the connection of ${site.uri} leads elsewhere`);
  const types = [...(protocol ? [fileTypes[protocol]] : Object.values(fileTypes)), 'application/json'];
  const answer = await send(new Request(url, { headers: { accept: types.join(', ') }, signal }));
  if (!answer.ok) return waitingOf(await refusalOf(answer));
  if (answer.headers.get('content-type')?.startsWith('application/json'))
    return { phase: 'linked', link: linkIn(await answer.json()) };
  const file = nameIn(answer.headers.get('content-disposition') ?? '');
  return { phase: 'saved', file, address: URL.createObjectURL(await answer.blob()) };
}

/** A connection in JSON has a link, because a file was requested for all others. */
function linkIn(connection: { link?: unknown }): string {
  if (typeof connection.link !== 'string') throw new Error('the connection has neither a file nor a link');
  return connection.link;
}

/** Some dispatchers prepare a workplace only when its connection is requested. @throws any other refusal */
function waitingOf(refusal: Awaited<ReturnType<typeof refusalOf>>): Progress {
  const { code, problem = {} } = refusal;
  const { reason_code: reason, percent, retry_after_ms: retryMs }: Record<string, unknown> = problem;
  if (code !== 'service_in_preparation' || reason !== 'preparing') throw refusal;
  return {
    ...{ phase: 'waiting', reason: 'preparing', message: undefined },
    percent: typeof percent === 'number' ? percent : undefined,
    retryMs: typeof retryMs === 'number' ? retryMs : waits.usual,
  };
}
