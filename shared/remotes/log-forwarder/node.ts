import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Credentials, isGreeting, shakeHands } from './forward-greeting.ts';
import { forwardMessage, isAcknowledged, messagesOf } from './forward-protocol.ts';
import type { LogForwarder } from './port.ts';
import { syslogFrame } from './syslog-message.ts';

/** Milliseconds until a collector must have everything and have said so. */
const patienceMs = 20_000;

/**
 * Fluentd, or whatever speaks its forward protocol. A delivery is a connection of its own, and ends well when the
 * collector has acknowledged the chunk.
 * @param url `tcp://host:port` or `tls://host:port`; certificates are judged by the roots that Node trusts
 * @param credentials of a collector that asks for a shared key; no other one gets anything then
 */
export const createFluentdForwarder = (url: string, credentials?: Credentials): LogForwarder => ({
  name: 'fluentd',
  deliver: (events, signal) =>
    withSocket(url, signal, async (socket) => {
      const hear = hearing(socket);
      if (credentials) await shakeHands({ hear, say: (message) => socket.write(message) }, credentials);
      if (events.length === 0) return;
      const chunk = randomUUID();
      socket.write(forwardMessage(events, chunk));
      assertAcknowledges(await hear(), chunk);
    }),
});

/**
 * A syslog server by TLS. The protocol has no acknowledgement, and a finished write proves nothing; but a receiver must
 * answer the end of the connection with its own (RFC 5425, section 4.4), which comes after all that was sent before it.
 * So a delivery is a connection, and an end other than that one means that it is made again.
 * @param url `tls://host:port`
 * @param host of ours, as the messages name it
 */
export const createSyslogForwarder = (url: string, host: string): LogForwarder => ({
  name: 'syslog',
  deliver: (events, signal) =>
    withSocket(url, signal, async (socket) => {
      socket.end(Buffer.concat(events.map((event) => syslogFrame(event, host))));
      let isEnded = false;
      socket.once('end', () => {
        isEnded = true;
      });
      // Whoever does not read what it sends never sees its end.
      socket.resume();
      await once(socket, 'close');
      if (!isEnded) throw new Error('the syslog server did not end the connection as it must');
    }),
});

/** @throws Error of the connection, or when the work takes too long, or `signal` aborts */
async function withSocket(
  url: string,
  stop: AbortSignal,
  work: (socket: Socket) => Promise<void>,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(patienceMs)]);
  signal.throwIfAborted();
  const socket = open(url);
  const abort = () => socket.destroy(new Error('the log collector did not answer in time'));
  signal.addEventListener('abort', abort, { once: true });
  // Each wait hears of failures by itself; between two of them one must not end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, new URL(url).protocol === 'tls:' ? 'secureConnect' : 'connect');
    await work(socket);
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

function open(url: string): Socket {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'tls:') {
    // A name is asked for in the handshake, an address must not be.
    const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    return connectTls({ host, port: Number(port || 6514), ...name });
  }
  return connectTcp({ host, port: Number(port || 24_224), allowHalfOpen: false });
}

function hearing(socket: Socket): () => Promise<unknown> {
  const messages = messagesOf(socket);
  return async () => {
    const { done, value } = await messages.next();
    if (done) throw new Error('the log collector closed the connection before it acknowledged');
    return value;
  };
}

function assertAcknowledges(answer: unknown, chunk: string): void {
  if (isAcknowledged(answer, chunk)) return;
  if (isGreeting(answer))
    throw new Error('the log collector asks for a shared key, and FLUENTD_SHARED_KEY is not set');
  throw new Error('the log collector acknowledged something else');
}
