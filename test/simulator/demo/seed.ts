import { type Api, accepted } from '../../e2e/support/api.ts';
import type { Simulator } from '../start.ts';

/** A farm of one dispatcher. */
export type SeededFarm = {
  name: string;
  simulator: Pick<Simulator, 'name' | 'url' | 'caPem'> & { healthKey?: string };
  /** Members of the node of a broker of another kind, in place of the key of the health check. */
  node?: Record<string, unknown>;
};
export type SeededSite = { uri: string; name: string; what: string; farms: readonly SeededFarm[] };
export type DemoUser = { name: string; real_name: string; password: string };

export const domain = { name: 'Demo', small_name: 'demo', type: 'internal' };
export const alice: DemoUser = { name: 'alice', real_name: 'Alice', password: 'a white rabbit with a watch' };
const bob: DemoUser = { name: 'bob', real_name: 'Bob', password: 'builds it with two hammers' };

const webui = '/api/webui/aggregator';

/**
 * Creates the objects of the demo through the public API. Existing objects are updated, because simulators have other
 * ports after a restart.
 */
export async function seed(api: Api, token: string, sites: readonly SeededSite[]): Promise<void> {
  const put = (collection: string, body: NamedRecord, immutable: readonly string[] = []) =>
    ensure(api, token, `${webui}/${collection}`, body, immutable);
  const { id } = await put('authenticators', domain, ['type']);
  await Promise.all([alice, bob].map((user) => put(`authenticators/${id}/users`, user)));
  for (const { uri, name, what, farms } of sites) {
    const site = await put('sites', {
      name,
      uri,
      comments: `A simulated site that ${what}`,
      authenticators: [id],
    });
    for (const { name: farmName, simulator, node } of farms) {
      const farm = await put('farms', { name: farmName, site_id: site.id });
      await put('dispatchers', {
        name: simulator.name,
        farm_id: farm.id,
        url: simulator.url,
        ca_certificate: simulator.caPem,
        ...(node ?? { health_key: simulator.healthKey }),
      });
    }
  }
}

type NamedRecord = { name: string } & Record<string, unknown>;

/** Creates or updates the object with this name. @throws Error with the problem of the portal */
async function ensure(
  api: Api,
  token: string,
  collection: string,
  body: NamedRecord,
  immutable: readonly string[],
): Promise<{ id: string }> {
  const query = new URLSearchParams({ search: body.name, limit: '500' });
  const { items } = await accepted(api, `GET ${collection}?${query}`, { token });
  const found = items.find(({ name }: NamedRecord) => name === body.name);
  if (!found) return accepted(api, `POST ${collection}`, { token, body });
  const change = Object.entries(body).filter(([name]) => !immutable.includes(name));
  return accepted(api, `PATCH ${collection}/${found.id}`, { token, body: Object.fromEntries(change) });
}
