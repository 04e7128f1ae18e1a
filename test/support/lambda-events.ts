import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as an HTTP API of API Gateway tells it to a function, format 2.0. */
export type LambdaEvent = ReturnType<typeof eventOf>;
export type LambdaResult = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
  isBase64Encoded: boolean;
};
export type LambdaRequest = {
  method: string;
  path: string;
  /** Without its question mark. */
  query?: string;
  headers?: Record<string, string>;
  body?: Buffer;
  sourceIp: string;
};

/** Bodies that API Gateway takes for text; all others travel in base64. */
const textTypes = /^(?:text\/|application\/(?:json|javascript|xml)\s*(?:;|$))/i;

export function eventOf({ method, path, query = '', headers = {}, body, sourceIp }: LambdaRequest) {
  const { cookie, ...others } = headers;
  const isText = textTypes.test(headers['content-type'] ?? '');
  const { host = 'localhost', 'user-agent': userAgent = '' } = headers;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: others,
    ...(cookie && { cookies: cookie.split(/;\s*/) }),
    requestContext: {
      domainName: host,
      stage: '$default',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent },
    },
    ...(body?.length && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body !== undefined && body.length > 0 && !isText,
  };
}

/** Reads a request of a server as such an event. */
export async function readEvent(request: IncomingMessage): Promise<LambdaEvent> {
  const [path = '/', ...query] = (request.url ?? '/').split('?');
  const headers = Object.entries(request.headersDistinct).map(([name, values]) => [
    name,
    (values ?? []).join(name === 'cookie' ? '; ' : ','),
  ]);
  return eventOf({
    method: request.method ?? 'GET',
    path,
    query: query.join('?'),
    headers: Object.fromEntries(headers),
    body: Buffer.concat(await request.toArray()),
    sourceIp: request.socket.remoteAddress ?? '',
  });
}

/** Answers with what a function gave back. */
export function answerWith(response: ServerResponse, result: LambdaResult): void {
  const { statusCode, headers, cookies = [], body, isBase64Encoded } = result;
  response.writeHead(statusCode, { ...headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) });
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}
