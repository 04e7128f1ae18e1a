import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import {
  findBinaries,
  startThrowawayPostgres,
  type ThrowawayPostgres,
} from '../../../shared/tooling/start/throwaway-postgres.ts';
import { type Api, accepted, createApi } from '../../e2e/support/api.ts';
import {
  bareVariables,
  freePorts,
  type PortalProcess,
  root,
  startPortal,
} from '../../e2e/support/portal-process.ts';
import { query } from '../../support/database/database.ts';
import { newKeyVariables } from '../../support/identity/signing-keys.ts';
import { programVariables } from '../../support/program-variables.ts';
import { requireService } from '../../support/services.ts';

const run = promisify(execFile);
const binaries = findBinaries();
const base = '/api/webui/aggregator';

const keys = {
  ...newKeyVariables(),
};

requireService('postgresql', binaries !== undefined)(
  'a server whose administrator is not a superuser',
  () => {
    let server: ThrowawayPostgres;
    let folder: string;
    const urlOf = (user: string, database: string): string =>
      Object.assign(new URL(server.url), { username: user, pathname: `/${database}` }).href;

    beforeAll(async () => {
      server = await startThrowawayPostgres(binaries ?? '');
      folder = await mkdtemp(join(tmpdir(), 'aggregator-roles-'));
      await query(server.url, 'create role dba login createrole createdb');
    });
    afterAll(async () => {
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /** The command of an administrator: `npm run db:migrate -- --roles | psql`. */
    async function runRoles(address: DatabaseAddress): Promise<void> {
      const command = [
        `node shared/tooling/launch.mjs shared/tooling/migrate.ts --roles |`,
        `psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --dbname="$ADMIN_URL"`,
      ].join(' ');
      const env = { ...variables(address), ADMIN_URL: urlOf('dba', 'postgres') };
      await run('bash', ['--norc', '-euo', 'pipefail', '-c', command], { cwd: root, env });
    }

    /** No other variable: a migration needs only a database. */
    const variables = ({ url, ownerUrl, sidecarUrl }: DatabaseAddress) => ({
      ...programVariables,
      HOME: process.env.HOME,
      DATA_DIR: folder,
      DATABASE_URL: url,
      DATABASE_OWNER_URL: ownerUrl,
      DATABASE_SIDECAR_URL: sidecarUrl,
    });

    const migrate = (env: NodeJS.ProcessEnv) =>
      run(process.execPath, ['shared/tooling/launch.mjs', 'shared/tooling/migrate.ts'], {
        cwd: root,
        env,
      });

    async function start(address: Partial<DatabaseAddress>): Promise<{ portal: PortalProcess; api: Api }> {
      const portal = await startPortal({
        env: {
          ...bareVariables(folder, await freePorts(2)),
          ...keys,
          ADMIN_PASSWORD: 'correct horse battery staple',
          DATABASE_URL: address.url,
          DATABASE_OWNER_URL: address.ownerUrl,
          DATABASE_SIDECAR_URL: address.sidecarUrl,
        },
      });
      return {
        portal,
        api: createApi(portal.announcement.base_url, readFileSync(portal.announcement.ca_file, 'utf8')),
      };
    }

    /** Signs in, writes, and waits for two tasks of the sidecar: the seal of the audit and a queued job. */
    async function useAll({ portal, api }: { portal: PortalProcess; api: Api }): Promise<void> {
      const token = await api.login('admin', 'correct horse battery staple');
      await accepted(api, `POST ${base}/sites`, { token, body: { name: 'North', uri: 'north' } });
      const verdict = () => accepted(api, `GET ${base}/audit/verify`, { token });
      await expect.poll(async () => (await verdict()).sealed_to, { timeout: 30_000 }).toBeGreaterThan(1);
      expect((await verdict()).ok).toBe(true);
      const { export_id } = await accepted(api, `GET ${base}/audit/export`, { token });
      const report = () => accepted(api, `GET ${base}/audit/export?export_id=${export_id}`, { token });
      await expect.poll(async () => (await report()).state, { timeout: 60_000 }).toBe('ready');
      await api.close();
      expect(await portal.stop()).toMatchObject({ code: 0 });
    }

    it('gets a database with three roles, a schema of its owner, and a working portal', {
      timeout: 180_000,
    }, async () => {
      const address = {
        url: urlOf('ag-portal', 'three'),
        ownerUrl: urlOf('ag-owner', 'three'),
        sidecarUrl: urlOf('ag-sidecar', 'three'),
      };
      await runRoles(address);
      const { stdout } = await migrate(variables(address));
      expect(stdout).toMatch(/^The schema is up to date\. First administrator: admin, password \S+$/m);
      await query(address.ownerUrl, `delete from user_roles; delete from users; delete from authenticators`);
      await useAll(await start(address));
      // Without the owner, which is not needed while the schema is current.
      const again = await start({ url: address.url, sidecarUrl: address.sidecarUrl });
      await again.api.login('admin', 'correct horse battery staple');
      await again.api.close();
      await again.portal.stop();
    });

    it('gets a portal with one ordinary role that owns its database', {
      timeout: 120_000,
    }, async () => {
      await query(server.url, 'create role alone login');
      await query(server.url, 'create database one owner alone');
      await useAll(await start({ url: urlOf('alone', 'one') }));
    });
  },
);
