import { z } from 'zod';
import { hostOrText } from '../../machine-names.ts';
import type { IdentityMapping } from '../../port.ts';
import { type ListRow, unknown, type WorkplaceState } from '../../rows.ts';
import { address, count, flag, moment, text, withDigit } from './members.ts';

/** A row of the assigned desktops of a pool, or of its cache. */
export const DesktopShape = z.object({
  id: z.guid().transform((id) => id.toLowerCase()),
  unique_id: text(256),
  friendly_name: text(256),
  state: z.string().max(8).nullish(),
  os_state: z.string().max(8).nullish(),
  creation_date: moment,
  revision: z.union([count, z.literal('').transform(() => null)]),
  ip: address,
  actor_version: withDigit(64),
  owner: text(1024),
  owner_info: z.object({ auth_id: z.string(), user_id: z.string() }).nullish().catch(null),
  in_use: flag,
  in_use_date: moment,
  source_host: text(256),
  source_ip: address,
});
export type DesktopMembers = z.output<typeof DesktopShape>;

export type Pool = { uuid: string; name: string | null };
/** Names and labels of the authenticators of a broker, by their ids. */
export type Authenticators = ReadonlyMap<string, { name: string; label: string }>;

/** Desktops that were removed stay in the list for hours. */
export const isGone = ({ state }: Pick<DesktopMembers, 'state'>): boolean => state === 'S' || state === 'C';

function stateOf({ state, os_state, in_use }: DesktopMembers): WorkplaceState {
  switch (state) {
    case 'E':
      return 'error';
    case 'P':
      return 'preparing';
    case 'R':
    case 'M':
    case 'K':
      return 'removing';
    case 'U':
      if (os_state !== 'U') return 'preparing';
      return in_use ? 'in_use' : 'ready';
    default:
      return unknown;
  }
}

/** The owner is written as `<user>@<name of the authenticator>`, and both may contain the sign. */
export function ownerOf(
  { owner, owner_info }: DesktopMembers,
  authenticators: Authenticators,
  identity: IdentityMapping | undefined,
): ListRow<'workplaces'>['owner'] {
  const authenticator = owner_info && authenticators.get(owner_info.auth_id.toLowerCase());
  if (!authenticator || !owner?.endsWith(`@${authenticator.name}`)) return null;
  const name = owner.slice(0, -authenticator.name.length - 1);
  if (name === '') return null;
  const mapped = identity?.domains.find(({ nodeLabel }) => nodeLabel === authenticator.label);
  return { domain: mapped?.label ?? authenticator.label, name };
}

/** The port's row of a desktop. The broker reports neither the machine, nor maintenance, nor tags. */
export function workplaceRow(
  row: DesktopMembers,
  pool: Pool,
  owner: ListRow<'workplaces'>['owner'],
): ListRow<'workplaces'> {
  const name = row.friendly_name ?? row.unique_id ?? row.id;
  return {
    ...{ uuid: row.id, name, servicepool_uuid: pool.uuid, servicepool_name: pool.name },
    ...{ unique_id: row.unique_id, hostname: hostOrText(row.friendly_name), ip: row.ip },
    ...{ state: stateOf(row), machine_state: unknown, owner, in_use: row.in_use ?? false },
    in_use_since: row.in_use ? row.in_use_date : null,
    ...{ client_ip: row.source_ip, client_host: row.source_host },
    ...{ maintenance: false, tags: [], agent_version: row.actor_version, agent_seen_at: null },
    ...{ revision: row.revision, created_at: row.creation_date },
  };
}

/** A desktop in use is a session: the broker has no others. */
export function sessionRow(
  row: DesktopMembers,
  workplace: ListRow<'workplaces'>,
  protocol: string,
  readAt: string,
): ListRow<'spsessions'> {
  return {
    ...{ session_uuid: row.id, servicepool_uuid: workplace.servicepool_uuid },
    ...{ servicepool_name: workplace.servicepool_name, workplace_uuid: row.id },
    ...{ workplace_name: workplace.name, workplace_ip: workplace.ip },
    ...{ user: workplace.owner?.name ?? null, domain: workplace.owner?.domain ?? null, protocol },
    ...{ client_ip: workplace.client_ip, client_host: workplace.client_host, gateway_id: null },
    ...{ state: 'active', started_at: row.in_use_date, last_seen_at: readAt },
  };
}
