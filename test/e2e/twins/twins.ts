import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../../simulator/authority.ts';
import type { Simulator } from '../../simulator/start.ts';
import { freshDatabase } from '../../support/database/database.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';
import { type Api, accepted, createApi, type Json } from '../support/api.ts';
import { createInstallation, type Installation, user, webui } from '../support/installation.ts';
import { bareVariables, freePorts, type PortalProcess, startPortal } from '../support/portal-process.ts';
import { nodeTarget, startNode, workersTarget } from './targets.ts';

const adminPassword = 'correct horse battery staple';
const clerk = { name: 'clerk', password: 'six blue herons in a row' };

/** Two portals on one database, as Node process and as Workers, with shared tokens and rows. */
export type Twins = {
  node: Api;
  workers: Api;
  dispatcher: Simulator;
  stop(): Promise<void>;
};

export async function startTwins(): Promise<Twins> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-twins-'));
  const database = await freshDatabase();
  const authority = await createAuthority();
  await writeFile(join(folder, 'ca.pem'), authority.caPem);
  const [port = 0, healthPort = 0, workersPort = 0] = await freePorts(3);
  const baseUrl = `https://localhost:${port}`;
  const shared = {
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_SIDECAR_URL: database.sidecarUrl,
    BASE_URL: baseUrl,
    ADMIN_PASSWORD: adminPassword,
    PORTAL_NAME: 'twins',
    ...newKeyVariables(),
    // The only way in which both runtimes can trust a private authority.
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  };
  const start = (name: string, ports: number[], { command }: { command: readonly string[] }) =>
    startPortal({ command, env: { ...bareVariables(join(folder, name), ports), ...shared } });
  const portals = await allOrNone([
    start('node', [port, healthPort], nodeTarget),
    start('workers', [workersPort, healthPort], workersTarget),
  ]);
  const node = createApi(baseUrl, readFileSync(portals[0]?.announcement.ca_file ?? '', 'utf8'));
  const workers = createApi(`http://localhost:${workersPort}`);
  const dispatcher = await startNode({ api: node, issuer: baseUrl, authority });
  return {
    node,
    workers,
    dispatcher,
    stop: async () => {
      await Promise.all([node.close(), workers.close(), dispatcher.close()]);
      await Promise.all(portals.map((portal) => portal.stop()));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** When one does not start, the other is ended. */
async function allOrNone(starting: Promise<PortalProcess>[]): Promise<PortalProcess[]> {
  const settled = await Promise.allSettled(starting);
  const started = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (!failed) return started;
  await Promise.all(started.map((portal) => portal.stop()));
  throw failed.reason;
}

/** The objects of the requests to both portals, and the tokens of their callers. */
export type Seeded = Installation & {
  group: { id: string };
  role: { id: string };
  untrusted: { id: string };
  service_user: { id: string };
  /** One of each further kind of object. */
  made: Awaited<ReturnType<typeof makeObjects>> & { peer: Json };
  tokens: Record<'admin' | 'user' | 'clerk', string>;
  /** Of the user's first service. */
  service: string;
  /** An object in the snapshot. */
  pool: string;
  /** A version of the site. */
  site_version: string;
};

/** Fills the database through one of them; `untrustedUrl` is a node with an untrusted certificate. */
export async function seedTwins({ node: api, dispatcher }: Twins, untrustedUrl: string): Promise<Seeded> {
  const admin = await api.login('admin', adminPassword);
  const create = (path: string, body: object) =>
    accepted(api, `POST ${webui}/${path}`, { token: admin, body });
  const installed = await createInstallation(api, admin, dispatcher, {});
  const { domain, site, farm } = installed;
  const accounts = `authenticators/${domain.id}`;
  const group = await create(`${accounts}/groups`, { name: 'Payroll', comments: 'who pays' });
  const scope = { sites: [site.id] };
  const role = await create('rbac', { name: 'Clerk of North', permissions: ['farms.read'], scope });
  await create(`${accounts}/users`, { ...clerk, roles: [role.id], groups: [group.id] });
  // Names that a collation may order differently.
  for (const [at, name] of ['Äpfel', 'apfel-2', 'Zürich', 'новый', '_under', 'a b'].entries())
    await create('sites', { name, uri: `place-${at}`, location: { latitude: 1.5 * at, longitude: -at } });
  await create('farms', { name: 'Spare farm', site_id: site.id, maintenance: true, weight: 3 });
  const idle = await create('farms', { name: 'Idle farm', site_id: site.id, enabled: false });
  const untrusted = await create('dispatchers', { name: 'other', farm_id: idle.id, url: untrustedUrl });
  const tokens = {
    admin,
    user: await api.login(user.name, user.password, 'corp'),
    clerk: await api.login(clerk.name, clerk.password, 'corp'),
  };
  const services = '/aggregator/api/client/v7.0/north/servicesList/';
  const listed = await accepted(api, `GET ${services}`, { token: tokens.user });
  const service_user = await create(`${accounts}/users`, { name: 'robot', kind: 'service' });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  await create(`${accounts}/users/${service_user.id}/tokens`, {
    name: 'night run',
    expires_at,
    permissions: [],
  });
  const peer = await accepted(api, 'POST /api/aggregator/v7.0/peers', { token: admin, body: peerBody() });
  const made = { ...(await makeObjects(create, site.id, farm.id)), peer };
  const history = await accepted(api, `GET ${webui}/sites/${site.id}/history`, { token: admin });
  const site_version: string = history.items[0].version;
  const known = { site_version, group, role, untrusted, service_user, made, tokens, farm };
  return { ...installed, ...known, service: listed.services[0].id, pool: await somePool(api, admin) };
}

/** Reads the farms until the snapshot has a pool: the sidecar may be reading them at the same time. */
async function somePool(api: Api, token: string): Promise<string> {
  for (;;) {
    const { body } = await api.send(`GET ${webui}/servicespools?refresh=true`, { token });
    if (body.items.length > 0) return body.items[0].uuid;
  }
}

type Create = (path: string, body: object) => Promise<Json>;

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>';

/** Another aggregator, with a discarded key. */
function peerBody(): object {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'ES256', use: 'sig' };
  return { name: 'Other', issuer: 'https://other.example.com', jwks: { keys: [key] }, roles: [] };
}

async function makeObjects(create: Create, site_id: string, farm_id: string) {
  const image = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  const match_tags = { any: ['office'], all: [] };
  return {
    gateway: await create('gateways', { name: 'Edge', host: 'gw.example.com', sites: [site_id] }),
    template: await create('maintenance', { name: 'Night', message: 'Back at six' }),
    record: await create('monitoring', { level: 'warning', source: 'site', message: 'Something was seen' }),
    priority_group: await create('priority_groups', { name: 'Near', farms: [{ farm_id, priority: 2 }] }),
    rule: await create('rules', { name: 'Offices', site_id, match_tags, image }),
    picture: await create('gallery/images', { name: 'Triangle', image }),
    webhook: await create('webhooks', {
      name: 'Ticket system',
      url: 'https://hooks.example.com/portal',
      events: ['site.deleted'],
    }),
    tag: await create('tags', { name: 'office', color: '#1f6feb' }),
  };
}
