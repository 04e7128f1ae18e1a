import { eq, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { gateways } from '../../../db/schema/gateways/gateways.ts';
import { gatewayTickets } from '../../../db/schema/gateways/tickets.ts';
import {
  addGateway,
  addMember,
  type Member,
  type NodeOptions,
  pool,
  type SimulatedNode,
  startWorld,
  unique,
  type World,
} from '../factories.ts';
import { siteWithFarms, uuidOf } from '../fleet/rules.ts';
import type { Answer, Json, SendOptions } from '../portal.ts';

export const wsproxy = '/api/wsproxy/v7.0';
/** Default client address of the user. */
export const clientIp = '203.0.113.7';

/** A site with one service, a user who can use it, and requests in the form that gateways send. */
export type TicketStand = {
  world: World;
  member: Member;
  site: Json;
  farm: Json;
  node: SimulatedNode;
  serviceId: string;
  /** A gateway of the site. */
  gateway(given?: Record<string, unknown>): Promise<Json>;
  connect(options?: SendOptions & { query?: string }): Promise<Answer>;
  /** A connection through a gateway, independent of those of other tests. */
  ticketOf(gateway: Json, options?: SendOptions & { query?: string }): Promise<string>;
  use(ticket: string, gateway: Json, ip?: string): Promise<Answer>;
  stop(notify: string, gateway: Json, query?: string): Promise<Answer>;
  beat(token: string | undefined, body?: unknown): Promise<Answer>;
  shown(gateway: Json): Promise<Json>;
  /** Its last heartbeat was this many seconds ago. */
  silentFor(gateway: Json, seconds: number): Promise<void>;
  /** Moves the creation and first use of every ticket back by this many seconds. */
  ageTickets(seconds: number): Promise<void>;
  /** Ends the gateways of one test. */
  clear(): Promise<void>;
  close(): Promise<void>;
};

export async function startTicketStand(
  options: NodeOptions = { pools: [pool('Office')] },
  portal?: Parameters<typeof startWorld>[0],
): Promise<TicketStand> {
  const world = await startWorld(portal);
  const { db, send } = world.portal;
  const member = await addMember(world, []);
  const { site, farms } = await siteWithFarms(world, [options]);
  const [at] = farms;
  if (!at) throw new Error('no farm');
  const serviceId = `${at.farm.id}.${uuidOf(at, options.pools?.[0]?.name ?? 'Office')}`;
  const path = `/aggregator/api/client/v7.0/${site.uri}/connectionInfo/${serviceId}`;
  const connect: TicketStand['connect'] = ({ query = '', ...given } = {}) =>
    send(`GET ${path}${query}`, { token: member.token, ip: clientIp, ...given });
  return {
    world,
    member,
    site,
    farm: at.farm,
    node: at.node,
    serviceId,
    gateway: (given) =>
      addGateway(world.admin, { host: `${unique('gw')}.example.com`, sites: [site.id], ...given }),
    connect,
    ticketOf: async (gateway, given) => {
      const { body } = await connect(given);
      if (body.gateway?.host !== gateway.host) throw new Error(`no ticket: ${JSON.stringify(body)}`);
      return body.gateway.ticket;
    },
    use: (ticket, { token }, ip = clientIp) => send(`GET ${wsproxy}/ticket/${ticket}/${ip}/${token}`),
    stop: (notify, { token }, query = '') => send(`GET ${wsproxy}/ticket/${notify}/stop/${token}${query}`),
    beat: (token, body = {}) =>
      send(`POST ${wsproxy}/heartbeat`, {
        body,
        headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      }),
    shown: async ({ id }) => (await world.admin(`GET /api/webui/aggregator/gateways/${id}`)).body,
    silentFor: async ({ id }, seconds) => {
      const last_seen_at = sql`now() - make_interval(secs => ${seconds})`;
      await db.update(gateways).set({ last_seen_at }).where(eq(gateways.id, id));
    },
    ageTickets: async (seconds) => {
      const earlier = (moment: PgColumn) => sql`${moment} - make_interval(secs => ${seconds})`;
      await db.update(gatewayTickets).set({
        issued_at: earlier(gatewayTickets.issued_at),
        expires_at: earlier(gatewayTickets.expires_at),
        used_at: earlier(gatewayTickets.used_at),
      });
    },
    clear: async () => {
      await db.delete(gateways);
    },
    close: async () => {
      await at.node.simulator.close();
      await world.portal.close();
    },
  };
}
