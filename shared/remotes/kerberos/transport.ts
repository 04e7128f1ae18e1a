import { Buffer } from 'node:buffer';
import { AppError } from '../../kernel/errors.ts';
import type { Detail } from '../../messages/message.ts';
import { parseKdc } from '../directory/address.ts';
import { createFailedServers, type FailedServers } from '../directory/failed-servers.ts';
import { withinDeadline } from '../http/deadline.ts';
import { toTransportError } from '../http/faults.ts';
import { TransportError, type TransportReason } from '../http/transport.ts';

/** An open connection; `close` ends both directions. */
type TcpConnection = {
  write(bytes: Uint8Array): Promise<void>;
  chunks: AsyncIterable<Uint8Array>;
  close(): void;
};

/**
 * Opens a connection to an allowed address; implemented per runtime. An aborted signal closes it.
 * @throws TransportError, or an error of the runtime with a code
 */
export type OpenTcp = (
  peer: { hostname: string; port: number },
  signal: AbortSignal,
) => Promise<TcpConnection>;

type KdcCall = {
  /** `host:port` in order of preference; KDCs that failed within the last 30 s are tried last. */
  kdcs: readonly string[];
  /** Time limit in milliseconds for all KDCs together. */
  deadlineMs: number;
};

export type KdcRemote = {
  /**
   * Sends a message to each KDC in turn until one responds. The remaining time is divided between the remaining KDCs.
   * @throws AppError `upstream_timeout`, `upstream_unavailable`, `upstream_refused`, `upstream_failed`
   */
  ask(call: KdcCall, message: Uint8Array): Promise<Buffer>;
};

/** Maximum size of a reply, far above the size of valid ones. */
const maxBytes = 65_536;

export function createKdcRemote(
  open: OpenTcp,
  failedServers: FailedServers = createFailedServers(),
): KdcRemote {
  const ask: KdcRemote['ask'] = async ({ kdcs, deadlineMs }, message) => {
    const endsAt = performance.now() + deadlineMs;
    let last: unknown;
    for (const [at, kdc] of failedServers.inOrder(kdcs).entries()) {
      const shareMs = (endsAt - performance.now()) / (kdcs.length - at);
      try {
        const reply = await withinDeadline(shareMs, undefined, (signal) =>
          exchange(open, kdc, message, signal),
        );
        failedServers.remove(kdc);
        return reply;
      } catch (error) {
        last = toTransportError(error);
        if (!(last instanceof TransportError)) throw last;
        failedServers.add(kdc);
      }
    }
    throw failureOf(last);
  };
  return { ask };
}

async function exchange(
  open: OpenTcp,
  kdc: string,
  message: Uint8Array,
  signal: AbortSignal,
): Promise<Buffer> {
  const peer = parseKdc(kdc);
  if (!peer) throw new TransportError('unreachable');
  const connection = await open({ hostname: peer.host, port: Number(peer.port) }, signal);
  try {
    await connection.write(framed(message));
    return await readFrame(connection.chunks);
  } finally {
    connection.close();
  }
}

/** RFC 4120, 7.2.2: a length of four bytes whose highest bit is zero. */
function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(4 + message.length);
  frame.writeUInt32BE(message.length);
  frame.set(message, 4);
  return frame;
}

async function readFrame(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let received = Buffer.alloc(0);
  for await (const chunk of chunks) {
    received = Buffer.concat([received, chunk]);
    const length = received.length < 4 ? 0 : received.readUInt32BE();
    if (length > maxBytes) throw new TransportError('too_large');
    if (received.length >= 4 && received.length >= 4 + length)
      return message(received.subarray(4, 4 + length));
  }
  throw new TransportError('unreachable', { code: 'EOF' });
}

/** Accepts AS-REP and KRB-ERROR. */
function message(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x6b && bytes[0] !== 0x7e) throw new TransportError('malformed');
  return bytes;
}

const failures: Partial<Record<TransportReason, [ConstructorParameters<typeof AppError>[0], Detail]>> = {
  timeout: ['upstream_timeout', 'No KDC of the domain responded in time'],
  unreachable: ['upstream_unavailable', 'No KDC of the domain is reachable'],
  address_not_allowed: ['upstream_refused', 'The address of the KDC is not allowed'],
};

function failureOf(fault: unknown): AppError {
  const reason = fault instanceof TransportError ? fault.reason : 'unreachable';
  const [code, detail] = failures[reason] ?? [
    'upstream_failed',
    'The KDC of the domain returned an invalid response',
  ];
  return new AppError(code, detail, { reason }, { cause: fault });
}
