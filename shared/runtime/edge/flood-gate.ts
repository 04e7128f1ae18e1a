import { traceOf } from '../../context/trace.ts';
import { problemResponse } from '../../http/problem.ts';
import { headersOfAll } from '../../http/serve/answer.ts';
import { AppError } from '../../kernel/errors.ts';
import { networkOf } from '../../kernel/networks.ts';

/** The used part of Cloudflare's rate-limit binding, which counts per location. */
type Limiter = { limit(which: { key: string }): Promise<{ success: boolean }> };

/** Must match the binding FLOOD in `wrangler.toml`. */
export const floodLimit = { limit: 3_000, period: 10 } as const;

const isLimiter = (value: unknown): value is Limiter =>
  typeof value === 'object' && value !== null && 'limit' in value && typeof value.limit === 'function';

/**
 * Rejects floods from one network early, counted over all isolates of a location. The quotas of administrators are
 * lower, more specific, and counted per isolate.
 * @returns the response of a rejected request; undefined for other requests, and without the binding
 */
export async function refuseFlood(
  binding: unknown,
  request: Request,
  ip: string,
): Promise<Response | undefined> {
  if (!isLimiter(binding)) return undefined;
  const { success } = await binding.limit({ key: networkOf(ip) });
  if (success) return undefined;
  const { requestId } = traceOf(request.headers);
  const { limit, period } = floodLimit;
  const quota = { policy: 'address', limit_per_minute: (limit * 60) / period, retry_after_s: period };
  return problemResponse(new AppError('rate_limited', undefined, quota), requestId, headersOfAll(requestId));
}
