import type { FarmFacts } from '../../../db/repositories/snapshot-pages.ts';
import type { FarmStatus } from '../farm-status.ts';

/** A part that missed so many rounds is told as stale, whatever the reason. */
const missedRounds = 3;

/**
 * What a merged list says of the part of one farm.
 * @param isLate it was to be read for this answer, and was not in time
 */
export function freshnessOf(facts: FarmFacts, isLate: boolean, intervalS: number, now: Date): FarmStatus {
  const { site_id, site_uri, site_name, farm_id, farm_name, fetched_at, took_ms, error } = facts;
  const ageMs = fetched_at === null ? null : Math.max(0, now.getTime() - Date.parse(fetched_at));
  const isOld = ageMs === null || ageMs > missedRounds * intervalS * 1000;
  return {
    ...{ site_id, site_uri, site_name, farm_id, farm_name },
    status: statusOf(facts, isLate || isOld),
    fetched_at,
    age_ms: ageMs,
    ...(took_ms !== null && { took_ms }),
    ...(error !== null && { error }),
  };
}

function statusOf(facts: FarmFacts, isStale: boolean): FarmStatus['status'] {
  if (!facts.enabled) return 'disabled';
  if (facts.maintenance) return 'maintenance';
  if (facts.circuit_open) return 'circuit_open';
  if (facts.error !== null) return facts.error.startsWith('upstream_timeout') ? 'timeout' : 'error';
  return isStale ? 'stale' : 'ok';
}
