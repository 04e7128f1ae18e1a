import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, accepted } from '../../e2e/support/api.ts';
import { alice, domain, seed } from '../../simulator/demo/seed.ts';
import { type Child, startChild } from '../child-process.ts';
import { startProduct, startProductDatabase } from '../product/product.ts';
import { node } from '../settings.ts';

type SoakRequest = { method: string; path: string; headers: Record<string, string>; body?: string };
export type SoakStand = {
  url: string;
  /** Of the portal, whose child the sidecar is. */
  pid: number;
  /** The repeated requests: reads of users and administrators, connections, and a write. */
  requests: readonly SoakRequest[];
  logInAndOut(): Promise<void>;
  stop(): Promise<void>;
};

const [administration, client] = ['/api/webui/aggregator', '/aggregator/api/client/v7.0/north'];

/** The product as it is started on a server, on PostgreSQL, without TLS of its own, beside a dispatcher. */
export async function startSoakStand(): Promise<SoakStand> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-soak-'));
  const endings: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const database = await startProductDatabase();
    endings.push(() => database.stop());
    const { url, portalPid, api, adminToken, ...product } = await startProduct(database.address);
    endings.push(product.stop);
    const dispatcher = await startChild(
      'portal/node-server.ts',
      { jwks: `${url}/api/auth/v7.0/jwks` },
      join(folder, 'log'),
    );
    endings.push(dispatcher.stop);
    await addSite(api, adminToken, dispatcher);
    const token = await api.login(alice.name, alice.password, domain.small_name);
    return {
      url,
      pid: portalPid,
      requests: await requestsOf(api, token, adminToken),
      logInAndOut: async () => {
        const own = await api.login(alice.name, alice.password, domain.small_name);
        await accepted(api, 'POST /api/auth/v7.0/logout', { token: own });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const addSite = (api: Api, token: string, { url, ca_certificate: caPem = '' }: Child) =>
  seed(api, token, [
    {
      uri: 'north',
      name: 'North',
      what: 'answers at once',
      farms: [{ name: 'North farm', simulator: { ...node, url, caPem } }],
    },
  ]);

async function requestsOf(api: Api, token: string, adminToken: string): Promise<SoakRequest[]> {
  const { services } = await accepted(api, `GET ${client}/servicesList/`, { token });
  const { items: sites } = await accepted(api, `GET ${administration}/sites`, { token: adminToken });
  const asked = (by: string, method: string, path: string, body?: object): SoakRequest => ({
    method,
    path,
    headers: { 'x-auth-token': by, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return [
    asked('', 'GET', '/api/auth/v7.0/authenticators'),
    asked(token, 'GET', '/api/userinfo'),
    asked(token, 'GET', `${client}/servicesList/`),
    asked(token, 'GET', services[0].link),
    asked(adminToken, 'GET', `${administration}/sites`),
    asked(adminToken, 'GET', `${administration}/workplaces?limit=50`),
    asked(adminToken, 'GET', `${administration}/dashboard/admin`),
    asked(adminToken, 'PATCH', `${administration}/sites/${sites[0].id}`, { comments: 'serves' }),
  ];
}
