import { AwsClient } from 'aws4fetch';
import { AppError } from '../../kernel/errors.ts';
import type { S3Config, S3Parts } from './s3-config.ts';

export type Asker = Required<S3Parts> & { client: AwsClient; root: string };
export type Asked = {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  /** What is not there is no failure. */
  absent?: true;
  /** The deadline is for the beginning of the answer only. */
  streams?: true;
};

/** One request; a part of 8 MiB must be through by then. */
const deadlineMs = 60_000;
/** Tries in all, of what may pass by itself. */
const tries = 4;
const firstPauseMs = 200;

export const createAsker = (config: S3Config, parts: S3Parts): Asker => ({
  // Its own retries are ten, and know no deadline.
  client: new AwsClient({ ...config, service: 's3', retries: 0 }),
  root: `${config.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(config.bucket)}`,
  fetch: parts.fetch ?? ((...given) => fetch(...given)),
  pause: parts.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
});

/**
 * One request to the object store, tried again while it is overloaded or out of reach.
 * @throws AppError `expired` for what is not there, `upstream_failed` for everything else
 */
export async function ask(asker: Asker, method: string, key: string, asked: Asked): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await askOnce(asker, method, key, asked).catch(asFault);
    const isFault = outcome instanceof AppError;
    if (!isFault && (outcome.ok || (asked.absent && outcome.status === 404))) return outcome;
    const fault = isFault ? outcome : await faultOf(outcome);
    if (attempt === tries || !isPassing(outcome)) throw fault;
    await asker.pause(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
  }
}

async function askOnce(
  { client, root, fetch }: Asker,
  method: string,
  key: string,
  { query = {}, headers = {}, body, streams }: Asked,
): Promise<Response> {
  const path = key.split('/').map(encodeURIComponent).join('/');
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error('the object store is silent')), deadlineMs);
  try {
    const request = await client.sign(`${root}/${path}?${new URLSearchParams(query)}`.replace(/\?$/, ''), {
      method,
      // Signed with the content, so that nobody on the way can change it.
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

/** Not by `instanceof Response`: the HTTP server on Node replaces the global, and what `fetch` returns is not one then. */
const isPassing = (outcome: Response | AppError): boolean =>
  outcome instanceof AppError || outcome.status >= 500 || outcome.status === 429;

const asFault = (cause: unknown): AppError =>
  new AppError('upstream_failed', 'The object store cannot be reached', {}, { cause });

/** What the service says of itself goes to the log only. */
async function faultOf(answer: Response): Promise<AppError> {
  if (answer.status === 404) return new AppError('expired');
  const cause = new Error(`${answer.status}: ${(await answer.text()).slice(0, 500)}`);
  return new AppError('upstream_failed', 'The object store did not do what it was asked', {}, { cause });
}
