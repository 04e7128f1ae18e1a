import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { migrateDatabase, schemaStateOf } from '../../../db/migrate.ts';
import { auditCheckpoints } from '../../../db/schema/audit/checkpoints.ts';
import { sealJob } from '../../../functions/health/jobs/audit/sealing.ts';
import type { DatabaseAddress } from '../../../shared/tooling/start/prepared-database.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import { ownedDatabase, query } from '../../support/database/database.ts';
import { commandsUnder } from '../../support/documents/guides.ts';
import { addUser, base, logIn, startWorld, type World } from '../../support/factories.ts';
import {
  addEnrolled,
  addTwoFactorDomain,
  type Enrolled,
  holdClock,
  logIn2fa,
  said,
} from '../../support/identity/second-factor.ts';
import { newSecretKey } from '../../support/identity/signing-keys.ts';
import { codeOf } from '../../support/identity/totp-device.ts';
import { type Json, startPortal, type TestPortal } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const run = promisify(execFile);
const binaries = findBinaries();
const secretKeys = [newSecretKey()];
const never = new AbortController().signal;

/** The portal that was backed up, and its data as read over the API. */
type Before = {
  world: World;
  user: Json;
  domain: Json;
  enrolled: Enrolled;
  clock: ReturnType<typeof holdClock>;
};

async function furnish(): Promise<Before> {
  const world = await startWorld({ secretKeys });
  const clock = holdClock(world.portal);
  const domain = await addTwoFactorDomain(world.admin);
  const enrolled = await addEnrolled(world, domain, clock.now());
  const user = await addUser(world.admin, world.domain);
  await seal(world.portal);
  return { world, user, domain, enrolled, clock };
}

const seal = ({ sidecarDb, deps }: TestPortal): Promise<unknown> =>
  sealJob(sidecarDb, deps.signingKeys, deps.clock).round(never);

/** The commands of the guide, in a separate folder. */
async function runGuide(heading: string, folder: string, env: Record<string, string>): Promise<void> {
  const path = [binaries, process.env.PATH].filter(Boolean).join(delimiter);
  await run('bash', ['--norc', '-euc', commandsUnder(heading)], { cwd: folder, env: { PATH: path, ...env } });
}

requireService('pg_dump', binaries !== undefined)('a restored database', () => {
  let before: Before;
  let folder: string;
  let restoredAddress: DatabaseAddress;
  let restored: TestPortal;
  const name = `restored_${randomUUID().replaceAll('-', '')}`;

  beforeAll(async () => {
    before = await furnish();
    folder = await mkdtemp(join(tmpdir(), 'aggregator-backup-'));
    await runGuide('Back up', folder, { DATABASE_OWNER_URL: before.world.portal.database.ownerUrl });
    restoredAddress = await ownedDatabase(inject('postgresUrl'), name);
    await runGuide('Restore', folder, { RESTORED_URL: restoredAddress.ownerUrl });
    restored = await openRestored(secretKeys);
  });
  afterAll(async () => {
    await restored?.close();
    await before?.world.portal.close();
    await query(inject('postgresUrl'), `drop database if exists ${name}`);
    await rm(folder, { recursive: true, force: true });
  });

  async function openRestored(keys: readonly string[]): Promise<TestPortal> {
    const database = { ...before.world.portal.database, ...restoredAddress };
    const portal = await startPortal({ database, secretKeys: keys });
    portal.deps.signingKeys = before.world.portal.deps.signingKeys;
    portal.deps.clock = before.clock.now;
    return portal;
  }

  it('has the current version and needs no migration', async () => {
    expect(await schemaStateOf(restoredAddress.ownerUrl)).toBe('current');
    const written = () =>
      restored.db
        .select({ digest: sql<string>`digest`, by: sql<string>`by` })
        .from(
          sql`(select hash as digest, xmin::text as by from drizzle.__drizzle_migrations
            union all select digest, xmin::text from drizzle.sql_files) as applied`,
        )
        .orderBy(sql`digest`);
    const before = await written();
    expect(before).not.toEqual([]);
    await migrateDatabase(restoredAddress.ownerUrl);
    expect(await written()).toEqual(before);
  });

  it('admits users with their previous passwords, and the sessions that were open', async () => {
    const { world, user, enrolled } = before;
    expect((await logIn(restored, world.domain, user)).status).toBe(200);
    expect(await restored.send('GET /api/userinfo', { token: enrolled.token })).toMatchObject({
      status: 200,
      body: { name: enrolled.user.name },
    });
  });

  it('has an audit that verifies with its checkpoints and continues', async () => {
    const token = await restored.login();
    const verify = async () => (await restored.send(`GET ${base}/audit/verify`, { token })).body;
    const first = await verify();
    expect(first).toMatchObject({ ok: true, checked: expect.any(Number) });
    expect(first.checked).toBeGreaterThan(5);
    expect(await restored.db.select().from(auditCheckpoints)).not.toEqual([]);
    await seal(restored);
    const later = await verify();
    expect(later).toMatchObject({ ok: true });
    expect(later.checked).toBeGreaterThan(first.checked);
  });

  it('opens sealed values with the previous keys, and with no others', async () => {
    const { domain, enrolled, clock } = before;
    clock.move(60);
    const code = codeOf(enrolled.secret, clock.now());
    const stranger = await openRestored([newSecretKey()]);
    const refused = await logIn2fa(stranger, domain, enrolled.user, { code });
    await stranger.close();
    expect(refused.status).not.toBe(200);
    expect(said(await logIn2fa(restored, domain, enrolled.user, { code }))).toEqual([200, undefined]);
  });
});
