import { customFetch } from 'oauth4webapi';
import type { OidcClient } from '../port.ts';
import type { Memory } from './memory.ts';

/** One operation. Its requests share the time limit. */
export type Call = { client: OidcClient; memory: Memory; endsAt: number; signal: AbortSignal | undefined };

export const callOf = (memory: Memory, client: OidcClient, signal: AbortSignal | undefined): Call => ({
  client,
  memory,
  endsAt: performance.now() + client.deadlineMs,
  signal,
});

/** Maximum size of a response. An ID token with several hundred groups is smaller than 64 KiB. */
const maxBytes = 256 * 1024;

const bodiless = [204, 205, 304];

type RequestOptions = { body?: unknown; headers: Record<string, string>; method: string };

/** Sends a request of the library over the transport, which checks the address and follows no redirects. */
async function send(call: Call, url: string, { body, headers, method }: RequestOptions): Promise<Response> {
  const { client, memory, endsAt, signal } = call;
  const { status, text, ...answer } = await memory.transport.send({
    method: method === 'POST' ? 'POST' : 'GET',
    url,
    headers,
    body: body === undefined || body === null ? undefined : String(body),
    deadlineMs: endsAt - performance.now(),
    maxBytes,
    ca: client.ca,
    verifyTls: true,
    signal,
  });
  return new Response(bodiless.includes(status) ? null : text, { status, headers: answer.headers });
}

/** Options of the library for requests of this call. */
export const requestOptions = (call: Call) => ({
  [customFetch]: (url: string, options: RequestOptions): Promise<Response> => send(call, url, options),
});

export const sendOf =
  (call: Call) =>
  (url: string, options: RequestOptions): Promise<Response> =>
    send(call, url, options);
