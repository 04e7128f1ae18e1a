import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { claimKeyCheck, readDatabaseCheck } from '../../../db/repositories/settings/secret-key-check.ts';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { installation } from '../../../db/schema/settings/installation.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { createSealer, type Sealer } from '../../../shared/kernel/crypto/sealing.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { assertSecretKey, isSecretKeyChecked } from '../../../shared/runtime/config/secret-key.ts';
import { readConfigFile } from '../../../shared/tooling/start/config-file.ts';
import { accepted, createApi } from '../../e2e/support/api.ts';
import { bareVariables, freePorts, runPortal, startPortal } from '../../e2e/support/portal-process.ts';
import { runAdmin } from '../../support/admin-command.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { newSecretKey } from '../../support/identity/signing-keys.ts';
import { addNode } from '../../support/installation.ts';
import { programFile } from '../../support/processes/programs.ts';
import { signingKey } from '../../support/processes/sidecar-process.ts';
import { startWorkers } from '../../support/workers/local-workers.ts';

const idOf = async (key: string) => (await createSealer([key])).currentKeyId;
const place = { table: 'dispatchers', column: 'health_key' };

let folder: string;
let database: FreshDatabase;
let connection: Connection;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aggregator-secret-key-'));
  database = await freshDatabase();
  connection = connectPg({ url: database.url, maxConnections: 4 });
  env = {
    ...bareVariables(join(folder, 'data'), await freePorts(2)),
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_SIDECAR_URL: database.sidecarUrl,
    AGGREGATOR_JWT_SSL_KEY: signingKey,
  };
});
afterAll(async () => {
  await connection?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const unclaim = () => connection.db.update(installation).set({ secret_key_check: null });
const lineFor = (found: string, configured: readonly string[]): string =>
  `SECRET_KEY: the database was sealed with the key ${found}, which is not among the configured keys (${configured.join(', ')}); add that key, or, if it is lost for good, run npm run admin -- replace-lost-key`;

describe('the check value of SECRET_KEY', () => {
  it('is written once, and one of two concurrent first starts with different keys is refused', async () => {
    for (let round = 0; round < 10; round++) {
      await unclaim();
      const keys = [newSecretKey(), newSecretKey()];
      const sealers = await Promise.all(keys.map((key) => createSealer([key])));
      const starts = await Promise.allSettled(
        sealers.map((sealer) => assertSecretKey(connection.db, sealer)),
      );
      const [ids, first] = [
        sealers.map(({ currentKeyId }) => currentKeyId),
        starts.findIndex((one) => one.status === 'fulfilled'),
      ];
      expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const refused = starts.find((one) => one.status === 'rejected');
      expect(String(refused?.reason.message)).toBe(lineFor(ids[first] ?? '', [ids[1 - first] ?? '']));
      const both = await createSealer([...keys].reverse());
      await assertSecretKey(connection.db, both);
      expect(both.keyIdOf((await readDatabaseCheck(connection.db)).key ?? '')).toBe(ids[first]);
    }
  });

  it('is written to an upgraded database only by a key that opens its sealed values', async () => {
    const { db } = connection;
    const [former, other] = await Promise.all(
      [newSecretKey(), newSecretKey()].map((key) => createSealer([key])),
    );
    if (!former || !other) throw new Error('no sealers');
    const node = await addSealedNode(former);
    await unclaim();
    await expect(assertSecretKey(db, other)).rejects.toThrow(lineFor(former.currentKeyId, other.keyIds));
    expect((await readDatabaseCheck(db)).key).toBeNull();
    // The sidecar waits for the portal, whose role can read every sealed value.
    expect(await isSecretKeyChecked(db, other)).toBe(false);
    await assertSecretKey(db, former);
    expect(await isSecretKeyChecked(db, former)).toBe(true);
    await db.delete(dispatchers).where(eq(dispatchers.id, node));
  });

  it('is reported differently when it was changed and when the key is another', async () => {
    const sealer = await createSealer([newSecretKey()]);
    await unclaim();
    await assertSecretKey(connection.db, sealer);
    const moved = await sealer.seal('x', { ...place, row: newId() });
    await unclaim();
    expect(await claimKeyCheck(connection.db, moved)).toBe(true);
    await expect(assertSecretKey(connection.db, sealer)).rejects.toThrow(
      `SECRET_KEY: the check value in the table installation was changed: the key ${sealer.currentKeyId}`,
    );
  });
});

async function addSealedNode(sealer: Sealer): Promise<string> {
  const id = newId();
  const health_key = await sealer.seal('a health key', { ...place, row: id });
  await addNode(connection.db, { id, name: id, url: 'https://127.0.0.1:9', health_key });
  return id;
}

describe('a start with another SECRET_KEY', { timeout: 120_000 }, () => {
  const [right, wrong] = [newSecretKey(), newSecretKey()];
  let refusal: string;

  beforeAll(async () => {
    await unclaim();
    await assertSecretKey(connection.db, await createSealer([right]));
    refusal = `${lineFor(await idOf(right), [await idOf(wrong)])}\n`;
  });

  it.each([
    ['the portal', [programFile('functions/all.ts')]],
    ['the sidecar', [programFile('functions/health/main.ts')]],
    ['an administrative command', [programFile('shared/tooling/admin/admin.ts'), 'unlock', 'builtin/admin']],
  ])('is refused in one line that names the missing key: %s', async (_, command) => {
    const { code, stdout, stderr } = await runPortal({ env: { ...env, SECRET_KEY: wrong }, command });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: refusal });
  });

  it('is refused before the Workers accept requests', async () => {
    const start = startWorkers({ ...env, SECRET_KEY: wrong, TLS: 'off' });
    await expect(start).rejects.toThrow(`the Workers ended with 1: ${refusal.trim()}`);
  });

  it('is accepted again with the right key among several, and after reseal with the new one alone', async () => {
    const both = { ...env, SECRET_KEY: `${wrong},${right}` };
    const portal = await startPortal({ env: both });
    await portal.stop();
    const { code, stdout } = await runAdmin(both, ['reseal']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('installation.secret_key_check: 1 resealed, 0 remain\n'),
    ]);
    await assertSecretKey(connection.db, await createSealer([wrong]));
    const back = lineFor(await idOf(wrong), [await idOf(right)]);
    await expect(assertSecretKey(connection.db, await createSealer([right]))).rejects.toThrow(back);
  });

  it('replace-lost-key continues with another key and lists what is lost', async () => {
    const lost = await createSealer([newSecretKey()]);
    const node = await addSealedNode(lost);
    await unclaim();
    await assertSecretKey(connection.db, lost);
    const given = { ...env, SECRET_KEY: wrong };
    const { code, stdout, stderr } = await runAdmin(given, ['replace-lost-key']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `The database uses the key ${await idOf(wrong)} from now on.\ndispatchers.health_key: 1 lost; enter the health keys of these nodes again: ${node}\n`,
      stderr: '',
    });
    const events = await connection.db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.action, 'replace_lost_key'));
    expect(events).toMatchObject([{ user_name: 'break-glass', details: { key_id: await idOf(wrong) } }]);
    const again = await runAdmin(given, ['replace-lost-key']);
    expect([again.code, again.stdout]).toEqual([
      0,
      'SECRET_KEY matches the database; nothing was changed.\n',
    ]);
    await connection.db.delete(dispatchers).where(eq(dispatchers.id, node));
  });
});

