import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { connectPg } from '../../../db/pg.ts';
import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import type { PortalDeps } from '../../../functions/portal.ts';
import { accepted, createApi, type Json } from '../../e2e/support/api.ts';
import { alice, domain } from '../../simulator/demo/seed.ts';
import { createBenchPortal } from '../portal/portal.ts';
import { node as demoNode } from '../settings.ts';
import type { Stand } from '../stand.ts';
import type { FleetOrder, FleetSettings } from './server.ts';

export type FleetSizes = {
  /** Of the measured site, and milliseconds until each farm answers. */
  farms: number;
  latencyMs: number;
  /** Sites of one farm each, beside some that hang. */
  others: number;
  /** Of the farm that is synchronised. */
  workplaces: number;
  listDeadlineMs: number;
};

export type FleetNode = { name: string; url: string; caPem: string; farmId: string; siteUri: string };
/** The outcome of a request, with any status. */
type Asked = { tookMs: number; status: number; body: Json };

export type FleetStand = {
  deps: PortalDeps;
  /** The farms of the first site; the one farm of each other site; the large farm. */
  listed: FleetNode[];
  others: FleetNode[];
  large: FleetNode;
  /** A session of the user. */
  token: string;
  /** Sends a request for a site to the portal in its own process, as the user. */
  ask(siteUri: string, what: string): Promise<Asked>;
  hang(nodes: readonly FleetNode[]): Promise<void>;
  /** Deletes cached lists and the rows of these tables. */
  forget(...tables: string[]): Promise<void>;
  stop(): Promise<void>;
};

/** Sites of simulated farms, one process for all of them, beside a running portal. */
export async function startFleetStand(stand: Stand, sizes: FleetSizes): Promise<FleetStand> {
  const { settings, portalUrl, adminToken } = stand;
  const connection = connectPg({ url: settings.databaseUrl, maxConnections: 4 });
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: console.error };
  const { deps, close } = await createBenchPortal(settings, connection.db, log);
  const { db } = deps;
  await db.insert(systemParameters).values({
    name: 'aggregator.list_deadline_ms',
    value: sizes.listDeadlineMs,
    updated_at: new Date(),
  });
  const child = await stand.start('fleet/server.ts', simulated(portalUrl, sizes));
  const { nodes = [], ca_certificate: caPem = '' } = child;
  const api = createApi(portalUrl);
  const made: FleetNode[] = [];
  for (const node of nodes) made.push(await registerNode(api, adminToken, { ...node, caPem }));
  const isIn = (prefix: string) => made.filter(({ name }) => name.startsWith(prefix));
  const [large] = isIn('large');
  if (!large) throw new Error('there is no large farm');
  const token = await api.login(alice.name, alice.password, domain.small_name);
  return {
    deps,
    listed: isIn('listed'),
    others: isIn('other'),
    large,
    token,
    ask: async (siteUri, what) => {
      const started = performance.now();
      const answer = await api.send(`GET /aggregator/api/client/v7.0/${siteUri}/${what}`, { token });
      return { ...answer, tookMs: performance.now() - started };
    },
    hang: async (hanging) => {
      await child.tell({ hang: hanging.map(({ name }) => name) } satisfies FleetOrder);
    },
    forget: async (...tables) => {
      // Background writes of the last request must end before.
      await delay(50);
      await db.execute(sql.raw(`truncate ${['service_lists', ...tables].join(', ')}`));
    },
    stop: async () => {
      await api.close();
      await close();
      await connection.close();
    },
  };
}

function simulated(portalUrl: string, sizes: FleetSizes): FleetSettings {
  const fleet = { sites: 1, farmsPerSite: 1, workplacesPerFarm: 10, domains: [demoNode.domain] };
  const knobs = { latencyMs: sizes.latencyMs };
  return {
    jwks: `${portalUrl}/api/auth/v7.0/jwks`,
    fleets: [
      { ...fleet, prefix: 'listed-', farmsPerSite: sizes.farms, knobs },
      { ...fleet, prefix: 'other-', sites: sizes.others, knobs },
      { ...fleet, prefix: 'large-', workplacesPerFarm: sizes.workplaces },
    ],
  };
}

type Api = ReturnType<typeof createApi>;

/** A farm of this node, in the site of its name, which is created if missing. */
export async function registerNode(
  api: Api,
  token: string,
  node: Pick<FleetNode, 'name' | 'url' | 'caPem'>,
): Promise<FleetNode> {
  const get = (path: string): Promise<Json> => accepted(api, `GET /api/webui/aggregator/${path}`, { token });
  const make = (path: string, body: object): Promise<Json> =>
    accepted(api, `POST /api/webui/aggregator/${path}`, { token, body });
  const siteUri = node.name.replace(/-farm-\d+$/, '');
  const { items } = await get(`sites?search=${siteUri}`);
  const found = items.find(({ uri }: Json) => uri === siteUri);
  const domains = found ? [] : (await get(`authenticators?search=${domain.small_name}`)).items;
  const authenticators = domains.map(({ id }: Json) => id);
  const site = found ?? (await make('sites', { name: siteUri, uri: siteUri, authenticators }));
  const farm = await make('farms', { name: node.name, site_id: site.id });
  await make('dispatchers', {
    name: node.name,
    farm_id: farm.id,
    url: node.url,
    ca_certificate: node.caPem,
  });
  return { ...node, farmId: farm.id, siteUri };
}
