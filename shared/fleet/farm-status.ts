import { z } from 'zod';
import { AppError } from '../kernel/errors.ts';
import type { Outcome } from './fan-out.ts';
import { isReachable } from './routing-facts.ts';
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

/** What is kept of a farm from an earlier read. */
export type Kept = { fetchedAt: Date; fresh: boolean };

/**
 * @param outcome absent for a farm that was not asked
 * @param kept absent when nothing is
 */
export function farmStatus(
  site: UserSite,
  farm: UserFarm,
  outcome: Outcome<unknown> | undefined,
  now: Date,
  kept?: Kept,
): FarmStatus {
  const at = outcome?.ok ? now : kept?.fetchedAt;
  const code = outcome && !outcome.ok ? codeOf(outcome.error) : undefined;
  return {
    site_id: site.id,
    site_uri: site.uri,
    site_name: site.name,
    farm_id: farm.id,
    farm_name: farm.name,
    status: statusOf(site, farm, outcome, kept),
    fetched_at: at?.toISOString() ?? null,
    age_ms: at ? Math.max(0, now.getTime() - at.getTime()) : null,
    ...(outcome && { took_ms: Math.round(outcome.tookMs) }),
    ...(code && { error: code }),
  };
}

/** True when the farm has nodes, and none of them may be called. */
export const isCut = ({ nodes }: UserFarm): boolean => nodes.length > 0 && !isReachable(nodes);

function statusOf(
  site: UserSite,
  farm: UserFarm,
  outcome: Outcome<unknown> | undefined,
  kept: Kept | undefined,
): FarmStatus['status'] {
  if (!farm.enabled) return 'disabled';
  if (site.maintenance || farm.maintenance) return 'maintenance';
  if (outcome?.ok) return 'ok';
  if (isCut(farm)) return 'circuit_open';
  if (!outcome) return kept?.fresh ? 'ok' : 'stale';
  if (kept) return 'stale';
  return codeOf(outcome.error) === 'upstream_timeout' ? 'timeout' : 'error';
}

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : 'internal');
