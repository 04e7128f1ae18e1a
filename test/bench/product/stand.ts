import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import { accepted } from '../../e2e/support/api.ts';
import { alice, domain, seed } from '../../simulator/demo/seed.ts';
import { type Child, startChild } from '../child-process.ts';
import { fillUsers } from '../fill.ts';
import type { FleetSettings } from '../fleet/server.ts';
import { registerNode } from '../fleet/stand.ts';
import { fillWorkplaces } from '../fleet/workplaces.ts';
import { node } from '../settings.ts';
import { type Product, type ProductOptions, startProduct, startProductDatabase } from './product.ts';

/** Number of rows in the lists during the measurement. */
export type Rows = { users: number; workplaces: number };

/** The product with a user, a site of 20 farms and a site of one farm, whose dispatchers answer without latency. */
export type ProductStand = Product & {
  /** Of the database itself, without a proxy. */
  address: DatabaseAddress;
  /** As the administrator of the server. */
  admin: pg.Pool;
  /** Session of the user. */
  userToken: string;
  domainId: string;
  /** The path of connectionInfo for the first service of the site with one farm. */
  connectionPath: string;
  /** Ends the product before the stand. */
  endProduct(): Promise<void>;
  /** Starts a further server of this folder, which ends with the stand. */
  start(file: string, settings: object): Promise<Child>;
};

export type ProductStandOptions = ProductOptions & {
  rows: Rows;
  /** Replaces the address of the portal's database, for example by that of a proxy. */
  between?: (address: DatabaseAddress, start: ProductStand['start']) => Promise<DatabaseAddress>;
};

export const farmsOfList = 20;
export const listedSite = 'listed-site-1';
const nearSite = 'near-site-1';

export async function startProductStand({
  rows,
  between = (address) => Promise.resolve(address),
  ...options
}: ProductStandOptions): Promise<ProductStand> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-stand-'));
  const endings: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  const start: ProductStand['start'] = async (file, settings) => {
    const child = await startChild(file, settings, join(folder, 'log'));
    endings.push(child.stop);
    return child;
  };
  try {
    const database = await startProductDatabase();
    endings.push(database.stop);
    const product = await startProduct(await between(database.address, start), options);
    endings.push(product.stop);
    const admin = new pg.Pool({ connectionString: database.adminUrl, max: 1 });
    endings.push(() => admin.end());
    const seeded = await seedProduct(product, start);
    await fillUsers(admin, rows.users);
    await fillWorkplaces(admin, { sites: 10, farmsPerSite: 1, workplacesPerFarm: rows.workplaces / 10 });
    return { ...product, ...seeded, address: database.address, admin, start, endProduct: product.stop, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function seedProduct(
  { url, api, adminToken }: Product,
  start: ProductStand['start'],
): Promise<Pick<ProductStand, 'userToken' | 'domainId' | 'connectionPath'>> {
  await seed(api, adminToken, []);
  const fleet = { sites: 1, farmsPerSite: 1, workplacesPerFarm: 10, domains: [node.domain] };
  const settings: FleetSettings = {
    jwks: `${url}/api/auth/v7.0/jwks`,
    fleets: [
      { ...fleet, prefix: 'listed-', farmsPerSite: farmsOfList },
      { ...fleet, prefix: 'near-' },
    ],
  };
  const { nodes = [], ca_certificate: caPem = '' } = await start('fleet/server.ts', settings);
  for (const one of nodes) await registerNode(api, adminToken, { ...one, caPem });
  const search = `GET /api/webui/aggregator/authenticators?search=${domain.small_name}`;
  const { items } = await accepted(api, search, { token: adminToken });
  const token = await api.login(alice.name, alice.password, domain.small_name);
  const list = `GET /aggregator/api/client/v7.0/${nearSite}/servicesList/`;
  const { services } = await accepted(api, list, { token });
  return { userToken: token, domainId: items[0].id, connectionPath: services[0].link };
}
