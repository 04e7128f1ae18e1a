import { z } from 'zod';
import { AppError } from '../kernel/errors.ts';
import { refusalReasons } from '../remotes/dispatcher/refusals.ts';
import type { Outcome } from './calls/fan-out.ts';
import { isUnreachable } from './calls/order.ts';
import type { UserFarm, UserSite } from './user-site.ts';

const statuses = ['ok', 'stale', 'timeout', 'error', 'circuit_open', 'maintenance', 'disabled'] as const;
const statusTexts =
  '`stale`: older data; `timeout`, `error`: no data after a failure; `circuit_open`: the circuit breaker of its nodes is open; `maintenance`, `disabled`: set by an administrator.';

/** The state of one farm in a list. */
const FarmStatus = z.strictObject({
  site_id: z.string().describe('Identifier of the site.'),
  site_uri: z.string().describe('Name of the site in URLs.'),
  site_name: z.string().describe('Name of the site.'),
  farm_id: z.string().describe('Identifier of the farm.'),
  farm_name: z.string().describe('Name of the farm.'),
  status: z.enum(statuses).describe(`\`ok\`: the farm has answered, and the data is current; ${statusTexts}`),
  fetched_at: z
    .string()
    .nullable()
    .describe('When the data of the farm was read. Null if it was never read.'),
  age_ms: z.int().nullable().describe('Age of the data in milliseconds. Null if it was never read.'),
  took_ms: z
    .int()
    .optional()
    .describe('Duration of the call in milliseconds. Present only if the farm was called for this response.'),
  error: z.string().optional().describe('Problem code of the last failure. Present only after a failure.'),
});
export type FarmStatus = z.output<typeof FarmStatus>;

/** The state of the part of one farm in a merged list of the snapshot. */
export const PartStatus = FarmStatus.extend({
  status: z
    .enum(['pending', ...statuses])
    .describe(
      `\`ok\`: the data is current; \`pending\`: the first synchronization has not read it yet; ${statusTexts}`,
    ),
});
export type PartStatus = z.output<typeof PartStatus>;

const FarmRefusal = z.strictObject({
  reason: z
    .enum(refusalReasons)
    .nullable()
    .describe(
      '`unknown`: no account there; `inactive`: the account is disabled; `no_groups`: it is in no group; `privileged_account`: it is that of staff of the dispatcher; `domain_not_linked`: the domain is not known there. Null for callers without `rules.explain` at the site.',
    ),
});

/** The state of one farm in a list of a user. */
export const UserFarmStatus = FarmStatus.extend({
  refusal: FarmRefusal.nullable().describe(
    'Set if the dispatchers of the farm have no account that the user may use. The status is `ok` then, because they have answered. Null otherwise.',
  ),
});

/** The cached data of a farm from an earlier read. */
export type CachedAnswer = { fetchedAt: Date; fresh: boolean };

/**
 * @param outcome absent for a farm that was not called. A refusal of the user is an answer
 * @param cached absent without cached data
 */
export function farmStatus(
  site: UserSite,
  farm: UserFarm,
  outcome: Outcome<unknown> | undefined,
  now: Date,
  cached?: CachedAnswer,
): FarmStatus {
  const at = outcome?.ok ? now : cached?.fetchedAt;
  const code = outcome && !outcome.ok ? codeOf(outcome.error) : undefined;
  const status = partStatus({
    isDisabled: !farm.enabled,
    isInMaintenance: site.maintenance || farm.maintenance,
    isUnreachable: isUnreachable(farm),
    isShown: cached !== undefined,
    isFresh: outcome ? outcome.ok : cached?.fresh === true && !isUnreachable(farm),
    error: code,
  });
  return {
    site_id: site.id,
    site_uri: site.uri,
    site_name: site.name,
    farm_id: farm.id,
    farm_name: farm.name,
    status: status === 'pending' ? 'stale' : status,
    fetched_at: at?.toISOString() ?? null,
    age_ms: at ? Math.max(0, now.getTime() - at.getTime()) : null,
    ...(outcome && { took_ms: Math.round(outcome.tookMs) }),
    ...(code && { error: code }),
  };
}

/** The facts about the part of one farm in a list. */
type Part = {
  isDisabled: boolean;
  isInMaintenance: boolean;
  isUnreachable: boolean;
  /** The list contains data of the farm. */
  isShown: boolean;
  /** The data is within its maximum age. */
  isFresh: boolean;
  /** Problem code of the last failed call. */
  error: string | undefined;
};

/**
 * The state of the part of a farm, equal in all lists. Data that could not be read again is `stale`, and `error` is
 * set. `timeout`, `error` and `pending` are used only if there is no data to show.
 */
export function partStatus({ error, ...part }: Part): PartStatus['status'] {
  if (part.isDisabled) return 'disabled';
  if (part.isInMaintenance) return 'maintenance';
  if (part.isFresh && error === undefined) return 'ok';
  if (part.isUnreachable) return 'circuit_open';
  if (part.isShown) return 'stale';
  if (error === undefined) return 'pending';
  return error.startsWith('upstream_timeout') ? 'timeout' : 'error';
}

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : 'internal');
