import { z } from 'zod';
import type { ListRow } from '../../rows.ts';
import { count, flag, label, text } from './members.ts';
import type { Delivery } from './transports.ts';

/** Letters of the states of a pool. Others are shown as they are. */
const states: Readonly<Record<string, string>> = {
  A: 'active',
  Y: 'maintenance',
  R: 'removing',
  M: 'removing',
  Q: 'locked',
};

const tags = z.array(z.string().min(1).max(64)).max(50).nullish();

/** A row of the list of pools. Its pictures are not read. */
export const PoolShape = z.object({
  id: z.guid().transform((id) => id.toLowerCase()),
  name: text(256),
  short_name: label(256),
  comments: label(4096),
  tags,
  state: z.string().min(1).max(64).nullish(),
  visible: flag,
  initial_srvs: count,
  cache_l1_srvs: count,
  cache_l2_srvs: count,
  max_srvs: count,
  user_services_count: count,
  user_services_in_preparation: count,
  restrained: flag,
  fallbackAccess: z.string().max(64).nullish(),
  fallback_access: z.string().max(64).nullish(),
});
export type PoolMembers = z.output<typeof PoolShape>;

/**
 * Desktops in use of those that the pool may have, in percent, as the other kind reports it. The broker's own figure counts
 * desktops with an owner, which are in use or not.
 */
function usageOf({ max_srvs, user_services_count }: PoolMembers, inUse: number | null): number | null {
  const total = max_srvs || user_services_count;
  if (inUse === null || total === null) return null;
  return total === 0 ? 0 : Math.round((100 * inUse) / total);
}

/** The port's row of a pool. Closed access is the maintenance that the portal sets. */
export function poolRow(
  row: PoolMembers,
  ways: Iterable<Delivery>,
  inUse: number | null,
): ListRow<'servicespools'> {
  const protocols = [...ways].filter(({ pools }) => pools.includes(row.id)).map(({ protocol }) => protocol);
  const state = row.state ? (states[row.state] ?? row.state) : 'unknown';
  const access = row.fallbackAccess ?? row.fallback_access;
  return {
    ...{ uuid: row.id, name: row.name, short_name: row.short_name, comments: row.comments },
    ...{ state, visible: row.visible, maintenance: state === 'maintenance' || access === 'DENY' },
    protocols: [...new Set(protocols)].slice(0, 16),
    ...{ initial_srvs: row.initial_srvs, cache_l1_srvs: row.cache_l1_srvs },
    ...{ cache_l2_srvs: row.cache_l2_srvs, max_srvs: row.max_srvs },
    workplaces_count: row.user_services_count,
    in_use_count: inUse,
    in_preparation_count: row.user_services_in_preparation,
    usage_percent: usageOf(row, inUse),
    restrained: row.restrained,
    tags: row.tags ?? null,
  };
}
