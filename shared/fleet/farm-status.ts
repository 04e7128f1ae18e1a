import { z } from 'zod';
import { AppError } from '../kernel/errors.ts';
import { isCircuitOpen } from './circuit.ts';
import type { Outcome } from './fan-out.ts';
import type { UserFarm, UserSite } from './user-site.ts';

/** What a merged list says of one farm. */
export const FarmStatus = z.strictObject({
  site_id: z.string(),
  site_uri: z.string(),
  site_name: z.string(),
  farm_id: z.string(),
  farm_name: z.string(),
  status: z.enum(['ok', 'stale', 'timeout', 'error', 'circuit_open', 'maintenance', 'disabled']),
  fetched_at: z.string().nullable(),
  age_ms: z.int().nullable(),
  took_ms: z.int().optional(),
  error: z.string().optional(),
});
export type FarmStatus = z.output<typeof FarmStatus>;

/** @param outcome absent for a farm that was not asked */
export function farmStatus(
  site: UserSite,
  farm: UserFarm,
  outcome: Outcome<unknown> | undefined,
  now: Date,
): FarmStatus {
  const ok = outcome?.ok === true;
  const code = outcome && !outcome.ok ? codeOf(outcome.error) : undefined;
  return {
    site_id: site.id,
    site_uri: site.uri,
    site_name: site.name,
    farm_id: farm.id,
    farm_name: farm.name,
    status: statusOf(farm, outcome, code),
    fetched_at: ok ? now.toISOString() : null,
    age_ms: ok ? 0 : null,
    ...(outcome && { took_ms: Math.round(outcome.tookMs) }),
    ...(code && { error: code }),
  };
}

function statusOf(
  farm: UserFarm,
  outcome: Outcome<unknown> | undefined,
  code: string | undefined,
): FarmStatus['status'] {
  if (!farm.enabled) return 'disabled';
  if (!outcome) return 'maintenance';
  if (outcome.ok) return 'ok';
  if (isCircuitOpen(outcome.error)) return 'circuit_open';
  return code === 'upstream_timeout' ? 'timeout' : 'error';
}

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : 'internal');
