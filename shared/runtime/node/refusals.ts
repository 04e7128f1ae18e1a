import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { traceOf } from '../../context/trace.ts';
import { problemOf, refuseWith } from '../../http/problem.ts';
import { headersOfAll } from '../../http/serve/answer.ts';
import { AppError, type ErrorCode } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Detail } from '../../messages/message.ts';

type Refusal = {
  detail?: Detail | undefined;
  requestId?: string;
  /** As `ServeOptions.errorPages`. */
  pages?: string | undefined;
};

/** A refusal before any app sees the request, as an app would have written it. */
export function refusal(code: ErrorCode, { detail, requestId = newId(), pages }: Refusal = {}): Response {
  const error = new AppError(code, detail);
  const problem = problemOf(error, requestId, { pages });
  return refuseWith(problem, 'application/problem+json', error, headersOfAll(requestId));
}

/**
 * RFC 9112, section 3.2: a request of HTTP/1.1 has one header Host, and none has several: a proxy might go by one of
 * them and we by another.
 */
export function isHostClear({
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>) {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** Node's own refusal of a header Expect that it does not know has no body; that of the request is not read. */
export function refuseExpectation(
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
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
  });
  outgoing.end(body);
}

const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** For the client to read a refusal. */
const patienceMs = 2_000;

/** What Node's parser refuses never becomes a request, so the answer is written to the socket itself. */
export function refuseMalformed(
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
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
  };
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Earlier answers that the client does not read are before this one, and would keep the socket open for ever.
  const timer = setTimeout(() => socket.destroy(), patienceMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
