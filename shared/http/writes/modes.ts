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
 * Responses of other media types are documents, which are neither stored nor described. A response is stored for a
 * user, so responses of public operations are not stored.
 */
const writesIn = (operation: Facts, ...names: string[]): boolean =>
  isWrite(operation) &&
  operation.access !== 'public' &&
  !operation.mediaType &&
  !operation.alsoReturns &&
  names.includes(moduleOf(operation.path)?.name ?? '');

/**
 * True for an operation that supports `Idempotency-Key`. The methods GET, PUT and DELETE are idempotent without a key.
 */
export const takesKey = (operation: Facts): boolean =>
  ['POST', 'PATCH'].includes(operation.method) && writesIn(operation, 'webui', 'userinfo', 'aggregator');

/**
 * True for an operation that supports `X-Dry-Run`. Operations with an effect on a dispatcher do not, because only the
 * dispatcher can determine the effect.
 */
export const takesDryRun = (operation: Facts): boolean =>
  !operation.effects && writesIn(operation, 'webui', 'aggregator');

/**
 * Runs a write as its headers request: normally, once per key, or as a dry run.
 * @throws AppError `invalid_request` for an invalid header, and the errors of these modes
 */
export function runInRequestedMode<D extends BaseDeps>(
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

/** Rejects a dry run that the operation does not support, because it would be a real write. */
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
