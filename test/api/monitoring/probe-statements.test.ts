import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { probePlan, recordProbes } from '../../../db/repositories/sites/probes.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { type FreshDatabase, freshDatabase } from '../../support/database/database.ts';
import { outcomeOf } from '../../support/fleet/virtual-fleet.ts';
import { addNode } from '../../support/installation.ts';

let database: FreshDatabase;
let connection: Connection;
beforeAll(async () => {
  database = await freshDatabase();
  connection = connectPg({ url: database.ownerUrl, maxConnections: 2 });
});
beforeEach(() => connection.db.execute(sql`truncate sites cascade`));
afterAll(async () => {
  await connection.close();
  await database.drop();
});

describe('the probe plan', () => {
  it('has the active nodes, sorted by their last probe, oldest first', async () => {
    const { db } = connection;
    const past = new Date(Date.now() - 60_000);
    const { id: probed } = await addNode(db, {
      last_check_at: new Date(),
      status: 'pass',
      health_key: 'sealed',
    });
    const { id: older } = await addNode(db, { last_check_at: past, status: 'fail' });
    const { id: fresh } = await addNode(db);
    await addNode(db, { enabled: false });
    await addNode(db, {}, { farm: { enabled: false } });
    await addNode(db, {}, { site: { enabled: false } });
    const { targets } = await probePlan(db, undefined);
    expect(targets?.map(({ id, status }) => [id, status])).toEqual([
      [fresh, 'unknown'],
      [older, 'fail'],
      [probed, 'pass'],
    ]);
    expect(targets?.[2]).toMatchObject({
      health_key: 'sealed',
      revision: 1,
      timeout_ms: 5_000,
      verify_tls: true,
    });
  });

  it('is read again only after a change of the fleet, not after a probe', async () => {
    const { db } = connection;
    const { id } = await addNode(db, { health_key: 'sealed' });
    let { fingerprint } = await probePlan(db, undefined);
    const isChanged = async (): Promise<boolean> => {
      const plan = await probePlan(db, fingerprint);
      fingerprint = plan.fingerprint;
      return plan.targets !== null;
    };
    expect(await isChanged()).toBe(false);
    await recordProbes(db, [{ ...outcomeOf(id, 'fail'), age_ms: 0 }]);
    expect(await isChanged()).toBe(false);
    const changes = [
      db.update(dispatchers).set({ revision: 2 }),
      db.update(dispatchers).set({ health_key: 'sealed anew' }),
      db.update(farms).set({ enabled: false }),
      db.update(farms).set({ enabled: true }),
      db.update(sites).set({ enabled: false }),
      db.update(sites).set({ enabled: true }),
      db.delete(dispatchers),
    ];
    for (const change of changes) {
      await change;
      expect([await isChanged(), await isChanged()]).toEqual([true, false]);
    }
    await addNode(db);
    expect(await isChanged()).toBe(true);
  });
});

describe('a probe result', () => {
  const rowOf = async (id: string) => {
    const [row] = await connection.db.select().from(dispatchers).where(eq(dispatchers.id, id));
    return { status: row?.status, ageMs: Date.now() - (row?.last_check_at?.getTime() ?? 0) };
  };

  it('has the time of its probe, however late it is written, and does not replace a later one', async () => {
    const { db } = connection;
    const { id } = await addNode(db);
    await recordProbes(db, [{ ...outcomeOf(id, 'pass'), age_ms: 20_000 }]);
    expect((await rowOf(id)).ageMs).toBeGreaterThanOrEqual(19_900);
    await recordProbes(db, [{ ...outcomeOf(id, 'fail'), age_ms: 10_000 }]);
    await recordProbes(db, [{ ...outcomeOf(id, 'pass'), age_ms: 15_000 }]);
    expect(await rowOf(id)).toMatchObject({ status: 'fail' });
    // Another host, whose clock is ahead, has written a result.
    await db.update(dispatchers).set({ last_check_at: new Date(Date.now() + 3_600_000) });
    await recordProbes(db, [{ ...outcomeOf(id, 'pass'), age_ms: 0 }]);
    expect(await rowOf(id)).toMatchObject({ status: 'pass' });
  });
});
