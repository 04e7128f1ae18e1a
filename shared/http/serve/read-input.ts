import type { Context } from 'hono';
import { nextTurn } from '../../kernel/concurrency/event-loop.ts';
import { AppError, type FieldError, maxFieldErrors } from '../../kernel/errors.ts';
import { isObject, parseObject } from '../../kernel/json/json.ts';
import { pointerTo } from '../../kernel/json/pointer.ts';
import { isStorable } from '../../kernel/text.ts';
import type { Operation, RawInput } from '../declare/operation.ts';
import { bodyLimitOf } from './body-limits.ts';

const mediaTypes = /^application\/(json|merge-patch\+json)\s*(;|$)/i;
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
  const body = operation.body ? await readBody(c.req.raw, bodyLimitOf(operation)) : undefined;
  const { query, faults } = readQuery(new URL(c.req.url).searchParams);
  faults.push(...unstorable(query, '?'), ...unstorable(body, '/'));
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

async function readBody(request: Request, limit: number): Promise<Record<string, unknown> | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  const type = request.headers.get('content-type');
  if (type !== null && !mediaTypes.test(type)) throw new AppError('unsupported_media_type');
  if (!codings.test(request.headers.get('content-encoding') ?? ''))
    throw new AppError('unsupported_media_type', 'The body must not be compressed');
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return undefined;
  if (type === null) throw new AppError('unsupported_media_type');
  const body = parseObject(bytes);
  // The validation takes as long as the parsing, so other requests can run in between.
  if (bytes.length > largeBytes) await nextTurn();
  return body;
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

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/**
 * The client closed the connection during the body. Runtimes report this with different errors, some of which resemble
 * a lost database connection.
 */
const brokenOff = (cause: unknown): AppError =>
  new AppError('malformed_request', 'The body is incomplete', {}, { cause });

const tooLarge = (limit: number): AppError =>
  new AppError('body_too_large', undefined, { limit_bytes: limit });

function readQuery(parameters: URLSearchParams): { query: Record<string, string>; faults: FieldError[] } {
  const query: Record<string, string> = {};
  const faults: FieldError[] = [];
  for (const [name, value] of parameters) {
    if (Object.hasOwn(query, name))
      faults.push({ pointer: `?${name}`, code: 'repeated', detail: 'Must occur only once' });
    else Object.defineProperty(query, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return { query, faults };
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
