import type { z } from 'zod';
import type { Transport, TransportRequest, TransportResponse } from '../../http/transport.ts';
import { badAnswer, fromTransport } from '../failures.ts';
import { type Call, deadlineOf } from '../port.ts';
import { fromStatus } from './statuses.ts';

/** One exchange with a node: where, what, and which answers count as such. */
export type Exchange<Shape extends z.ZodType> = Omit<Call, 'key'> & {
  method: TransportRequest['method'];
  /** Below the node's URL, beginning with a slash; built from encoded segments only. */
  path: string;
  query?: Record<string, string | undefined>;
  body?: unknown;
  /** The headers that prove who we are. */
  credentials: Record<string, string>;
  answer: Shape;
  /** About one object on behalf of a user: 404, 409, 410 and 422 then speak of that object. */
  isAction?: boolean;
  /** Statuses besides 2xx that may carry the answer. */
  alsoAnswers?: readonly number[];
};

/** Sends one request, never twice. @returns the checked answer. @throws AppError as the port says */
export async function converse<Shape extends z.ZodType>(
  transport: Transport,
  exchange: Exchange<Shape>,
): Promise<z.output<Shape>> {
  return readAnswer(exchange, await send(transport, exchange));
}

/**
 * The same with a validator: nothing of the answer is read when the node has nothing new.
 * @returns null for 304, otherwise the answer and the validator that came with it
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

/** @returns undefined when the text is no JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
