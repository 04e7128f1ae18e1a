import { sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { gateways } from '../../schema/gateways/gateways.ts';
import { gatewayTickets as tickets } from '../../schema/gateways/tickets.ts';
import { gatewayTunnels as tunnels } from '../../schema/gateways/tunnels.ts';
import { gatewayStats } from './gateways.ts';

/** Hours after which an open tunnel is presumed ended. */
const longestTunnelH = 24;
/** A heartbeat counts only tunnels that began at least this many seconds before it. */
const heartbeatLagS = 60;

/**
 * Tunnels whose end was not reported, because their gateway was killed or the report was lost:
 * - the oldest tunnels of a gateway in excess of the number in its last heartbeat;
 * - tunnels of a session to which a later ticket opened a tunnel, after the time in which their own ticket opens
 *   tunnels, because a session has one client at a time;
 * - tunnels older than `longestTunnelH`.
 */
const contradicted = sql`
  select id from (
    select ${tunnels.id} as id, ${gateways.reported_connections} as reported,
      row_number() over (partition by ${gateways.id} order by ${tunnels.began_at}, ${tunnels.id}) as nth,
      count(*) over (partition by ${gateways.id}) as open_count
    from ${tunnels} join ${tickets} on ${tickets.id} = ${tunnels.ticket_id}
      join ${gateways} on ${gateways.id} = ${tickets.gateway_id}
    where ${tunnels.stopped_at} is null
      and ${tunnels.began_at} < ${gateways.reported_at} - make_interval(secs => ${heartbeatLagS})
  ) as older where nth <= open_count - reported
  union
  select ${tunnels.id} from ${tunnels} join ${tickets} on ${tickets.id} = ${tunnels.ticket_id}
  where ${tunnels.stopped_at} is null and (
    ${tunnels.began_at} < now() - make_interval(hours => ${longestTunnelH})
    or exists(select 1 from ${tickets} as later where later.farm_id = ${tickets.farm_id}
      and later.session_uuid = ${tickets.session_uuid}
      and later.used_at > ${tickets.used_at} + make_interval(secs => ${tickets.follow_s})))`;

/**
 * Ends tunnels whose end was not reported, and subtracts them from the open tunnels of their gateways, unless a later
 * heartbeat has reported the number. One statement. Gateways are locked first and in order of id, as in all other
 * statements. A late report of the end still counts its bytes.
 */
export async function sweepTunnels(db: Db): Promise<void> {
  await db.execute(sql`
    with contradicted as materialized (${contradicted}),
    gate as materialized (
      select ${gateways.id} as id, ${gateways.reported_at} as reported_at from ${gateways}
      where ${gateways.id} in (select ${tickets.gateway_id} from ${tickets}
        join ${tunnels} on ${tunnels.ticket_id} = ${tickets.id}
        where ${tunnels.id} in (select id from contradicted))
      order by ${gateways.id} for no key update
    ),
    ended as (
      update ${tunnels} set stopped_at = now(), presumed_ended = true
      from ${tickets} join gate on gate.id = ${tickets.gateway_id}
      where ${tickets.id} = ${tunnels.ticket_id} and ${tunnels.id} in (select id from contradicted)
        and ${tunnels.stopped_at} is null
      returning gate.id as gateway_id, ${tunnels.began_at} < gate.reported_at as is_reported
    ),
    counted as (
      update ${gateways} set stats = ${gatewayStats} || jsonb_build_object('connections',
        greatest(0, (${gatewayStats} ->> 'connections')::bigint - lost.count))
      from (select gateway_id, count(*) from ended where is_reported is not true group by gateway_id) as lost
      where ${gateways.id} = lost.gateway_id
      returning 1
    )
    select count(*) from counted`);
}
