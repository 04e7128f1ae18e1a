import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import { findBinaries, startThrowawayPostgres } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { type Api, accepted, createApi, type Json } from '../../e2e/support/api.ts';
import {
  type Announcement,
  bareVariables,
  freePorts,
  type PortalProcess,
  startPortal,
} from '../../e2e/support/portal-process.ts';
import { newKeyVariables } from '../identity/signing-keys.ts';
import { ownedDatabase, templateName } from './database.ts';
import { preparedData } from './template.ts';

export const base = '/api/webui/aggregator';
const password = 'correct horse battery staple';
export const keys = {
  ...newKeyVariables(),
};

/** A portal with its sidecar, as `npm start` starts them, and a signed-in client without a quota. */
export type RunningPortal = {
  process: PortalProcess;
  api: Api;
  token: string;
  healthUrl: string;
  announcement: Announcement;
  stop(): Promise<void>;
};

/** @param tree another version of the program, default: this checkout */
export async function startPortalOn(
  address: DatabaseAddress,
  env: NodeJS.ProcessEnv = {},
  tree?: string,
): Promise<RunningPortal> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-limits-'));
  const process = await startPortal({
    ...(tree !== undefined && { folder: tree }),
    env: {
      ...bareVariables(folder, await freePorts(2)),
      ...keys,
      ADMIN_PASSWORD: password,
      DATABASE_URL: address.url,
      DATABASE_OWNER_URL: address.ownerUrl,
      DATABASE_SIDECAR_URL: address.sidecarUrl,
      // A load opens a connection for each waiting request, all from one address.
      MAX_CONNECTIONS_PER_ADDRESS: '10000',
      ...env,
    },
  });
  const { announcement } = process;
  const api = createApi(announcement.base_url, readFileSync(announcement.ca_file, 'utf8'));
  const token = await api.login('admin', password);
  const limits = { per_token_per_minute: { value: 0 }, anonymous_per_ip_per_minute: { value: 0 } };
  await accepted(api, `PUT ${base}/tconfig`, { token, body: { limits } });
  return {
    process,
    api,
    token,
    announcement,
    healthUrl: announcement.health_url,
    stop: async () => {
      await api.close();
      await process.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A separate PostgreSQL with a database and its roles, which a test may freeze, lock and limit. */
export type DatabaseServer = {
  address: DatabaseAddress;
  /** The database as the administrator of the server. */
  url: string;
  /** Its data folder. */
  folder: string;
  admin: pg.Client;
  stop(): Promise<void>;
};

/** The database is migrated. @param settings further settings of the server */
export async function startDatabaseServer(settings: Record<string, string> = {}): Promise<DatabaseServer> {
  const binaries = findBinaries() ?? '';
  const server = await startThrowawayPostgres(binaries, { settings, data: await preparedData(binaries) });
  const address = await ownedDatabase(server.url, 'aggregator', templateName);
  const url = Object.assign(new URL(server.url), { pathname: new URL(address.url).pathname }).href;
  const admin = new pg.Client({ connectionString: url });
  admin.on('error', () => undefined);
  await admin.connect();
  return {
    address,
    url,
    folder: server.folder,
    admin,
    stop: async () => {
      await admin.end();
      await server.stop();
    },
  };
}

/** Backends of a process by its `application_name`. */
export async function backendsOf(admin: pg.Client, application: string): Promise<number[]> {
  const { rows } = await admin.query<{ pid: number }>(
    'select pid from pg_stat_activity where application_name = $1 order by pid',
    [application],
  );
  return rows.map(({ pid }) => pid);
}

/** Counts backends continuously. @returns a function that ends that, with the maximum for each application */
export function watchBackends(
  admin: pg.Client,
  applications: readonly string[],
): () => Promise<Record<string, number>> {
  const most: Record<string, number> = {};
  const state = { isOver: false };
  const watching = (async () => {
    while (!state.isOver) {
      for (const application of applications)
        most[application] = Math.max(most[application] ?? 0, (await backendsOf(admin, application)).length);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  })();
  // A test that fails before it reads the result closes the connection.
  watching.catch(() => undefined);
  return async () => {
    state.isOver = true;
    await watching;
    return most;
  };
}

export type LoadAnswer = {
  status: number;
  retryAfter: string | undefined;
  code: string | undefined;
  ms: number;
  body: Json;
};

/**
 * Sends a request every few milliseconds, regardless of previous ones.
 * @returns a function that ends that, with the responses
 */
export function startLoad(
  { api, token }: Pick<RunningPortal, 'api' | 'token'>,
  route: (n: number) => { route: string; body?: unknown },
  everyMs = 5,
): { answers: LoadAnswer[]; stop(): Promise<LoadAnswer[]> } {
  const answers: LoadAnswer[] = [];
  const running = new Set<Promise<void>>();
  let sent = 0;
  const send = async (): Promise<void> => {
    const { route: line, body } = route(sent++);
    const began = performance.now();
    const answer = await api
      .send(line, { token, ...(body !== undefined && { body }) })
      .catch(() => undefined);
    answers.push({
      status: answer?.status ?? 0,
      retryAfter: answer?.headers['retry-after']?.toString(),
      code: answer?.body?.code,
      body: answer?.body,
      ms: performance.now() - began,
    });
  };
  const timer = setInterval(() => {
    const one = send().finally(() => running.delete(one));
    running.add(one);
  }, everyMs);
  return {
    answers,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
      return answers;
    },
  };
}
