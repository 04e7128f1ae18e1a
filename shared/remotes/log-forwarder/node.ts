import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { bareHost } from '../../kernel/addresses/hosts.ts';
import { isGreeting, performHandshake, type SharedKeyCredentials } from './forward-greeting.ts';
import { forwardMessage, isAcknowledged, messagesOf } from './forward-protocol.ts';
import type { LogForwarder } from './port.ts';
import { syslogFrame } from './syslog-message.ts';

/** Time limit of a delivery in milliseconds, including the acknowledgement. */
const deliveryTimeoutMs = 20_000;

/**
 * A Fluentd collector, or another server of its forward protocol. Each delivery is one connection and succeeds when
 * the collector has acknowledged the chunk.
 * @param url `tcp://host:port` or `tls://host:port`; certificates are verified with Node's root certificates
 * @param credentials shared key; with it, only collectors that pass the handshake receive events
 */
export const createFluentdForwarder = (url: string, credentials?: SharedKeyCredentials): LogForwarder => ({
  name: 'fluentd',
  deliver: (events, signal) =>
    withSocket(url, signal, async (socket) => {
      const hear = messageReader(socket);
      if (credentials) await performHandshake({ hear, say: (message) => socket.write(message) }, credentials);
      if (events.length === 0) return;
      const chunk = randomUUID();
      socket.write(forwardMessage(events, chunk));
      assertAcknowledges(await hear(), chunk);
    }),
});

/**
 * A syslog server over TLS. The protocol has no acknowledgement, and a finished write proves nothing. However, a
 * receiver must answer our `close_notify` with its own (RFC 5425, section 4.4), after everything sent before. Each
 * delivery is therefore one connection, and is repeated if the connection ends in another way.
 * @param url `tls://host:port`
 * @param host our host name in the messages
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
      // The end event is only emitted if received data is read.
      socket.resume();
      await once(socket, 'close');
      if (!isEnded) throw new Error('the syslog server did not end the connection properly');
    }),
});

/** @throws Error of the connection, on timeout, or when `stop` aborts */
async function withSocket(
  url: string,
  stop: AbortSignal,
  work: (socket: Socket) => Promise<void>,
): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(deliveryTimeoutMs)]);
  signal.throwIfAborted();
  const socket = open(url);
  const abort = () => socket.destroy(new Error('the log collector did not answer in time'));
  signal.addEventListener('abort', abort, { once: true });
  // Waits handle errors themselves. In between, an error without a listener would end the process.
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
  const host = bareHost(hostname);
  if (protocol === 'tls:') {
    // SNI is used for names and must not contain an address.
    const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    return connectTls({ host, port: Number(port || 6514), ...name });
  }
  return connectTcp({ host, port: Number(port || 24_224), allowHalfOpen: false });
}

function messageReader(socket: Socket): () => Promise<unknown> {
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
    throw new Error('the log collector requires a shared key, but FLUENTD_SHARED_KEY is not set');
  throw new Error('the log collector acknowledged another chunk');
}
