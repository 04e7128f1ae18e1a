import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { type Api, accepted, createApi, type Json } from '../../e2e/support/api.ts';
import {
  bareVariables,
  freePorts,
  type PortalProcess,
  startPortal,
} from '../../e2e/support/portal-process.ts';
import { createDispatcherState } from '../../simulator/data/seed.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { base, domainsPath, goodPassword, pool, unique, usersPath } from '../../support/factories.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';
import { requireService } from '../../support/services.ts';

const run = promisify(execFile);
const adminPassword = 'correct horse battery staple';
const client = '/aggregator/api/client/v7.0';
const logOutPath = '/api/auth/v7.0/logout';

/** Portal and sidecar as separate processes, as `npm start` starts them, on PostgreSQL. */
requireService('postgresql', findBinaries() !== undefined)(
  'the session keys of nodes after access ends',
  () => {
    let database: FreshDatabase;
    let folder: string;
    let ports: number[];
    let portal: PortalProcess;
    let api: Api;
    let admin: string;
    let node: Simulator;
    let domain: Json;
    let service: string;
    const keys = {
      ...newKeyVariables(),
    };

    async function start(): Promise<void> {
      portal = await startPortal({
        env: {
          ...bareVariables(folder, ports),
          ...keys,
          ADMIN_PASSWORD: adminPassword,
          DATABASE_URL: database.url,
          DATABASE_OWNER_URL: database.ownerUrl,
          DATABASE_SIDECAR_URL: database.sidecarUrl,
        },
      });
      const { base_url, ca_file } = portal.announcement;
      api = createApi(base_url, readFileSync(ca_file, 'utf8'));
      admin = await api.login('admin', adminPassword);
    }
    async function stop(): Promise<void> {
      await api?.close();
      await portal?.stop();
    }
    const ask = (route: string, body?: unknown, token = admin) =>
      accepted(api, route, { token, ...(body !== undefined && { body }) });

    beforeAll(async () => {
      [database, folder, ports] = await Promise.all([
        freshDatabase(),
        mkdtemp(join(tmpdir(), 'key-log-outs-')),
        freePorts(2),
      ]);
      await start();
      const label = 'CORP';
      const state = createDispatcherState({
        name: unique('node'),
        domains: [
          { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: label, auth: 'Corporation' },
        ],
        pools: [pool('Office', { workplaces: 20 })],
      });
      const { base_url, ca_file } = portal.announcement;
      const jwks = `${base_url}/api/auth/v7.0/jwks`;
      node = await startSimulator({ state, jwks, portalCa: readFileSync(ca_file, 'utf8'), issuer: base_url });
      domain = await ask(`POST ${domainsPath}`, { name: 'Corporation', small_name: label, type: 'internal' });
      const site = await ask(`POST ${base}/sites`, { name: 'S', uri: 's', authenticators: [domain.id] });
      const farm = await ask(`POST ${base}/farms`, { name: 'F', site_id: site.id });
      const { name, url, caPem } = node;
      const body = { name, url, ca_certificate: caPem, farm_id: farm.id };
      await ask(`POST ${base}/dispatchers`, body);
      service = `${farm.id}.${state.poolNamed('Office').uuid}`;
    }, 120_000);
    beforeEach(() => node.resetCalls());
    afterAll(async () => {
      await stop();
      await node?.close();
      await database?.drop();
      await rm(folder, { recursive: true, force: true });
    });

    /** The output of `psql` for the stored keys of all users, a line for each. */
    async function storedKeys(): Promise<string[]> {
      const select = `select 'live' from dispatcher_sessions where subject <> 'aggregator'
      union all select 'ended ' || tries from ended_node_keys`;
      const { stdout } = await run('psql', [
        '--no-psqlrc',
        '--tuples-only',
        '-A',
        '-c',
        select,
        database.ownerUrl,
      ]);
      return stdout.split('\n').filter((line) => line !== '');
    }

    /** A user with a desktop session, whose key of the node is stored. */
    async function connected(at: Json = domain, label = 'CORP'): Promise<{ user: Json; token: string }> {
      const user = await ask(`POST ${usersPath(at)}`, { name: unique('user'), password: goodPassword });
      const token = await api.login(user.name, goodPassword, label);
      await ask(`GET ${client}/s/connectionInfo/${service}`, undefined, token);
      await expect.poll(storedKeys).toEqual(['live']);
      return { user, token };
    }
    const holderOf = (user: Json) => `corp\\${user.name}`;
    const loggedOut = (user: Json) =>
      expect
        .poll(() => node.loggedOut.includes(holderOf(user)), { timeout: 60_000, interval: 200 })
        .toBe(true);
    const gone = () => expect.poll(storedKeys, { timeout: 10_000 }).toEqual([]);
    const desktops = () => node.state.sessions.all().length;

    it('are logged out when the user is deactivated, and the desktop session stays', {
      timeout: 120_000,
    }, async () => {
      const { user, token } = await connected();
      const running = desktops();
      await ask(`PATCH ${usersPath(domain)}/${user.id}`, { state: 'inactive' });
      await loggedOut(user);
      await gone();
      expect(desktops()).toBe(running);
      // Active again, the user gets another key.
      await ask(`PATCH ${usersPath(domain)}/${user.id}`, { state: 'active' });
      expect((await api.send('GET /api/userinfo', { token })).status).toBe(401);
      node.resetCalls();
      const next = await api.login(user.name, goodPassword, 'CORP');
      await ask(`GET ${client}/s/servicesList/`, undefined, next);
      expect(node.calls.map(({ path }) => path)).toContain('/api/auth/v7.0/jwtauth');
      await ask(`DELETE ${usersPath(domain)}/${user.id}`);
      await gone();
    });

    it.each([
      ['the user is deleted', (user: Json) => ask(`DELETE ${usersPath(domain)}/${user.id}`)],
      [
        'users are deleted in bulk',
        (user: Json) => ask(`POST ${usersPath(domain)}/bulk_destroy`, { ids: [user.id] }),
      ],
      ['the domain is disabled', () => ask(`PATCH ${domainsPath}/${domain.id}`, { state: 'disabled' })],
    ])('are logged out when %s', { timeout: 120_000 }, async (_, end) => {
      const { user } = await connected();
      await end(user);
      await loggedOut(user);
      await gone();
      await ask(`PATCH ${domainsPath}/${domain.id}`, { state: 'visible' });
    });

    it('are logged out after a node that failed and a restart of all processes', {
      timeout: 180_000,
    }, async () => {
      const { user } = await connected();
      Object.assign(node.knobs, { path: logOutPath, failing: 503 });
      await ask(`PATCH ${usersPath(domain)}/${user.id}`, { state: 'inactive' });
      const tried = () => node.calls.filter(({ path }) => path === logOutPath).length;
      await expect.poll(tried, { timeout: 60_000 }).toBeGreaterThan(1);
      await stop();
      expect(await storedKeys()).toEqual([expect.stringMatching(/^ended [2-9]$/)]);
      expect(node.loggedOut).not.toContain(holderOf(user));
      Object.assign(node.knobs, { path: null, failing: null });
      await start();
      await loggedOut(user);
      await gone();
    });

    it('are logged out when the domain is deleted', { timeout: 120_000 }, async () => {
      const { user } = await connected();
      await ask(`PATCH ${base}/sites/${(await ask(`GET ${base}/sites`)).items[0].id}`, {
        authenticators: [],
      });
      await ask(`DELETE ${domainsPath}/${domain.id}`);
      await loggedOut(user);
      await gone();
    });
  },
);
