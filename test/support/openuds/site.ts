import { portalAccount } from '../../simulator/openuds/seed.ts';
import type { Broker } from '../../simulator/openuds/start.ts';
import { addFarm, base, create, unique, type World } from '../factories.ts';
import type { Json } from '../portal.ts';

/** The body of a node for a broker of the test. */
export const brokerBody = ({ url, caPem }: Pick<Broker, 'url' | 'caPem'>, given: object = {}) => ({
  ...{ name: unique('broker'), kind: 'openuds', url, ca_certificate: caPem },
  ...{ account_domain: 'corp', account_name: portalAccount.name, account_password: portalAccount.password },
  ...given,
});

/** Adds a farm with a broker to the site of the world. A domain of the portal has another label on the broker. */
export async function addBroker(
  { admin, site, domain }: Pick<World, 'admin' | 'site' | 'domain'>,
  broker: Pick<Broker, 'url' | 'caPem'>,
  given: { farm?: object; node?: object } = {},
): Promise<{ farm: Json; node: Json }> {
  const identity_domains = [{ label: domain.small_name, node_label: 'corp', user_names: 'lower_case' }];
  const farm = await addFarm(admin, site, { identity_domains, ...given.farm });
  const body = { ...brokerBody(broker, given.node), farm_id: farm.id };
  return { farm, node: await create(admin, `${base}/dispatchers`, body) };
}
