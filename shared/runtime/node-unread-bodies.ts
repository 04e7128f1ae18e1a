import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a body is discarded after its answer, before the connection is closed. */
const mostBytes = 16 * 1_048_576;

/**
 * Reads and discards what is left of a body after its request was answered: a socket that is closed with unread data
 * resets the connection, and a client that is still sending may lose the answer.
 * @param patienceMs after which the connection is closed
 */
export function discardUnread(incoming: IncomingMessage, answer: ServerResponse, patienceMs: number): void {
  answer.once('close', () => {
    const { socket } = incoming;
    if (incoming.complete || socket.destroyed) return;
    const close = (): void => void socket.destroy();
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
  });
}
