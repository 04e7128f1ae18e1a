import { AwsClient } from 'aws4fetch';
import { AppError } from '../../kernel/errors.ts';
import type { S3Config, S3Parts } from './s3-config.ts';

export type S3Client = Required<S3Parts> & { client: AwsClient; root: string };
export type S3Request = {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  /** Treats 404 as success. */
  absent?: true;
  /** Applies the deadline to the response headers only. */
  streams?: true;
};

/** Deadline of a request in milliseconds; sufficient for a part of 8 MiB. */
const deadlineMs = 60_000;
/** Maximum number of attempts for temporary failures. */
const maxAttempts = 4;
const firstPauseMs = 200;

export const createS3Client = (config: S3Config, parts: S3Parts): S3Client => ({
  // The client's own ten retries have no deadline.
  client: new AwsClient({ ...config, service: 's3', retries: 0 }),
  root: `${config.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(config.bucket)}`,
  fetch: parts.fetch ?? ((...args) => fetch(...args)),
  pause: parts.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
});

/**
 * Sends one request to the object store; retries while it is overloaded or unreachable.
 * @throws AppError `expired` for a missing object, `upstream_failed` otherwise
 */
export async function sendS3Request(
  asker: S3Client,
  method: string,
  key: string,
  request: S3Request,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(asker, method, key, request).catch(asFault);
    const isFault = outcome instanceof AppError;
    if (!isFault && (outcome.ok || (request.absent && outcome.status === 404))) return outcome;
    const fault = isFault ? outcome : await faultOf(outcome);
    if (attempt === maxAttempts || !isTemporary(outcome)) throw fault;
    await asker.pause(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
  }
}

async function sendOnce(
  { client, root, fetch }: S3Client,
  method: string,
  key: string,
  { query = {}, headers = {}, body, streams }: S3Request,
): Promise<Response> {
  const path = key.split('/').map(encodeURIComponent).join('/');
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new Error('the object store did not respond in time')),
    deadlineMs,
  );
  try {
    const request = await client.sign(`${root}/${path}?${new URLSearchParams(query)}`.replace(/\?$/, ''), {
      method,
      // The signature includes the content, so that it cannot be altered in transit.
      headers: { ...headers, 'x-amz-content-sha256': await digestOf(body) },
      ...(body && { body }),
      signal: deadline.signal,
    });
    const answer = await fetch(request);
    if (streams && answer.ok) return answer;
    const bytes = await answer.arrayBuffer();
    return new Response(bytes.byteLength > 0 ? bytes : null, answer);
  } finally {
    clearTimeout(timer);
  }
}

async function digestOf(body: Uint8Array<ArrayBuffer> = new Uint8Array()): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `instanceof Response` fails here: the HTTP server on Node replaces the global class, but `fetch` returns the original. */
const isTemporary = (outcome: Response | AppError): boolean =>
  outcome instanceof AppError || outcome.status >= 500 || outcome.status === 429;

const asFault = (cause: unknown): AppError =>
  new AppError('upstream_failed', 'The object store is unreachable', {}, { cause });

/** The response text of the service is only logged. */
async function faultOf(answer: Response): Promise<AppError> {
  if (answer.status === 404) return new AppError('expired');
  const cause = new Error(`${answer.status}: ${(await answer.text()).slice(0, 500)}`);
  return new AppError('upstream_failed', 'The object store did not execute the request', {}, { cause });
}
