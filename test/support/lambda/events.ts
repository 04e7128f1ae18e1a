import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request in the event format 2.0 (HTTP API of API Gateway). */
export type LambdaEvent = ReturnType<typeof eventOf>;
/** A request in the event format 1.0 (REST API), the kind used for deployments. */
export type RestEvent = ReturnType<typeof restEventOf>;
export type LambdaResult = {
  statusCode: number;
  headers?: Record<string, string>;
  /** Replaces `headers`, where the event had them. */
  multiValueHeaders?: Record<string, string[]>;
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

/** Bodies that API Gateway treats as text; all others are in base64. */
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

/** All media types are binary in this API, so that every body is in base64. */
export function restEventOf({ method, path, query = '', headers = {}, body, sourceIp }: LambdaRequest) {
  const { host = 'localhost', 'user-agent': userAgent = '' } = headers;
  const asked = Map.groupBy(new URLSearchParams(query), ([name]) => name);
  const all = [...asked].map(([name, pairs]) => [name, pairs.map(([, value]) => value)] as const);
  return {
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: Object.fromEntries(all.map(([name, values]) => [name, values.at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(all),
    requestContext: {
      domainName: host,
      stage: 'live',
      path,
      httpMethod: method,
      identity: { sourceIp, userAgent },
    },
    body: body?.length ? body.toString('base64') : null,
    isBase64Encoded: Boolean(body?.length),
  };
}

/** Converts a request of a server to an event of a REST API. */
export async function readEvent(request: IncomingMessage): Promise<RestEvent> {
  const [path = '/', ...query] = (request.url ?? '/').split('?');
  const headers = Object.entries(request.headersDistinct).map(([name, values]) => [
    name,
    (values ?? []).join(name === 'cookie' ? '; ' : ','),
  ]);
  return restEventOf({
    method: request.method ?? 'GET',
    path,
    query: query.join('?'),
    headers: Object.fromEntries(headers),
    body: Buffer.concat(await request.toArray()),
    sourceIp: request.socket.remoteAddress ?? '',
  });
}

/** Sends the result of a function as the response. */
export function answerWith(response: ServerResponse, result: LambdaResult): void {
  const { statusCode, headers, multiValueHeaders, cookies = [], body, isBase64Encoded } = result;
  const all = { ...headers, ...multiValueHeaders };
  response.writeHead(statusCode, { ...all, ...(cookies.length > 0 && { 'set-cookie': cookies }) });
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}
