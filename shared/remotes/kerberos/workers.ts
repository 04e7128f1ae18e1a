// biome-ignore lint/correctness/noUnresolvedImports: provided by the runtime, not by a package
import { connect } from 'cloudflare:sockets';
import { urlHost } from '../../kernel/addresses/hosts.ts';
import { isHostAllowed, parseNetworks, type UrlPolicy } from '../http/address-policy.ts';
import { TransportError } from '../http/transport.ts';
import type { OpenTcp } from './transport.ts';

/**
 * TCP for Workers. Names are checked, but resolved addresses are not visible.
 * @throws Error if `allowedNetworks` has an invalid entry
 */
export function createTcp({ allowedNetworks }: Pick<UrlPolicy, 'allowedNetworks'>): OpenTcp {
  const networks = parseNetworks(allowedNetworks);
  return async ({ hostname, port }, signal) => {
    if (!isHostAllowed(hostname, networks)) throw new TransportError('address_not_allowed');
    const socket = connect(
      { hostname: urlHost(hostname), port },
      { secureTransport: 'off', allowHalfOpen: false },
    );
    const close = () => void socket.close().catch(quiet);
    // Prevents an unhandled rejection.
    socket.closed.catch(quiet);
    signal.addEventListener('abort', close, { once: true });
    await withTransportErrors(socket.opened);
    return {
      write: async (bytes) => {
        const writer = socket.writable.getWriter();
        await withTransportErrors(writer.write(bytes)).finally(() => writer.releaseLock());
      },
      chunks: chunksOf(socket.readable),
      close,
    };
  };
}

const quiet = (): undefined => undefined;

async function* chunksOf(readable: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = readable.getReader();
  try {
    for (
      let part = await withTransportErrors(reader.read());
      !part.done;
      part = await withTransportErrors(reader.read())
    )
      yield part.value;
  } finally {
    reader.releaseLock();
  }
}

/** Errors of these sockets have neither a code nor a class. */
async function withTransportErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new TransportError('unreachable', {}, { cause });
  }
}
