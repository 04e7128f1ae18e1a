import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { edgeModules, root } from '../../../shared/tooling/build/bundles.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { databaseUrl, query } from '../../support/database/database.ts';
import { endOf, type ProcessEnd } from '../../support/processes/output.ts';
import { programFile } from '../../support/processes/programs.ts';
import { programVariables } from '../../support/program-variables.ts';
import { requireService } from '../../support/services.ts';
import { type CloudflareApi, startCloudflareApi } from '../../support/workers/cloudflare-api.ts';

/** Wrangler runs once or twice per module, and each run bundles all of them. */
const slow = { timeout: 240_000 };

let home: string;
let api: CloudflareApi;
/** The state of the database during an upload. */
const uploaded: { worker: string; tables: number }[] = [];
let url = '';

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'aggregator-deploy-'));
});
beforeEach(async () => {
  uploaded.length = 0;
  api = await startCloudflareApi(
    async (worker) => void uploaded.push({ worker, tables: await tablesIn(url) }),
  );
});
afterEach(() => api.close());
afterAll(() => rm(home, { recursive: true, force: true }));

/** `npm run deploy -- …` as a separate process, without variables and account of the developer. */
function deploy(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ProcessEnd> {
  const child = spawn(process.execPath, [programFile('shared/tooling/deploy/deploy.ts'), ...args], {
    cwd: root,
    env: {
      ...programVariables,
      HOME: home,
      XDG_CONFIG_HOME: home,
      CLOUDFLARE_API_BASE_URL: api.url,
      CLOUDFLARE_API_TOKEN: 'token',
      CLOUDFLARE_ACCOUNT_ID: 'account-1',
      ...env,
    },
  });
  return endOf(child);
}

async function tablesIn(address: string): Promise<number> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query(`select from pg_tables where schemaname = 'public'`);
  await client.end();
  return rows.length;
}

const own = { BASE_URL: 'https://portal.example.org' };

describe('npm run deploy', () => {
  it('lists what can be deployed', slow, async () => {
    const wrong = [[], ['everything'], ['auth', 'nothing']];
    for (const { code, stdout, stderr } of await Promise.all(wrong.map((args) => deploy(args, own)))) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^usage: npm run deploy -- all \| <module> … \[--secrets <file>\] \[--dry-run\]\n[^\n]+\n {2}modules: .*webui/,
      );
    }
  });

  it('names every missing or invalid variable and makes no API call', slow, async () => {
    const { code, stderr } = await deploy(['auth'], { BASE_URL: '', PORTAL_TYPE: 'everybody' });
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n').sort()).toEqual([
      'BASE_URL: required to deploy',
      'PORTAL_TYPE: must be one of admin, user, universal',
    ]);
    const second = await deploy(['auth'], own);
    expect([second.code, second.stderr]).toEqual([1, 'DATABASE_URL: required to deploy\n']);
    expect(api.calls).toEqual([]);
  });

  it('makes a dry run of all modules without an account or a database', slow, async () => {
    const { code, stdout, stderr } = await deploy(['all', '--dry-run'], {
      ...own,
      CLOUDFLARE_API_TOKEN: '',
      CLOUDFLARE_ACCOUNT_ID: '',
    });
    expect([code, stderr]).toEqual([0, '']);
    const modules = [...edgeModules.filter((module) => module !== 'discover'), 'discover'];
    expect(stdout).toBe(modules.map((module) => `would deploy ${module}\n`).join(''));
    expect(api.calls).toEqual([]);
  });
});

requireService('postgresql', findBinaries() !== undefined)('npm run deploy with an account', () => {
  let name: string;
  beforeEach(async () => {
    name = `deploy_${randomUUID().replaceAll('-', '')}`;
    await query(inject('postgresUrl'), `create database ${name}`);
    url = databaseUrl(inject('postgresUrl'), name);
  });
  afterEach(() => query(inject('postgresUrl'), `drop database ${name} with (force)`));

  const know = (module: string, secrets: string[]) =>
    api.workers.set(`aggregator-${module}`, {
      secrets,
      values: {},
      uploads: 0,
      routes: [],
      crons: [],
      variables: {},
      files: [],
    });
  const base = ['DATABASE_URL', 'SECRET_KEY'];

  it('names each missing secret before any change', slow, async () => {
    know('webui', [...base, 'S3_BUCKET']);
    const { code, stdout, stderr } = await deploy(['auth', 'webui'], { ...own, DATABASE_URL: url });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`Secrets are missing; write them into a file and deploy with --secrets <file>:
  auth: DATABASE_URL, SECRET_KEY, AGGREGATOR_JWT_SSL_KEY
  webui: AGGREGATOR_JWT_SSL_KEY, S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY
`);
    expect(api.calls.filter((call) => !call.startsWith('GET'))).toEqual([]);
    expect(await tablesIn(url)).toBe(0);
  });

  it(
    'migrates, then deploys each module on the host of BASE_URL, and a second run changes nothing',
    slow,
    async () => {
      know('discover', base);
      know('aggregator', [...base, 'AGGREGATOR_JWT_SSL_KEY']);
      const env = { ...own, DATABASE_URL: url, PORTAL_NAME: 'edge' };
      const first = await deploy(['discover', 'aggregator'], env);
      expect([first.code, first.stderr]).toEqual([0, '']);
      expect(first.stdout).toMatch(
        /^The schema is up to date\. First administrator: admin, password \S{24}\ndeployed aggregator\ndeployed discover\n$/,
      );
      expect(uploaded.map(({ worker }) => worker)).toEqual(['aggregator-aggregator', 'aggregator-discover']);
      for (const { tables } of uploaded) expect(tables).toBeGreaterThan(30);
      const routes = (module: string) => api.workers.get(`aggregator-${module}`)?.routes;
      expect(routes('aggregator')).toEqual(['portal.example.org/api/aggregator*']);
      expect(api.workers.get('aggregator-aggregator')?.crons).toEqual(['* * * * *']);
      expect(routes('discover')).toEqual(
        expect.arrayContaining(['portal.example.org/livez*', 'portal.example.org/*']),
      );
      expect(api.workers.get('aggregator-discover')?.variables).toEqual({
        BASE_URL: 'https://portal.example.org',
        LOG_LEVEL: 'info',
        PORTAL_NAME: 'edge',
        PORTAL_TYPE: 'universal',
      });
      expect(api.workers.get('aggregator-discover')?.files).toEqual(['discover.js']);
      const before = new Map([...api.workers].map(([worker, { routes }]) => [worker, routes]));
      const second = await deploy(['discover', 'aggregator'], env);
      expect(second).toEqual({
        code: 0,
        stdout: 'The schema is up to date.\ndeployed aggregator\ndeployed discover\n',
        stderr: '',
      });
      expect(new Map([...api.workers].map(([worker, { routes }]) => [worker, routes]))).toEqual(before);
    },
  );
});
