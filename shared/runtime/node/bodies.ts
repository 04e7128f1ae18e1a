import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/observability/log.ts';

/** Maximum number of bytes discarded after a response, before the connection is closed. */
const mostBytes = 16 * 1_048_576;

/**
 * Discards the rest of a request body after its response. Closing a socket with unread data resets the connection,
 * and a client that is still sending may lose the response. Must be called before the response head is written.
 * @param patienceMs milliseconds after which the connection is closed
 */
export function discardUnread(incoming: IncomingMessage, answer: ServerResponse, patienceMs: number): void {
  if (incoming.complete) return;
  const isLast = !answer.shouldKeepAlive;
  // Otherwise Node would close the socket at the end of the response.
  answer.shouldKeepAlive = true;
  answer.once('close', () => {
    const { socket } = incoming;
    if (socket.destroyed) return;
    if (!incoming.complete) discard(incoming, patienceMs);
    if (!isLast) return;
    if (incoming.complete) socket.destroySoon();
    else incoming.once('end', () => socket.destroySoon());
  });
}

function discard(incoming: IncomingMessage, patienceMs: number): void {
  const close = (): void => void incoming.socket.destroy();
  const timer = setTimeout(close, patienceMs).unref();
  for (const event of ['end', 'error', 'close']) incoming.once(event, () => clearTimeout(timer));
  let bytes = 0;
  // The web stream of the request also listens, and pauses the body when its buffer is full.
  incoming.removeAllListeners('data');
  incoming.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > mostBytes) close();
  });
  incoming.resume();
}

/**
 * Ends the connection when the body fails, so that the client does not take a part for the whole. The adapter would print the
 * error.
 */
export function cutOnFailure(
  body: ReadableStream<Uint8Array>,
  outgoing: { destroy(): unknown },
  log: Pick<Log, 'error'>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  reader.closed.catch((error: unknown) => {
    // Other failures than the end of the access or of the patience are faults.
    if (!(error instanceof AppError)) log.error('a streamed response failed', { error });
    outgoing.destroy();
  });
  return new ReadableStream(
    {
      pull: (controller) =>
        reader.read().then(
          ({ done, value }) => (done ? controller.close() : controller.enqueue(value)),
          () => undefined,
        ),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
