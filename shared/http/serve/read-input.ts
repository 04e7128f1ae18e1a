import type { Context } from 'hono';
import { nextTurn } from '../../kernel/concurrency/event-loop.ts';
import { AppError, type FieldError, maxFieldErrors } from '../../kernel/errors.ts';
import { concatenate } from '../../kernel/http/bytes.ts';
import { isObject, largeText, parseObject } from '../../kernel/json/json.ts';
import { pointerTo } from '../../kernel/json/pointer.ts';
import { isStorable } from '../../kernel/text.ts';
import type { Operation, RawInput } from '../declare/operation.ts';
import { bodyLimitOf } from './body-limits.ts';

const mediaTypes = /^application\/(json|merge-patch\+json)\s*(;|$)/i;
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const scimTypes = /^application\/(scim\+json|json)\s*(;|$)/i;
/** Bodies are not decompressed, because a small body must not become a large one. */
const codings = /^\s*(identity)?\s*$/i;
/** A larger body takes more than about a millisecond to parse. */
const largeBytes = 32_768;

/**
 * Reads a request and checks, in this order, media type, size and syntax. Errors that do not depend on the shape are
 * returned in `faults`, for the operation to reject.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `malformed_request`, `malformed_json`
 */
export async function readInput(c: Context, operation: Operation<never>): Promise<RawInput> {
  const {
    body: read,
    isLarge,
    mayBeUnstorable,
  } = operation.body ? await readBody(c.req.raw, operation) : withoutBody;
  const { values: query, faults } = valuesOf(new URL(c.req.url).searchParams, '?');
  const body = read instanceof URLSearchParams ? formOf(read, faults) : read;
  faults.push(...unstorable(query, '?'), ...(mayBeUnstorable ? unstorable(body, '/') : []));
  // The validation takes as long as the parsing, so other requests can run in between.
  if (isLarge) await nextTurn();
  if (operation.body && 'required' in operation.body && body === undefined) faults.push(missingBody);
  return {
    faults,
    params: c.req.param() as Record<string, string>,
    query,
    body,
    isHead: c.req.method === 'HEAD',
    conditions: { ifMatch: c.req.header('if-match'), ifNoneMatch: c.req.header('if-none-match') },
  };
}

const missingBody: FieldError = { pointer: '', code: 'required', detail: 'A request body is required' };

type ReadBody = {
  body: Record<string, unknown> | URLSearchParams | undefined;
  /** Each pass over the body takes time that other requests would miss. */
  isLarge: boolean;
  /** JSON in UTF-8 can name a character that PostgreSQL cannot store only by an escape. */
  mayBeUnstorable: boolean;
};
const withoutBody: ReadBody = { body: undefined, isLarge: false, mayBeUnstorable: false };
const backslash = 0x5c;

async function readBody(request: Request, operation: Operation<never>): Promise<ReadBody> {
  const limit = bodyLimitOf(operation);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  const type = request.headers.get('content-type');
  if (type !== null && !accepts(operation, type)) throw new AppError('unsupported_media_type');
  if (!codings.test(request.headers.get('content-encoding') ?? ''))
    throw new AppError('unsupported_media_type', 'The body must not be compressed');
  const bytes = await withinTime(operation.maxBodyMs, readBytes(request, limit));
  if (bytes.length === 0) return withoutBody;
  if (type === null) throw new AppError('unsupported_media_type');
  const isLarge = bytes.length > largeBytes;
  if (formType.test(type))
    return { body: new URLSearchParams(new TextDecoder().decode(bytes)), isLarge, mayBeUnstorable: true };
  const body = await parseObject(bytes, operation.maxBodyValues);
  if (bytes.length > largeText) await nextTurn();
  return { body, isLarge, mayBeUnstorable: bytes.includes(backslash) };
}

function accepts({ form, protocol }: Operation<never>, type: string): boolean {
  const isJson = protocol === 'scim' ? scimTypes : mediaTypes;
  return (form !== undefined && formType.test(type)) || (form !== true && isJson.test(type));
}

/** A client that sends slowly would keep a large body in memory without a time limit. */
async function withinTime<T>(ms: number | undefined, reading: Promise<T>): Promise<T> {
  if (ms === undefined) return reading;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new AppError('request_timeout')), ms);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
    reading.catch(() => undefined);
  }
}

/** Counts the bytes while reading, because the header Content-Length can be absent or wrong. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // On Node, a cancelled body would close the connection before the error response is written.
    for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof AppError ? error : brokenOff(error);
  }
  const [only] = chunks;
  return chunks.length === 1 && only ? only : concatenate(chunks, size);
}

/**
 * The client closed the connection during the body. Runtimes report this with different errors, some of which resemble
 * a lost database connection.
 */
const brokenOff = (cause: unknown): AppError =>
  new AppError('malformed_request', 'The body is incomplete', {}, { cause });

const tooLarge = (limit: number): AppError =>
  new AppError('body_too_large', undefined, { limit_bytes: limit });

type Values = { values: Record<string, string>; faults: FieldError[] };

/** @param root of the values: `/` for a form, `?` for the query */
function valuesOf(parameters: URLSearchParams, root: '/' | '?'): Values {
  const values: Record<string, string> = {};
  const faults: FieldError[] = [];
  for (const [name, value] of parameters) {
    if (Object.hasOwn(values, name))
      faults.push({ pointer: pointerTo([name], root), code: 'repeated', detail: 'Must occur only once' });
    else Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { values, faults };
}

function formOf(parameters: URLSearchParams, faults: FieldError[]): Record<string, string> {
  const form = valuesOf(parameters, '/');
  faults.push(...form.faults);
  return form.values;
}

/**
 * Finds texts that PostgreSQL cannot store (NUL, unpaired surrogates). For an invalid member name, the pointer is that
 * of the enclosing object.
 * @param root of the value: `/` for a body, `?` for the query
 */
export function unstorable(value: unknown, root: '/' | '?'): FieldError[] {
  const faults: FieldError[] = [];
  collectUnstorable(value, [], (path) => {
    faults.push({ pointer: pointerTo(path, root), ...invalidText });
    return faults.length >= maxFieldErrors;
  });
  return faults;
}

/** @returns true if `report` accepts no further errors */
function collectUnstorable(value: unknown, path: (string | number)[], report: Report): boolean {
  if (typeof value === 'string') return !isStorable(value) && report(path);
  if (Array.isArray(value)) return value.some((element, at) => collectWithin(element, at, path, report));
  if (!isObject(value)) return false;
  for (const name in value)
    if (isStorable(name) ? collectWithin(value[name], name, path, report) : report(path)) return true;
  return false;
}

type Report = (path: readonly (string | number)[]) => boolean;

function collectWithin(
  value: unknown,
  step: string | number,
  path: (string | number)[],
  report: Report,
): boolean {
  path.push(step);
  const isEnough = collectUnstorable(value, path, report);
  path.pop();
  return isEnough;
}

const invalidText = {
  code: 'invalid_text',
  detail: 'The text contains a character that cannot be stored',
} as const;
