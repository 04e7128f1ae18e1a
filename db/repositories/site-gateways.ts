import { type SQL, sql } from 'drizzle-orm';
import { gatewaySites, gateways } from '../schema/gateways.ts';
import { sites } from '../schema/sites.ts';
import { isHeard } from './gateways.ts';

/** A gateway that can be used; `online` is false for one that has never sent a heartbeat, and need not. */
export type UsableGateway = {
  id: string;
  name: string;
  host: string;
  port: number;
  protocols: string[];
  networks: string[];
  priority: number;
  online: boolean;
};

/** Of the site in whose select this stands: gateways in service that are not silent. */
export const usableGateways: SQL = sql`
  select coalesce(json_agg(json_build_object('id', ${gateways.id}, 'name', ${gateways.name},
    'host', ${gateways.host}, 'port', ${gateways.port}, 'protocols', ${gateways.protocols},
    'networks', ${gateways.networks}, 'priority', ${gateways.priority}, 'online', coalesce(${isHeard}, false))), '[]')
  from ${gatewaySites} join ${gateways} on ${gateways.id} = ${gatewaySites.gateway_id}
  where ${gatewaySites.site_id} = ${sites.id} and ${gateways.enabled} and not ${gateways.maintenance}
    and coalesce(${isHeard}, true)`;
