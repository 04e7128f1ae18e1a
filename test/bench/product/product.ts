import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../../../shared/tooling/start/created-database.ts';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import { type Api, accepted, createApi } from '../../e2e/support/api.ts';
import { bareVariables, freePorts, root, startPortal } from '../../e2e/support/portal-process.ts';
import { startPostgres } from '../../support/database/postgres.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';

/** A database server with the database of one installation. */
export type ProductDatabase = {
  kind: string;
  version: string;
  /** The database as the administrator of the server, and as the roles of the product. */
  adminUrl: string;
  address: DatabaseAddress;
  stop(): Promise<void>;
};

/** The product as `npm start` runs it. Only commands, variables and HTTP are used, so that any version can run. */
export type Product = {
  url: string;
  /** Process ids of the launcher and of the portal. The sidecar is a child of the portal. */
  launcherPid: number;
  portalPid: number;
  api: Api;
  adminToken: string;
  keys: ReturnType<typeof newKeyVariables>;
  stop(): Promise<void>;
};

export type ProductOptions = {
  /** The checkout that runs. Default: this one. */
  checkout?: string | undefined;
  variables?: NodeJS.ProcessEnv;
};

export async function startProductDatabase(): Promise<ProductDatabase> {
  const server = await startPostgres();
  const { kind, version, stop } = server;
  const address = kind === 'postgresql' ? await createDatabase(server.url) : server.address;
  const { pathname } = new URL(address.url);
  return { kind, version, adminUrl: Object.assign(new URL(server.url), { pathname }).href, address, stop };
}

/** Starts launcher, portal and sidecar on this database, without TLS of their own. Quotas of requests are lifted. */
export async function startProduct(
  address: DatabaseAddress,
  { checkout = root, variables = {} }: ProductOptions = {},
): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-product-'));
  const ports = await freePorts(2);
  const url = `http://localhost:${ports[0]}`;
  const adminPassword = randomBytes(18).toString('base64url');
  const keys = newKeyVariables();
  const portal = await startPortal({
    folder: checkout,
    log: join(folder, 'log'),
    env: {
      ...bareVariables(folder, ports),
      ...addressVariables(address),
      ...keys,
      BASE_URL: url,
      TLS: 'off',
      ADMIN_PASSWORD: adminPassword,
      // One line per request, as in production.
      LOG_LEVEL: 'info',
      ...variables,
    },
  });
  const api = createApi(url);
  const stop = once(async () => {
    await api.close();
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const adminToken = await api
    .login('admin', adminPassword)
    .catch((error) => stop().then(() => Promise.reject(error)));
  await liftQuotas(api, adminToken);
  return {
    url,
    launcherPid: portal.pid,
    portalPid: portal.announcement.pid,
    api,
    adminToken,
    keys,
    stop,
  };
}

function once(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= end();
    return ended;
  };
}

/** A few sessions represent a thousand; their quotas are not measured. */
const liftQuotas = (api: Api, token: string): Promise<unknown> =>
  accepted(api, 'PUT /api/webui/aggregator/tconfig', {
    token,
    body: { limits: { per_token_per_minute: { value: 0 }, anonymous_per_ip_per_minute: { value: 0 } } },
  });

export const addressVariables = ({ url, ownerUrl, sidecarUrl }: DatabaseAddress): NodeJS.ProcessEnv => ({
  DATABASE_URL: url,
  DATABASE_OWNER_URL: ownerUrl,
  DATABASE_SIDECAR_URL: sidecarUrl,
});
