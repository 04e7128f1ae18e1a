import { isUseStale } from '../access/principal.ts';
import { findPrincipal, noteUse } from '../access/session.ts';
import { AppError } from '../kernel/errors.ts';
import { Document } from './answer.ts';
import type { BaseDeps } from './context.ts';

/** Milliseconds between two looks at the session of a stream. The stream of a session that has ended is cut within 2 s. */
const everyMs = 1_000;
/** Looks in a row that may fail, since a database can be away for a moment. */
const mostFailures = 1;

/** Whether the session is still alive; that it streams counts as use. */
const lookAt =
  ({ db, clock, portalType }: BaseDeps, token: string) =>
  async (): Promise<boolean> => {
    const now = clock();
    const found = await findPrincipal(db, token, now, portalType);
    if (found && isUseStale(found.principal, now)) await noteUse(db, found, now);
    return found !== undefined;
  };

/**
 * The result of an operation; a stream in it is cut when the session that asked for it ends, so that what the client has
 * cannot be taken for the whole.
 * @param token of the session, absent where none was needed
 */
export function untilAccessEnds(deps: BaseDeps, token: string | undefined, result: unknown): unknown {
  const isStream = result instanceof Document && result.body instanceof ReadableStream;
  if (!isStream || token === undefined) return result;
  return new Document(whileAlive(result.body, lookAt(deps, token)), result.mediaType, result.headers);
}

/** The stream as long as `isAlive` says so; then it fails. */
export function whileAlive(
  source: ReadableStream<Uint8Array>,
  isAlive: () => Promise<boolean>,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  const look = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const alive = await isAlive().then(
      (answer) => {
        failures = 0;
        return answer;
      },
      () => ++failures <= mostFailures,
    );
    if (isOver) return;
    if (alive) return lookLater(controller);
    finish();
    controller.error(new AppError('invalid_token'));
    await reader.cancel().catch(() => undefined);
  };
  const lookLater = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    timer = setTimeout(() => void look(controller), everyMs);
  };
  return new ReadableStream(
    {
      start: lookLater,
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((error: unknown) => {
          finish();
          throw error;
        });
        if (isOver) return;
        if (!done) return controller.enqueue(value);
        finish();
        controller.close();
      },
      cancel: (reason) => {
        finish();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
