import type { z } from 'zod';
import type { Transport, TransportRequest, TransportResponse } from '../../http/transport.ts';
import { badAnswer, fromTransport } from '../failures.ts';
import { type Destination, deadlineOf } from '../port.ts';
import { fromStatus } from './statuses.ts';

/** One request to a node, with the responses that it accepts. */
export type Exchange<Shape extends z.ZodType> = Destination & {
  method: TransportRequest['method'];
  /** Path relative to the URL of the node. It begins with a slash and consists of encoded segments only. */
  path: string;
  query?: Record<string, string | undefined>;
  body?: unknown;
  /** The headers that authenticate the portal. */
  credentials: Record<string, string>;
  answer: Shape;
  /** The call concerns one object on behalf of a user, so 404, 409, 410 and 422 refer to that object. */
  isAction?: boolean;
  /** Statuses besides 2xx whose body can be the response. */
  alsoAnswers?: readonly number[];
};

/**
 * Sends a request once, without retries.
 * @returns the validated response
 * @throws AppError as described by the port
 */
export async function converse<Shape extends z.ZodType>(
  transport: Transport,
  exchange: Exchange<Shape>,
): Promise<z.output<Shape>> {
  return readAnswer(exchange, await send(transport, exchange));
}

/**
 * Same as `converse` with a validator. If the node has no changes, no body is read.
 * @returns null for 304, otherwise the response and its validator
 */
export async function converseIfChanged<Shape extends z.ZodType>(
  transport: Transport,
  exchange: Exchange<Shape>,
  etag: string | undefined,
): Promise<{ answer: z.output<Shape>; etag: string | undefined } | null> {
  const credentials = { ...exchange.credentials, ...(etag && { 'if-none-match': etag }) };
  const response = await send(transport, { ...exchange, credentials });
  if (response.status === 304 && etag) return null;
  return { answer: readAnswer(exchange, response), etag: response.headers.etag };
}

function readAnswer<Shape extends z.ZodType>(
  { node, answer, isAction = false, alsoAnswers = [] }: Exchange<Shape>,
  { status, text }: TransportResponse,
): z.output<Shape> {
  const isSuccess = status >= 200 && status < 300;
  const body = parseJson(text);
  if (!isSuccess && !alsoAnswers.includes(status)) throw fromStatus(node, status, body, isAction);
  const parsed = answer.safeParse(body);
  if (parsed.success) return parsed.data;
  if (!isSuccess) throw fromStatus(node, status, body, isAction);
  throw badAnswer(node, body === undefined ? 'not_json' : 'wrong_shape');
}

async function send(transport: Transport, exchange: Exchange<z.ZodType>): Promise<TransportResponse> {
  const { node, method, body, credentials, trace, signal } = exchange;
  try {
    return await transport.send({
      method,
      url: urlOf(exchange),
      headers: {
        accept: 'application/json',
        ...credentials,
        'x-request-id': trace.requestId,
        ...(trace.traceparent && { traceparent: trace.traceparent }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      deadlineMs: deadlineOf(exchange),
      ca: node.caCertificate,
      verifyTls: node.verifyTls,
      concerns: node.id,
      signal,
    });
  } catch (error) {
    throw fromTransport(node, error);
  }
}

function urlOf({ node, path, query = {} }: Exchange<z.ZodType>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
  return `${node.url.replace(/\/+$/, '')}${path}${search.size > 0 ? `?${search}` : ''}`;
}

/** @returns undefined if the text is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
