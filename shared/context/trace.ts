import { Buffer } from 'node:buffer';
import { newId } from '../kernel/ids.ts';

/** W3C Trace Context and the request id, as sent to dispatchers. */
export type Trace = { requestId: string; traceparent: string };

/** W3C Trace Context, version 00; all-zero ids are invalid. */
const traceContext = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/**
 * Returns the request id and the trace context of a request. A valid incoming request id is used, otherwise a new one
 * is generated. The span of the portal replaces the parent span.
 */
export function traceOf(headers: Headers): Trace {
  const incoming = headers.get('x-request-id') ?? '';
  const requestId = /^[A-Za-z0-9._-]{1,128}$/.test(incoming) ? incoming : newId();
  const [, traceId = randomHex(16), flags = '01'] = traceContext.exec(headers.get('traceparent') ?? '') ?? [];
  return { requestId, traceparent: `00-${traceId}-${randomHex(8)}-${flags}` };
}

/** Creates a trace for work without a request. */
export const newTrace = (): Trace => traceOf(new Headers());

const randomHex = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
