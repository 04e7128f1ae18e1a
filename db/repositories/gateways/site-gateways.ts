import { type SQL, sql } from 'drizzle-orm';
import { gatewaySites, gateways } from '../../schema/gateways/gateways.ts';
import { sites } from '../../schema/sites/sites.ts';
import { isOnline } from './gateways.ts';

/**
 * A gateway of a site. `online` is false without a heartbeat; heartbeats are optional. `alive` is false if the
 * gateway is disabled, in maintenance, or its heartbeats have stopped.
 */
export type SiteGateway = {
  id: string;
  name: string;
  host: string;
  port: number;
  protocols: string[];
  networks: string[];
  priority: number;
  online: boolean;
  alive: boolean;
};

/** The gateways of the site of the enclosing select. */
export const gatewaysOfSite: SQL = sql`
  select coalesce(json_agg(json_build_object('id', ${gateways.id}, 'name', ${gateways.name},
    'host', ${gateways.host}, 'port', ${gateways.port}, 'protocols', ${gateways.protocols},
    'networks', ${gateways.networks}, 'priority', ${gateways.priority}, 'online', coalesce(${isOnline}, false),
    'alive', ${gateways.enabled} and not ${gateways.maintenance} and coalesce(${isOnline}, true))), '[]')
  from ${gatewaySites} join ${gateways} on ${gateways.id} = ${gatewaySites.gateway_id}
  where ${gatewaySites.site_id} = ${sites.id}`;
