import { asc, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { connectPg } from '../../../db/pg.ts';
import { appendMonitoring } from '../../../db/repositories/monitoring/records.ts';
import { nodeRecord } from '../../../db/repositories/sites/node-records.ts';
import { type AgedOutcome, recordProbes } from '../../../db/repositories/sites/probes.ts';
import { monitoringRecords } from '../../../db/schema/monitoring/records.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { addDispatcher, addNode, base, unique, useWorld } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

type Status = AgedOutcome['status'];

const world = useWorld();

/** The result of a probe of the node, as the job passes it. */
function outcome({ id, name }: Json, status: Status, revision = 1): AgedOutcome {
  const last_error = status === 'pass' ? null : status === 'fail' ? 'upstream_timeout' : 'upstream_refused';
  const record = nodeRecord({ id, name }, { status, last_error }, new Date());
  const unseen = { response_time_ms: null, version: null, certificate: null, domains: null, age_ms: 0 };
  return { id, revision, status, last_error, ...unseen, record };
}

const recordsOf = ({ id }: Json) =>
  world.portal.db
    .select()
    .from(monitoringRecords)
    .where(eq(monitoringRecords.object_id, id))
    .orderBy(asc(monitoringRecords.at), asc(monitoringRecords.id));
const codesOf = async (node: Json): Promise<string[]> => (await recordsOf(node)).map(({ code }) => code);

describe('the monitoring journal of nodes', () => {
  it('has an entry when a node begins to fail and when it recovers, and none in between', async () => {
    const node = await addDispatcher(world.admin, world.farm);
    const counts: number[] = [];
    for (const status of ['pass', 'pass', 'fail', 'fail', 'unauthorized', 'pass', 'unauthorized'] as const) {
      await recordProbes(world.portal.db, [outcome(node, status)]);
      counts.push((await recordsOf(node)).length);
    }
    expect(counts).toEqual([0, 0, 1, 1, 1, 2, 3]);
    expect(await codesOf(node)).toEqual(['dispatcher_fail', 'dispatcher_pass', 'dispatcher_fail']);
    const { items } = (await world.admin(`GET ${base}/monitoring?object_id=${node.id}&sort=at&limit=1`)).body;
    expect(items).toMatchObject([
      {
        level: 'error',
        source: 'dispatcher',
        object_type: 'dispatcher',
        object_id: node.id,
        object_name: node.name,
        message: `Dispatcher ${node.name} fails: it does not respond in time (upstream_timeout)`,
        details: { status: 'fail', last_error: 'upstream_timeout' },
        state: 'open',
        acknowledged_by: null,
      },
    ]);
    const found = await world.admin(`GET ${base}/monitoring?search=${node.name.toUpperCase()}`);
    expect(found.body.items).toHaveLength(3);
  });

  it('has an entry for a new node that fails at once, and none for one that passes', async () => {
    const [failing, passing] = [
      await addDispatcher(world.admin, world.farm),
      await addDispatcher(world.admin, world.farm),
    ];
    await recordProbes(world.portal.db, [outcome(failing, 'fail'), outcome(passing, 'pass')]);
    expect([await codesOf(failing), await codesOf(passing)]).toEqual([['dispatcher_fail'], []]);
  });

  it('has no entry for a node that was changed during its probe', async () => {
    const node = await addDispatcher(world.admin, world.farm);
    await world.admin(`PATCH ${base}/dispatchers/${node.id}`, { priority: 5 });
    await recordProbes(world.portal.db, [outcome(node, 'fail')]);
    expect(await codesOf(node)).toEqual([]);
    await recordProbes(world.portal.db, [outcome(node, 'fail', 2)]);
    expect(await codesOf(node)).toEqual(['dispatcher_fail']);
  });

  it('has one entry for the concurrent reports of several sidecars', async () => {
    const nodes: Json[] = [];
    for (let n = 0; n < 12; n++) nodes.push(await addDispatcher(world.admin, world.farm));
    const sidecars = Array.from({ length: 4 }, () =>
      connectPg({ url: world.portal.databaseUrl, maxConnections: 1 }),
    );
    for (const status of ['fail', 'pass', 'fail', 'pass'] as const)
      await Promise.all(
        sidecars.map(({ db }, at) =>
          recordProbes(
            db,
            (at % 2 ? nodes : [...nodes].reverse()).map((node) => outcome(node, status)),
          ),
        ),
      );
    await Promise.all(sidecars.map(({ close }) => close()));
    const once = ['dispatcher_fail', 'dispatcher_pass', 'dispatcher_fail', 'dispatcher_pass'];
    for (const node of nodes) expect(await codesOf(node)).toEqual(once);
  });

  it('has one entry for a node that refuses the portal in a test by an administrator', async () => {
    const { simulator, dispatcher } = await addNode(world, world.farm, {
      simulator: { name: unique('somebody-else') },
    });
    await world.portal.db
      .update(dispatchers)
      .set({ status: 'pass' })
      .where(eq(dispatchers.id, dispatcher.id));
    const attempt = () =>
      world
        .admin('POST /api/auth/v7.0/jwtauth', { dispatcher_id: dispatcher.id })
        .then(({ status }) => status);
    expect(await Promise.all([attempt(), attempt()])).toEqual([502, 502]);
    await recordProbes(world.portal.db, [outcome(dispatcher, 'unauthorized')]);
    expect(await codesOf(dispatcher)).toEqual(['dispatcher_fail']);
    await recordProbes(world.portal.db, [outcome(dispatcher, 'pass')]);
    expect(await codesOf(dispatcher)).toEqual(['dispatcher_fail', 'dispatcher_pass']);
    await simulator.close();
  });

  it('stores system entries in the same batch as their cause, and none when the batch fails', async () => {
    const entry = {
      at: new Date('2026-05-01T00:00:00.000Z'),
      level: 'warning',
      source: 'jobs',
      code: unique('job'),
      message: 'The Job Failed',
    } as const;
    const append = (work: (h: Db) => Promise<unknown>) =>
      world.portal.db.transaction(async (h) => {
        await appendMonitoring(h, entry);
        await work(h);
      });
    await expect(append(() => Promise.reject(new Error('the change failed')))).rejects.toThrow();
    await append(async () => undefined);
    const { items } = (await world.admin(`GET ${base}/monitoring?code=${entry.code}`)).body;
    expect(items).toMatchObject([{ ...entry, at: '2026-05-01T00:00:00.000Z', object_id: null, details: {} }]);
    expect((await world.admin(`GET ${base}/monitoring?search=the+job+failed`)).body.items).toHaveLength(1);
  });
});
