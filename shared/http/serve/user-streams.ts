import { type FoundPrincipal, findPrincipal, isUseStale, noteUse } from '../../access/session.ts';
import type { BaseDeps } from '../../context/context.ts';
import { AppError } from '../../kernel/errors.ts';
import { Document } from './answer.ts';

/**
 * Interval of the checks of the session of a stream, in milliseconds. The stream of an expired session is cut within 2
 * s.
 */
const everyMs = 1_000;
/** Consecutive failed checks that are tolerated, because a database can be unavailable briefly. */
const mostFailures = 1;

/** Checks whether the session is still valid. */
const lookAt =
  ({ db, clock, portalType }: BaseDeps, { token, isUse }: Watched) =>
  async (): Promise<boolean> => {
    const now = clock();
    const found = await findPrincipal(db, token, now, portalType);
    if (found && isUse(found) && isUseStale(found.principal, now)) await noteUse(db, found, now);
    return found !== undefined;
  };

/**
 * The session of a stream.
 * @property isUse the stream counts as use of the session
 */
type Watched = { token: string; isUse: (found: FoundPrincipal) => boolean };

/**
 * Returns a document whose stream fails when the session of the request ends, so that the client cannot take a partial
 * file for the whole.
 */
export const untilAccessEnds = (
  deps: BaseDeps,
  watched: Watched,
  { body, mediaType, headers }: Document & { body: ReadableStream<Uint8Array> },
): Document => new Document(whileAlive(body, lookAt(deps, watched)), mediaType, headers);

/** Passes the stream on while `isAlive` returns true; then the stream fails. */
function whileAlive(
  source: ReadableStream<Uint8Array>,
  isAlive: () => Promise<boolean>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const ended = new AbortController();
  return new ReadableStream(
    {
      start: (controller) => {
        void watch(isAlive, ended.signal).then(async () => {
          if (ended.signal.aborted) return;
          ended.abort();
          controller.error(new AppError('invalid_token'));
          await reader.cancel().catch(() => undefined);
        });
      },
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((error: unknown) => {
          ended.abort();
          throw error;
        });
        if (ended.signal.aborted) return;
        if (!done) return controller.enqueue(value);
        ended.abort();
        controller.close();
      },
      cancel: (reason) => {
        ended.abort();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Resolves when the session ends or the signal aborts. Never rejects. */
async function watch(isAlive: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (let failures = 0; failures <= mostFailures; ) {
    await pause(signal);
    if (signal.aborted) return;
    try {
      if (!(await isAlive())) return;
      failures = 0;
    } catch {
      failures++;
    }
  }
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, everyMs);
    signal.addEventListener('abort', finish);
  });
