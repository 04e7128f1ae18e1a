import type { FarmFacts } from '../../db/repositories/snapshot/pages.ts';
import { type PartStatus, partStatus } from '../sites/farm-status.ts';

/** A part is stale after this many missed synchronizations, regardless of the reason. */
const missedRounds = 3;

/**
 * True for a part that missed its synchronizations or was never read.
 * @param intervalS `aggregator.sync_interval_s`
 */
export const isStale = (fetchedAt: string | null, intervalS: number, now: Date): boolean =>
  fetchedAt === null || now.getTime() - Date.parse(fetchedAt) > missedRounds * intervalS * 1000;

/**
 * The state of the part of one farm in a merged list.
 * @param isLate the part was requested for this response and was not read in time
 */
export function freshnessOf(facts: FarmFacts, isLate: boolean, intervalS: number, now: Date): PartStatus {
  const { site_id, site_uri, site_name, farm_id, farm_name, fetched_at, took_ms, error } = facts;
  const ageMs = fetched_at === null ? null : Math.max(0, now.getTime() - Date.parse(fetched_at));
  const isOld = isStale(fetched_at, intervalS, now);
  return {
    ...{ site_id, site_uri, site_name, farm_id, farm_name },
    status: partStatus({
      isDisabled: !facts.enabled,
      isInMaintenance: facts.maintenance,
      isUnreachable: facts.circuit_open,
      isShown: fetched_at !== null,
      isFresh: !(isLate || isOld || facts.circuit_open),
      error: error ?? undefined,
    }),
    fetched_at,
    age_ms: ageMs,
    ...(took_ms !== null && { took_ms }),
    ...(error !== null && { error }),
  };
}
