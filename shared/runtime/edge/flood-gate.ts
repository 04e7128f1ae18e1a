import { traceOf } from '../../context/trace.ts';
import { problemResponse } from '../../http/problem.ts';
import { headersOfAll } from '../../http/serve/answer.ts';
import { AppError } from '../../kernel/errors.ts';
import { networkOf } from '../../kernel/networks.ts';

/** The part of Cloudflare's rate-limit binding that is used; it counts in each of its locations. */
type Limiter = { limit(which: { key: string }): Promise<{ success: boolean }> };

/** What `wrangler.toml` says of the binding FLOOD. */
export const floodLimit = { limit: 3_000, period: 10 } as const;

const isLimiter = (value: unknown): value is Limiter =>
  typeof value === 'object' && value !== null && 'limit' in value && typeof value.limit === 'function';

/**
 * Refuses a flood from one network before anything is built or asked, all isolates of a location counted together; the
 * quotas that administrators set are lower, finer, and counted in each isolate.
 * @returns the refusal; undefined for who may come in, and where there is no such binding
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
