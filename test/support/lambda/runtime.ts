import { once } from 'node:events';
import { type ClientRequest, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../workers/local-workers.ts';
import { eventOf as httpEvent, type LambdaEvent } from './events.ts';

export type LambdaResult = {
  statusCode: number;
  headers: Record<string, string>;
  cookies?: string[];
  body: string;
};
export type Handler = (event: unknown, second: unknown, context?: unknown) => Promise<Json>;
type Prelude = Omit<LambdaResult, 'body'>;

export type Asking = { token?: string; body?: unknown; query?: string; headers?: Record<string, string> };

/** An event with the fields in use. The address in the header is forged; the body is in base64. */
export function eventOf(route: string, { token, body, query = '', headers }: Asking = {}): LambdaEvent {
  const [method = 'GET', path = '/'] = route.split(' ');
  return httpEvent({
    method,
    path,
    query,
    headers: {
      host: 'portal.example',
      'x-forwarded-for': '203.0.113.9',
      ...(token && { 'x-auth-token': token }),
      ...(body !== undefined && { 'content-type': 'application/merge-patch+json' }),
      ...headers,
    },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
    sourceIp: '198.51.100.7',
  });
}

/** Lambda's runtime marks a streaming handler with this symbol. */
const streaming = Symbol.for('aws.lambda.runtime.handler.streaming');
export const isStreaming = (handler: Handler): boolean => Reflect.get(handler, streaming) === 'response';
const contentType = 'application/vnd.awslambda.http-integration-response';
/** Between headers and body. */
const delimiter = Buffer.alloc(8);

/** The stream of a handler: the request by which the runtime answers the invocation. */
type ResponseStream = ClientRequest & { beforeFirstWrite?: () => void };

/** The global `awslambda` of Lambda's Node runtime, with the same behaviour. */
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
  /** The body as received. */
  bytes: Buffer;
  /** Chunks in which headers and body were received. */
  pieces: number;
  contentType: string | undefined;
};

/** @param onPiece is called with all received data after each chunk */
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
    received.resolve({ ...parse(Buffer.concat(pieces)), pieces: pieces.length, contentType: type });
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

function parse(all: Buffer): Pick<Streamed, 'result' | 'bytes'> {
  const end = all.indexOf(delimiter);
  if (end < 0) throw new Error(`no head: ${all.subarray(0, 200)}`);
  const prelude: Prelude = JSON.parse(all.subarray(0, end).toString());
  const bytes = all.subarray(end + delimiter.length);
  return { result: { ...prelude, body: bytes.toString() }, bytes };
}