describe('a lost configuration file', { timeout: 120_000 }, () => {
  const key = { 'idempotency-key': 'made-once' };
  const makeSite = { body: { name: 'North', uri: 'north' }, headers: key };

  it('is not replaced by a new SECRET_KEY, and a keyed write has its result when the file is back', async () => {
    const own = bareVariables(join(folder, 'embedded'), await freePorts(2));
    const file = join(folder, 'embedded', 'aggregator.conf');
    const withPortal = async <T>(
      work: (api: ReturnType<typeof createApi>, password?: string) => Promise<T>,
    ) => {
      const portal = await startPortal({ env: { ...own, ADMIN_PASSWORD: 'nine brass kettles sing' } });
      const { base_url, ca_file } = portal.announcement;
      const api = createApi(base_url, readFileSync(ca_file, 'utf8'));
      return work(api).finally(() => api.close().then(() => portal.stop()));
    };
    const write = async (api: ReturnType<typeof createApi>) => {
      const token = await api.login('admin', 'nine brass kettles sing');
      return accepted(api, 'POST /api/webui/aggregator/sites', { token, ...makeSite });
    };
    const made = await withPortal(write);
    renameSync(file, `${file}.saved`);
    const refused = await runPortal({ env: own });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(
      `SECRET_KEY: missing in ${file}, and the database in ${join(folder, 'embedded', 'database')} was sealed with one; restore the file from a backup, or, if the key is lost for good, run npm run admin -- replace-lost-key\n`,
    );
    expect(readConfigFile(file).SECRET_KEY).toBeUndefined();
    writeFileSync(file, `SECRET_KEY=${newSecretKey()}\n`);
    expect((await runPortal({ env: own })).stderr).toMatch(
      /^SECRET_KEY: the database was sealed with the key [^\n]*\n$/,
    );
    renameSync(`${file}.saved`, file);
    expect(await withPortal(write)).toEqual(made);
    renameSync(file, `${file}.saved`);
    const replaced = await runAdmin(own, ['replace-lost-key']);
    expect([replaced.code, replaced.stderr]).toEqual([0, '']);
    await withPortal(async (api) => api.login('admin', 'nine brass kettles sing'));
  });
});
