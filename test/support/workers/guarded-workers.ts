import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { prepareInstallation } from '../../../shared/identity/first-start.ts';
import { createHasher } from '../../../shared/identity/passwords.ts';
import { cachedBundles } from '../../../shared/tooling/build/cached-bundles.ts';
import { type Authority, createAuthority } from '../../simulator/authority.ts';
import { freshDatabase } from '../database/database.ts';
import { startNeonProxy } from '../database/neon-proxy.ts';
import { newKeyVariables } from '../identity/signing-keys.ts';
import { type Answer, type Asking, type Json, send } from './local-workers.ts';
import { guardBundles } from './production-limits.ts';
import type { Report } from './production-limits-guard.ts';

export type GuardedWorkers = {
  url: string;
  /** Signs certificates that the Workers trust. */
  authority: Authority;
  db: Db;
  /** The log of the Workers. */
  lines: readonly string[];
  send(route: string, asking?: Asking): Promise<Answer>;
  login(username: string, password: string, authSmallName: string): Promise<string>;
  /** The records of the guard of the module at this path since the last call. */
  report(path: string): Promise<Report>;
  /** Runs a forbidden action within a request; `refused` is the reason of the failure, null if there was none. */
  attempt(path: string, deed: string): Promise<{ refused: string | null }>;
  stop(): Promise<void>;
};

/** Every module in workerd under the limits of production, on a separate database with the administrator `admin`. */
export async function startGuardedWorkers(adminPassword: string): Promise<GuardedWorkers> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-guarded-'));
  const [database, authority] = await Promise.all([freshDatabase(), createAuthority()]);
  const { db, close } = connectPg({ url: database.url, maxConnections: 2 });
  await prepareInstallation(db, createHasher(), adminPassword);
  const proxy = await startNeonProxy({ databaseUrl: database.url });
  const lines: string[] = [];
  const bundles = await guardBundles(await cachedBundles('workers'), join(folder, 'guarded'));
  const { startLocalWorkers } = await trusting(authority, join(folder, 'ca.pem'));
  const workers = await startLocalWorkers({
    bundles,
    host: '127.0.0.1',
    port: 0,
    variables: variables(proxy.url),
    write: (line) => lines.push(line),
  });
  const { url } = workers;
  const asked = async (path: string, limits: string): Promise<Json> =>
    (await fetch(url + path, { headers: { 'x-limits': limits } })).json();
  return {
    url,
    authority,
    db,
    lines,
    send: (route, asking) => send(url, route, asking),
    login: async (username, password, authSmallName) => {
      const body = { username, password, authSmallName };
      const answer = await send(url, 'POST /api/auth/v7.0/login', { body });
      if (answer.status !== 200) throw new Error(`login: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body.token;
    },
    report: (path) => asked(path, 'report'),
    attempt: asked,
    stop: async () => {
      await workers.stop();
      await proxy.close();
      await close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The library that starts workerd reads the trusted authorities once, when it is loaded. */
async function trusting({ caPem }: Authority, file: string) {
  await writeFile(file, caPem);
  process.env.NODE_EXTRA_CA_CERTS = file;
  return import('../../../shared/tooling/workers/local-workers.ts');
}

const variables = (proxy: string): Record<string, string> => ({
  DATABASE_URL: 'postgres://worker:none@localhost/portal',
  DATABASE_DRIVER: 'neon',
  NEON_PROXY: proxy,
  BASE_URL: 'https://portal.example',
  ...newKeyVariables(),
  ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
});
