import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '../../db/migrate.ts';
import { createApi } from '../e2e/support/api.ts';
import { alice, domain, seed } from '../simulator/demo/seed.ts';
import { startPostgres } from '../support/database/postgres.ts';
import { newSecretKey, newSigningKey } from '../support/identity/signing-keys.ts';
import { loginByDirectory, startDirectory } from './cases/directory.ts';
import { startChild } from './child-process.ts';
import type { Target } from './load.ts';
import { loginBody, node, type Settings } from './settings.ts';

export type Stand = {
  database: { kind: string; version: string };
  userinfo: Target;
  /** Only where a slapd is installed. */
  directoryLogin: { portal: Target; floor: Target } | undefined;
  login: { portal: Target; floor: Target };
  /** The settings of the portal, its addresses, and the session of its administrator. */
  settings: Settings;
  portalUrl: string;
  portalPid: number;
  adminToken: string;
  /** Starts a further server of this folder, which ends with the stand. */
  start: Start;
  stop(): Promise<void>;
};

/** A database, the portal, the floor of logins and a dispatcher without latency, each in a separate process; one user. */
export async function startStand(): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), 'aggregator-bench-'));
  const endings: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  const start: Start = async (file, settings) => {
    const child = await startChild(file, settings, join(folder, 'log'));
    endings.push(child.stop);
    return child;
  };
  try {
    const database = await startPostgres();
    endings.push(() => database.stop());
    await migrateDatabase(database.url);
    const directory = await startDirectory();
    if (directory) endings.push(directory.stop);
    const settings = { ...newSettings(database.url), ...(directory && { directoryUrl: directory.url }) };
    const targets = await startServers(start, settings);
    return { database: { kind: database.kind, version: database.version }, ...targets, start, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Start = (file: string, settings: object) => ReturnType<typeof startChild>;

const newSettings = (databaseUrl: string): Settings => ({
  databaseUrl,
  baseUrl: 'https://bench.test',
  secretKey: newSecretKey(),
  signingKey: newSigningKey(),
  adminPassword: randomBytes(18).toString('base64url'),
});

async function startServers(
  start: Start,
  settings: Settings,
): Promise<Omit<Stand, 'database' | 'start' | 'stop'>> {
  const portal = await start('portal/portal-server.ts', settings);
  const floor = await start('floors/login-server.ts', settings);
  const { url, ca_certificate = '' } = await start('portal/node-server.ts', {
    jwks: `${portal.url}/api/auth/v7.0/jwks`,
  });
  const api = createApi(portal.url);
  const simulator = { ...node, url, caPem: ca_certificate };
  const farms = [{ name: 'North farm', simulator }];
  const north = { uri: 'north', name: 'North', what: 'answers at once', farms };
  const adminToken = await api.login('admin', settings.adminPassword);
  await seed(api, adminToken, [north]);
  const token = await api.login(alice.name, alice.password, domain.small_name);
  await api.close();
  const { directoryUrl } = settings;
  const directoryLogin =
    directoryUrl === undefined
      ? undefined
      : await loginByDirectory(directoryUrl, { url: portal.url, adminToken }, floor.url);
  return {
    userinfo: { url: `${portal.url}/api/userinfo`, headers: { 'x-auth-token': token } },
    directoryLogin,
    login: { portal: loginAt(portal.url), floor: loginAt(floor.url) },
    settings,
    portalUrl: portal.url,
    portalPid: portal.pid,
    adminToken,
  };
}

const loginAt = (url: string): Target => ({
  url: `${url}/api/auth/v7.0/login`,
  headers: { 'content-type': 'application/json' },
  body: loginBody,
});
