import type { BaseDeps } from '../../context/context.ts';
import { type FieldError, invalid } from '../../kernel/errors.ts';
import { moduleOf } from '../../modules.ts';
import type { RequestCtx } from '../context.ts';
import { isWrite, type Operation, type RawInput } from '../declare/operation.ts';
import { describeWrite } from './dry-run.ts';
import { requestText, runLeased, runOnce } from './idempotency.ts';
import { hasSession, type Run } from './transactional.ts';

type Facts = Pick<
  Operation<never>,
  'access' | 'method' | 'path' | 'readsOnly' | 'mediaType' | 'alsoReturns' | 'effects'
>;

/**
 * Answers of another media type are documents: they are neither kept nor described. An answer is kept for a user, and
 * what is public has none.
 */
const writesIn = (operation: Facts, ...names: string[]): boolean =>
  isWrite(operation) &&
  operation.access !== 'public' &&
  !operation.mediaType &&
  !operation.alsoReturns &&
  names.includes(moduleOf(operation.path)?.name ?? '');

/** True for an operation that an `Idempotency-Key` makes repeatable; the other methods are so by themselves. */
export const takesKey = (operation: Facts): boolean =>
  ['POST', 'PATCH'].includes(operation.method) && writesIn(operation, 'webui', 'userinfo', 'aggregator');

/** True for an operation that describes itself with `X-Dry-Run`; what a dispatcher would say only it knows. */
export const takesDryRun = (operation: Facts): boolean =>
  !operation.effects && writesIn(operation, 'webui', 'aggregator');

/**
 * Runs a write in the way that the headers of its request ask for: as it is, once for a key, or only described.
 * @throws AppError `invalid_request` for a header that says nothing sensible, and what the ways throw
 */
export function runAsAsked<D extends BaseDeps>(
  ctx: RequestCtx<D>,
  operation: Operation<D>,
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  raw: RawInput,
  run: Run<D>,
): Promise<Response> {
  const dryRun = headers.get('x-dry-run');
  const key = takesKey(operation) ? headers.get('idempotency-key') : null;
  const faults = [...dryRunFaults(dryRun, operation), ...keyFaults(key)];
  if (faults.length > 0) throw invalid(...faults);
  if (!hasSession(ctx)) return run(ctx);
  if (dryRun === 'true') return describeWrite(ctx, operation, run);
  if (key === null) return run(ctx);
  const request = requestText(operation.method, new URL(url).pathname, raw);
  const once = operation.effects ? runLeased : runOnce;
  return once(ctx, { key, request }, operation, run);
}

/** A dry run that would be a real one is refused, whoever asks for it. */
function dryRunFaults(value: string | null, operation: Facts): FieldError[] {
  const pointer = 'X-Dry-Run';
  if (value === null || value === 'false') return [];
  if (value !== 'true') return [{ pointer, code: 'invalid_value', detail: 'Must be true or false' }];
  if (takesDryRun(operation)) return [];
  return [{ pointer, code: 'not_supported', detail: 'This operation does not support dry runs' }];
}

function keyFaults(key: string | null): FieldError[] {
  if (key === null || /^[\x20-\x7e]{1,255}$/.test(key)) return [];
  const detail = 'Must be 1 to 255 printable ASCII characters';
  return [{ pointer: 'Idempotency-Key', code: 'invalid_format', detail }];
}
