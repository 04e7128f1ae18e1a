import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateDatabase, schemaStateOf } from '../../../db/migrate.ts';
import { readSchemaFiles, type SchemaFiles } from '../../../db/migrator/files.ts';
import { defaultRoles } from '../../../db/roles.ts';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { accepted, type Json } from '../../e2e/support/api.ts';
import { checkOut, frozenSchema } from '../../support/audit/history.ts';
import { ownedDatabase, query } from '../../support/database/database.ts';
import { frozenKeys, frozenUser, restoreFrozen } from '../../support/database/frozen-installation.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../support/database/pgbouncer.ts';
import { copySchema } from '../../support/database/schema-copy.ts';
import {
  base,
  type DatabaseServer,
  type RunningPortal,
  startDatabaseServer,
  startLoad,
  startPortalOn,
} from '../../support/database/stand.ts';
import { whereThereIs } from '../../support/services.ts';

const commit = frozenSchema();
const isPossible = commit !== undefined && hasPgbouncer && findBinaries() !== undefined;
/** 50 requests a second. */
const everyMs = 20;

whereThereIs('PgBouncer and the commit of the frozen installation', isPossible)(
  'a portal that serves requests during an upgrade of its database',
  () => {
    let server: DatabaseServer;
    let bouncer: Pgbouncer;
    let address: DatabaseAddress;
    let tree = '';

    beforeAll(async () => {
      server = await startDatabaseServer();
      bouncer = await startPgbouncer({ server: server.url, users: [...Object.values(defaultRoles), 'app'] });
      address = await ownedDatabase(server.url, 'upgraded');
      await restoreFrozen(address.ownerUrl);
      tree = await mkdtemp(join(tmpdir(), 'aggregator-frozen-'));
      checkOut(commit ?? '', tree);
    }, 60_000);
    afterAll(async () => {
      await bouncer?.stop();
      await server?.stop();
      if (tree) await rm(tree, { recursive: true, force: true });
    });

    /** Migrates under the load of a portal. @returns how many requests had which status */
    async function upgradeUnderLoad(portal: RunningPortal, to: SchemaFiles): Promise<Record<number, number>> {
      const load = startLoad(portal, await requestsOf(portal), everyMs);
      try {
        await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(20);
        await migrateDatabase(address.ownerUrl, {}, to);
        const after = load.answers.length;
        await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(after + 20);
      } finally {
        await load.stop();
      }
      expect(await schemaStateOf(address.ownerUrl, to)).toBe('current');
      const groups = Map.groupBy(load.answers, ({ status }) => status);
      return Object.fromEntries([...groups].map(([status, answers]) => [status, answers.length]));
    }

    it('of the version of 27 November 2026, behind PgBouncer, answers each of them', async () => {
      const through = { url: bouncer.through(address.url), sidecarUrl: bouncer.through(address.sidecarUrl) };
      const portal = await startPortalOn({ ...address, ...through }, frozenKeys, tree);
      try {
        expect(await schemaStateOf(address.ownerUrl)).toBe('older');
        const statuses = await upgradeUnderLoad(portal, readSchemaFiles());
        expect(Object.keys(statuses).filter((status) => !['200', '201', '204'].includes(status))).toEqual([]);
      } finally {
        await portal.stop();
      }
    }, 120_000);

    it('answers each of them while the text of one trigger changes', async () => {
      const copy = await copySchema();
      const portal = await startPortalOn(address, frozenKeys);
      try {
        await copy.edit('changes.sql', (text) =>
          text.replace("'users', 'user', 'id', '", '$&deactivated_by,'),
        );
        await copy.stamp();
        const triggers = () =>
          query(server.url.replace(/\/\w+$/, '/upgraded'), 'select oid::int, tgname from pg_trigger');
        const before = new Set((await triggers()).map(({ oid }) => oid));
        const statuses = await upgradeUnderLoad(portal, copy.read());
        expect(Object.keys(statuses).filter((status) => !['200', '201', '204'].includes(status))).toEqual([]);
        const added = (await triggers()).filter(({ oid }) => !before.has(oid));
        expect(added.map(({ tgname }) => tgname)).toEqual(['noted_update']);
      } finally {
        await portal.stop();
        await copy.remove();
      }
    }, 120_000);
  },
);

/** Creates, changes and deletes users and sites, reads the audit, and logs in. Passwords are hashed in each 50th request. */
async function requestsOf({ api, token }: RunningPortal) {
  const domains = await accepted(api, `GET ${base}/authenticators`, { token });
  const { id } = domains.items.find((item: Json) => item.name === 'Built-in');
  const users = `${base}/authenticators/${id}/users`;
  const password = 'seven purple lanterns drift';
  const create = async (route: string, body: unknown): Promise<string> =>
    (await accepted(api, route, { token, body })).id;
  const run = Date.now().toString(36);
  const user = await create(`POST ${users}`, { name: `user-${run}`, password });
  const site = await create(`POST ${base}/sites`, { name: `Site ${run}`, uri: `site-${run}` });
  const doomed = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      create(`POST ${base}/sites`, { name: `Doomed ${n} ${run}`, uri: `doomed-${n}-${run}` }),
    ),
  );
  const { name: username, domain: authSmallName } = frozenUser;
  const login = { username, password: frozenUser.password, authSmallName };
  return (n: number): { route: string; body?: unknown } => {
    const name = `load-${n}-${run}`;
    if (n % 50 === 0) return { route: `POST ${users}`, body: { name, password } };
    if (n % 50 === 25) return { route: 'POST /api/auth/v7.0/login', body: login };
    const next = n % 10 === 5 ? doomed.pop() : undefined;
    if (next) return { route: `DELETE ${base}/sites/${next}` };
    const lines = [
      { route: `POST ${base}/sites`, body: { name, uri: name } },
      { route: `PATCH ${users}/${user}`, body: { comments: name } },
      { route: `PATCH ${base}/sites/${site}`, body: { comments: name } },
      { route: `GET ${base}/audit?limit=20` },
      { route: `GET ${users}?limit=20` },
    ];
    return lines[n % lines.length] ?? { route: `GET ${base}/sites` };
  };
}
