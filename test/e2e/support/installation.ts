import type { Simulator } from '../../simulator/start.ts';
import { type Api, accepted, type Json } from './api.ts';

export const webui = '/api/webui/aggregator';
export const client = '/aggregator/api/client/v7.0';
export const auth = '/api/auth/v7.0';
export const user = { name: 'ada', password: 'seven wild geese in a row' };

/** A site with everything that a user of a domain needs to use its services; each as the portal returned it. */
export type Installation = { domain: Json; user: Json; site: Json; farm: Json; dispatcher: Json };

/** Creates it over the public API; `dispatcher` has further properties of its record. @throws Error for a refusal */
export async function createInstallation(
  api: Api,
  token: string,
  node: Simulator,
  dispatcher: object,
): Promise<Installation> {
  const create = (path: string, body: object) => accepted(api, `POST ${webui}/${path}`, { token, body });
  const domain = await create('authenticators', {
    name: 'Corporation',
    small_name: 'corp',
    type: 'internal',
  });
  const site = await create('sites', { name: 'North', uri: 'north', authenticators: [domain.id] });
  const farm = await create('farms', { name: 'North farm', site_id: site.id });
  return {
    domain,
    site,
    farm,
    user: await create(`authenticators/${domain.id}/users`, user),
    dispatcher: await create('dispatchers', {
      name: node.name,
      farm_id: farm.id,
      url: node.url,
      health_key: node.healthKey,
      ...dispatcher,
    }),
  };
}
