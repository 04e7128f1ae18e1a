import { once } from 'node:events';
import { type ClientRequest, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './local-workers.ts';

export type LambdaResult = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
};
export type Handler = (event: unknown, second: unknown, context?: unknown) => Promise<Json>;
type Prelude = Omit<LambdaResult, 'body'>;

export type Asking = { token?: string; body?: unknown; query?: string };

/** An event of an HTTP API, format 2.0, with what of it is read. */
export function eventOf(route: string, { token, body, query = '' }: Asking = {}) {
  const [method = 'GET', rawPath = '/'] = route.split(' ');
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: query,
    headers: {
      host: 'portal.example',
      'x-forwarded-for': '203.0.113.9',
      ...(token && { 'x-auth-token': token }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    requestContext: {
      domainName: 'portal.example',
      stage: '$default',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '198.51.100.7', userAgent: 'test' },
    },
    // API Gateway sends every body that it does not know to be text in base64.
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)).toString('base64') }),
    isBase64Encoded: body !== undefined,
  };
}

/** Under this symbol Lambda's runtime notes that a handler streams. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming');
const isStreaming = (handler: Handler): boolean => Reflect.get(handler, streaming) === 'response';
const contentType = 'application/vnd.awslambda.http-integration-response';
/** Between head and body. */
const delimiter = Buffer.alloc(8);

/** The stream that a handler gets: the request by which the runtime answers the invocation. */
type ResponseStream = ClientRequest & { beforeFirstWrite?: () => void };

/** The global `awslambda` of Lambda's Node runtime, which does what that one does. */
export const awslambda = {
  streamifyResponse: (handler: Handler): Handler => Object.assign(handler, { [streaming]: 'response' }),
  HttpResponseStream: {
    from(stream: ResponseStream, prelude: Prelude): ResponseStream {
      stream.setHeader('content-type', contentType);
      stream.beforeFirstWrite = () => {
        stream.write(JSON.stringify(prelude));
        stream.write(delimiter);
      };
      return stream;
    },
  },
};

/** Invokes a handler as the runtime does, streaming or not. */
export const invoke = async (handler: Handler, event: unknown): Promise<LambdaResult> =>
  isStreaming(handler) ? (await invokeStreaming(handler, event)).result : handler(event, {});

export type Streamed = {
  result: LambdaResult;
  /** Pieces in which head and body came in. */
  pieces: number;
  contentType: string | undefined;
};

/** @param onPiece gets all that has come in so far, each time that there is more */
export async function invokeStreaming(
  handler: Handler,
  event: unknown,
  onPiece?: (soFar: string) => void,
): Promise<Streamed> {
  if (!isStreaming(handler)) throw new Error('the handler does not stream');
  const received = Promise.withResolvers<Streamed>();
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) {
      pieces.push(piece);
      onPiece?.(Buffer.concat(pieces).toString());
    }
    outgoing.writeHead(202).end();
    const type = incoming.headers['content-type'];
    received.resolve({ result: parse(Buffer.concat(pieces)), pieces: pieces.length, contentType: type });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await handler(event, openResponse(port), {});
    return await received.promise;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function openResponse(port: number): ResponseStream {
  const path = '/2018-06-01/runtime/invocation/1/response';
  const headers = {
    'transfer-encoding': 'chunked',
    'content-type': 'application/octet-stream',
    'lambda-runtime-function-response-mode': 'streaming',
  };
  const stream: ResponseStream = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
  const { write } = stream;
  stream.write = (...given: unknown[]): boolean => {
    const { beforeFirstWrite } = stream;
    delete stream.beforeFirstWrite;
    beforeFirstWrite?.();
    return Reflect.apply(write, stream, given);
  };
  return stream;
}

function parse(all: Buffer): LambdaResult {
  const end = all.indexOf(delimiter);
  if (end < 0) throw new Error(`no head: ${all.subarray(0, 200)}`);
  const prelude: Prelude = JSON.parse(all.subarray(0, end).toString());
  return { ...prelude, body: all.subarray(end + delimiter.length).toString() };
}
