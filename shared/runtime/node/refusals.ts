import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { traceOf } from '../../context/trace.ts';
import { problemOf, refuseWith } from '../../http/problem.ts';
import { headersOfAll, withCharset } from '../../http/serve/answer.ts';
import { AppError, type ErrorCode } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Detail } from '../../messages/message.ts';

export type RejectionOptions = {
  detail?: Detail | undefined;
  requestId?: string | undefined;
  /** See `ServeOptions.errorPages`. */
  pages?: string | undefined;
};

/** The response to a request that is rejected before it reaches an app, in the format of an app. */
export function rejectionResponse(
  code: ErrorCode,
  { detail, requestId = newId(), pages }: RejectionOptions = {},
): Response {
  const error = new AppError(code, detail);
  const problem = problemOf(error, requestId, { pages });
  return refuseWith(problem, 'application/problem+json', error, headersOfAll(requestId));
}

/**
 * RFC 9112, section 3.2: HTTP/1.1 requires exactly one header Host. With several, a proxy and this server could use
 * different ones.
 */
export function isHostClear({
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>) {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** Replaces Node's own response to an unknown Expect header, which has no body. The request body is not read. */
export function rejectExpectation(
  { headers }: IncomingMessage,
  outgoing: ServerResponse,
  pages?: string,
): void {
  const { requestId } = traceOf(new Headers({ 'x-request-id': String(headers['x-request-id'] ?? '') }));
  const problem = problemOf(new AppError('expectation_failed'), requestId, { pages });
  const body = JSON.stringify(problem);
  outgoing.writeHead(problem.status, {
    ...headersOfAll(requestId),
    connection: 'close',
    'content-type': withCharset('application/problem+json'),
    'content-length': Buffer.byteLength(body),
  });
  outgoing.end(body);
}

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Milliseconds in which the client can read the response. */
const patienceMs = 2_000;

/** Writes the response directly to the socket, because Node's parser creates no request for malformed input. */
export function rejectMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  always: Readonly<Record<string, string>> = {},
  pages?: string,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const requestId = newId();
  const problem = problemOf(new AppError(codes[error.code ?? ''] ?? 'malformed_request'), requestId, {
    pages,
  });
  const body = JSON.stringify(problem);
  const headers = {
    ...headersOfAll(requestId),
    ...always,
    connection: 'close',
    'content-type': withCharset('application/problem+json'),
    'content-length': Buffer.byteLength(body),
  };
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Unread earlier responses are queued before this one, and would keep the socket open forever.
  const timer = setTimeout(() => socket.destroy(), patienceMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
