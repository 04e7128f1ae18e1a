import { type AppError, problemProperties } from '../kernel/errors.ts';
import type { Language } from '../messages/languages.ts';
import { inLanguage, isDetail } from '../messages/message.ts';
import { withCharset } from './serve/answer.ts';

/** An RFC 9457 problem document. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  retryable: boolean;
  [member: string]: unknown;
};

/** Fails a test if the text of an error is not in the catalogue. */
export function assertTranslated({ detail, members: { errors = [] } }: AppError): void {
  for (const text of [detail, ...errors.map((fault) => fault.detail)])
    if (typeof text === 'string' && !isDetail(text)) throw new Error(`not in the catalogue: ${text}`);
}

type Form = {
  language?: Language;
  /** Address of the server of `/api/errors/<code>`, if this server does not have it. */
  pages?: string | undefined;
};

export function problemOf(
  error: AppError,
  requestId: string,
  { language = 'en', pages = '' }: Form = {},
): Problem {
  const facts = problemProperties(error.code);
  const { retry_after_s: _, errors, ...members } = error.members;
  const faults = errors?.map((fault) => ({ ...fault, detail: inLanguage(fault.detail, language) }));
  return {
    ...members,
    ...(faults && { errors: faults }),
    type: `${pages}/api/errors/${error.code}`,
    title: inLanguage(facts.title, language),
    status: facts.status,
    detail: inLanguage(error.detail, language),
    instance: requestId,
    code: error.code,
    retryable: facts.retryable === true,
  };
}

/** Returns the problem as a response with the headers of its status. */
export const problemResponse = (
  error: AppError,
  requestId: string,
  headers: Record<string, string> = {},
  language: Language = 'en',
): Response =>
  refuseWith(problemOf(error, requestId, { language }), 'application/problem+json', error, {
    ...headers,
    ...inItsLanguage(language),
  });

/** Headers of a response with translated texts. */
export const inItsLanguage = (language: Language): Record<string, string> => ({
  'content-language': language,
  vary: 'accept-language',
});

/** Returns the same headers with another body. */
export function refuseWith(
  body: object,
  mediaType: string,
  error: AppError,
  headers: Record<string, string>,
): Response {
  const facts = problemProperties(error.code);
  const retryAfter = error.members.retry_after_s ?? facts.retryAfterS;
  return new Response(JSON.stringify(body), {
    status: facts.status,
    headers: {
      ...(facts.status === 401 && { 'www-authenticate': 'Token realm="aggregator"' }),
      ...headers,
      ...rateLimitHeaders(error),
      'content-type': withCharset(mediaType),
      ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
    },
  });
}

/** The exhausted quota in the fields of draft-ietf-httpapi-ratelimit-headers. */
function rateLimitHeaders({ code, members }: AppError): Record<string, string> {
  if (code !== 'rate_limited') return {};
  const { policy, limit_per_minute, retry_after_s = 1 } = members;
  return {
    ratelimit: `"${policy}";r=0;t=${Math.max(1, Math.ceil(retry_after_s))}`,
    'ratelimit-policy': `"${policy}";q=${limit_per_minute};w=60`,
  };
}
