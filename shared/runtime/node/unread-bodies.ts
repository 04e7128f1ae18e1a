import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a body is discarded after its answer, before the connection is closed. */
const mostBytes = 16 * 1_048_576;

/**
 * Reads and discards what is left of a body after its answer: a socket that is closed with unread data resets the
 * connection, and a client that is still sending may lose the answer. Call it before the head of the answer is written.
 * @param patienceMs after which the connection is closed
 */
export function discardUnread(incoming: IncomingMessage, answer: ServerResponse, patienceMs: number): void {
  if (incoming.complete) return;
  const isLast = !answer.shouldKeepAlive;
  // Node would close the socket with the end of the answer.
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
  // The web stream of the request listens as well, and pauses the body when its own buffer is full.
  incoming.removeAllListeners('data');
  incoming.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > mostBytes) close();
  });
  incoming.resume();
}
