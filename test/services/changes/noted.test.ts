import { eq, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { atomically, dryRun, withTransaction } from '../../../db/client.ts';
import { type ChangePosition, readChanges, trimChanges } from '../../../db/repositories/changes/changes.ts';
import { must } from '../../../db/repositories/records/statements.ts';
import {
  noteAgentSeen,
  removeWorkplace,
  updateWorkplaceRow,
} from '../../../db/repositories/snapshot/write-through.ts';
import { changeMarks, changes } from '../../../db/schema/changes/changes.ts';
import { gateways } from '../../../db/schema/gateways/gateways.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { dispatchers } from '../../../db/schema/sites/dispatchers.ts';
import { farms } from '../../../db/schema/sites/farms.ts';
import { sites } from '../../../db/schema/sites/sites.ts';
import { workplaces } from '../../../db/schema/snapshot/workplaces.ts';
import { pollChanges } from '../../../shared/changes/polling.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { resources } from '../../../shared/resources.ts';
import { findBinaries } from '../../../shared/tooling/start/throwaway-postgres.ts';
import {
  addDispatcher,
  addFarm,
  addGateway,
  addPriorityGroup,
  addSite,
  base,
  useWorld,
} from '../../support/factories.ts';
import { allReadable } from '../../support/http/changes.ts';
import { requireService } from '../../support/services.ts';

const world = useWorld();

/** What the work has noted: `kind id list: sites`. */
async function noted(work: () => Promise<unknown>): Promise<string[]> {
  await allReadable(world.portal.db);
  const { horizon } = await readChanges(world.portal.db, undefined);
  await work();
  await allReadable(world.portal.db);
  return notedAfter({ xid: horizon, seq: 0 });
}

async function notedAfter(after: ChangePosition): Promise<string[]> {
  const { items } = await readChanges(world.portal.db, after);
  return items
    .filter(({ kind }) => kind !== 'monitoring_record')
    .map(({ kind, id, list, sites: of }) => {
      const places = of === null ? 'all' : of.toSorted().join(' ');
      return `${[kind, id, list].filter((part) => part !== undefined).join(' ')}: ${places}`;
    })
    .sort();
}

const both = (...objects: { id: string }[]) =>
  objects
    .map(({ id }) => id)
    .toSorted()
    .join(' ');

describe('a change', () => {
  it('is noted with the sites before and after it', async () => {
    const { admin, site, farm } = world;
    const other = await addSite(admin);
    const node = await addDispatcher(admin, farm);
    const parts = (of: string) =>
      ['servicespools', 'spsessions', 'workplaces'].map((list) => `snapshot ${farm.id} ${list}: ${of}`);
    expect(await noted(() => admin(`PATCH ${base}/farms/${farm.id}`, { site_id: other.id }))).toEqual([
      `dispatcher ${node.id}: ${both(site, other)}`,
      `farm ${farm.id}: ${both(site, other)}`,
      ...parts(both(site, other)),
    ]);
    expect(await noted(() => admin(`PATCH ${base}/farms/${farm.id}`, { site_id: site.id }))).toHaveLength(5);
    expect(await noted(() => admin(`DELETE ${base}/dispatchers/${node.id}`))).toEqual([
      `dispatcher ${node.id}: ${site.id}`,
    ]);
  });

  it('of a gateway is noted with its sites, also when it has none before or after', async () => {
    const { admin, site } = world;
    const other = await addSite(admin);
    const made: { id: string }[] = [];
    const create = () => addGateway(admin, { sites: [site.id] }).then((one) => made.push(one));
    const created = await noted(create);
    const path = `${base}/gateways/${made[0]?.id}`;
    const name = `gateway ${made[0]?.id}`;
    expect(created).toEqual([`${name}: ${site.id}`]);
    expect(await noted(() => admin(`PATCH ${path}`, { sites: [other.id] }))).toEqual([
      `${name}: ${both(site, other)}`,
    ]);
    expect(await noted(() => admin(`PATCH ${path}`, { sites: [] }))).toEqual([`${name}: all`]);
    expect(await noted(() => admin(`PATCH ${path}`, { sites: [site.id] }))).toEqual([`${name}: all`]);
    expect(await noted(() => admin(`PATCH ${path}`, { comments: 'unused', priority: 3 }))).toHaveLength(0);
    expect(await noted(() => admin(`PATCH ${path}`, { priority: 3 }))).toEqual([`${name}: ${site.id}`]);
    expect(await noted(() => admin(`DELETE ${path}`))).toEqual([`${name}: ${site.id}`]);
  });

  it('of a priority group is noted with the sites of its farms', async () => {
    const { admin, site, farm } = world;
    const made: { id: string }[] = [];
    const farmsOf = [{ farm_id: farm.id, priority: 1 }];
    const created = await noted(() =>
      addPriorityGroup(admin, { farms: farmsOf }).then((one) => made.push(one)),
    );
    expect(created).toEqual([`priority_group ${made[0]?.id}: ${site.id}`]);
    expect(await noted(() => admin(`DELETE ${base}/priority_groups/${made[0]?.id}`))).toEqual(created);
  });

  it('is noted as the creation, update or deletion that the transaction is', async () => {
    const { admin, portal } = world;
    await allReadable(portal.db);
    const { horizon } = await readChanges(portal.db, undefined);
    const site = await addSite(admin);
    const gateway = await addGateway(admin, { sites: [site.id] });
    await admin(`PATCH ${base}/gateways/${gateway.id}`, { priority: 3 });
    await admin(`DELETE ${base}/gateways/${gateway.id}`);
    const farm = await addFarm(admin, site);
    await portal.db.transaction(async (tx) => {
      await tx.update(farms).set({ weight: 9 }).where(eq(farms.id, farm.id));
      await tx.delete(farms).where(eq(farms.id, farm.id));
    });
    const twice = newId();
    await portal.db.transaction(async (tx) => {
      await tx.insert(sites).values({ id: twice, name: twice, name_key: twice, uri: twice });
      await tx.update(sites).set({ comments: 'x' }).where(eq(sites.id, twice));
    });
    await allReadable(portal.db);
    const { items } = await readChanges(portal.db, { xid: horizon, seq: 0 });
    const actionsOf = (id: string) =>
      items.filter((change) => change.id === id && change.list === undefined).map(({ action }) => action);
    expect(actionsOf(site.id)).toEqual(['created']);
    expect(actionsOf(gateway.id)).toEqual(['created', 'updated', 'deleted']);
    expect(actionsOf(farm.id)).toEqual(['created', 'deleted']);
    expect(actionsOf(twice)).toEqual(['created']);
  });

  it('is not noted when it is rolled back, refused or a dry run', async () => {
    const { admin, portal, site } = world;
    const rename = sql`${sites.comments} || 'x'`;
    const quiet = await noted(async () => {
      await dryRun(portal.db, async (h) => void (await h.update(sites).set({ comments: rename })));
      const refused = atomically(portal.db, (h) => [
        h.update(sites).set({ comments: rename }),
        must(h, sql`false`, 'invalid_state'),
      ]);
      await expect(refused).rejects.toThrow();
      const dry = await admin(`PATCH ${base}/sites/${site.id}`, { comments: 'dry' }, { 'x-dry-run': 'true' });
      expect(dry.status).toBe(200);
      const taken = await admin(`POST ${base}/sites`, { name: site.name, uri: site.uri });
      expect(taken.status).toBe(409);
    });
    expect(quiet).toEqual([]);
  });

  it('is noted once per transaction, and without an id if there are too many', async () => {
    const { portal, site } = world;
    const twice = await noted(() =>
      atomically(portal.db, (h) => [
        h.update(sites).set({ comments: 'one' }).where(eq(sites.id, site.id)),
        h.update(sites).set({ comments: 'two' }).where(eq(sites.id, site.id)),
      ]),
    );
    expect(twice).toEqual([`site ${site.id}: ${site.id}`]);
    const { domain } = world;
    const many = Array.from({ length: 1_500 }, () => ({
      id: newId(),
      authenticator_id: domain.id,
      name: 'n',
      name_key: newId(),
    }));
    const inserted = await noted(() => portal.db.insert(users).values(many));
    expect(inserted).toHaveLength(1_000);
    const rest = await portal.db.select().from(changes).where(eq(changes.object_id, ''));
    expect(rest.map(({ kind, sites: of }) => [kind, of])).toEqual([['user', null]]);
  });
});

describe('what processes write all the time', () => {
  it('is not noted: probes, heartbeats and logins', async () => {
    const { admin, portal, farm } = world;
    const [node, gateway] = [await addDispatcher(admin, farm), await addGateway(admin)];
    const at = new Date();
    const quiet = await noted(async () => {
      await portal.db
        .update(dispatchers)
        .set({
          last_check_at: at,
          response_time_ms: 4,
          circuit_failures: 2,
          last_error: 'x',
          circuit: 'closed',
        })
        .where(eq(dispatchers.id, node.id));
      await portal.db.update(gateways).set({ last_seen_at: at }).where(eq(gateways.id, gateway.id));
      await portal.db.update(users).set({ last_login_at: at });
    });
    expect(quiet).toEqual([]);
    const set = (values: object) => () =>
      portal.db.update(dispatchers).set(values).where(eq(dispatchers.id, node.id));
    const one = [`dispatcher ${node.id}: ${world.site.id}`];
    expect(await noted(set({ status: 'fail' }))).toEqual(one);
    expect(await noted(set({ circuit: 'open' }))).toEqual(one);
    expect(await noted(set({ circuit: 'half_open' }))).toEqual([]);
    expect(await noted(set({ circuit: 'open' }))).toEqual([]);
    expect(await noted(set({ circuit: 'closed' }))).toEqual(one);
  });

  it('of a snapshot is noted once per farm and list', async () => {
    const { portal, farm, site } = world;
    const rows = Array.from({ length: 20 }, () => ({
      ...{ farm_id: farm.id, uuid: newId(), name: 'w', name_key: 'w', state: 'ready', machine_state: 'on' },
    }));
    const list = `snapshot ${farm.id} workplaces: ${site.id}`;
    expect(await noted(() => portal.db.insert(workplaces).values(rows))).toEqual([list]);
    expect(await noted(() => portal.db.update(workplaces).set({ state: 'ready' }))).toEqual([]);
    expect(await noted(() => portal.db.update(workplaces).set({ state: 'in_use' }))).toEqual([list]);
    const uuid = rows[0]?.uuid ?? '';
    const act = (build: typeof noteAgentSeen) => () =>
      atomically(portal.db, (h) => [build(h, farm.id, uuid, new Date())]);
    expect(await noted(act(noteAgentSeen))).toEqual([]);
    const change = () =>
      atomically(portal.db, (h) => [updateWorkplaceRow(h, farm.id, uuid, { state: 'ready' })]);
    expect(await noted(change)).toEqual([list, `workplace ${uuid}: ${site.id}`]);
    const remove = () => atomically(portal.db, (h) => removeWorkplace(h, farm.id, uuid));
    expect(await noted(remove)).toEqual([list, `workplace ${uuid}: ${site.id}`]);
    expect(await noted(() => portal.db.delete(workplaces))).toEqual([list]);
  });

  it('of a deleted farm is noted with its site', async () => {
    const { portal, admin, site } = world;
    const farm = await addFarm(admin, site);
    await portal.db
      .insert(workplaces)
      .values({ farm_id: farm.id, uuid: newId(), name_key: '', state: 'a', machine_state: 'b' });
    const gone = await noted(() => portal.ownerDb.delete(farms).where(eq(farms.id, farm.id)));
    expect(gone).toContain(`farm ${farm.id}: ${site.id}`);
    expect(gone).toContain(`snapshot ${farm.id} workplaces: ${site.id}`);
  });
});

// The embedded database runs one transaction at a time.
requireService('postgresql', findBinaries() !== undefined)('the order of changes', () => {
  it('waits for a transaction that began earlier, so that none is lost', async () => {
    const { portal } = world;
    const [early, late] = [await addSite(world.admin), await addSite(world.admin)];
    const { horizon } = await readChanges(portal.db, undefined);
    const start = { xid: horizon, seq: 0 };
    const touch = (h: typeof portal.db, id: string) =>
      h.update(sites).set({ comments: newId() }).where(eq(sites.id, id));
    await withTransaction(portal.sidecarDb, async (open) => {
      await touch(open, early.id);
      await touch(portal.db, late.id);
      // The later transaction has committed, but its change stays behind that of the open one.
      expect(await notedAfter(start)).toEqual([]);
    });
    await allReadable(portal.db);
    const { items } = await readChanges(portal.db, start);
    expect(items.map(({ id }) => id)).toEqual([early.id, late.id]);
  });
});

describe('a cursor', () => {
  const principal = {
    kind: 'operator',
    portal: 'admin',
    name: 'system:apply',
    operator: '',
    host: '',
    roles: [],
  } as const;
  const poll = (after?: string) => pollChanges(world.portal.db, { ...principal, roles: [] }, after);
  let current: string;
  beforeAll(async () => {
    await allReadable(world.portal.db);
    current = (await poll()).next;
  });

  it('of another database, of the future or damaged starts again', async () => {
    expect(await poll(current)).toMatchObject({ reset: false, next: current });
    const [epoch, xid] = current.split('.');
    const strange = [
      `00000000.${xid}.0`,
      `${epoch}.${'9'.repeat(19)}.0`,
      `${epoch}.99999999999999999999.0`,
      'x',
    ];
    for (const after of strange) expect((await poll(after)).reset).toBe(true);
  });

  it('starts again when changes after it were removed', async () => {
    const { portal } = world;
    for (let n = 0; n < 2; n++) await addSite(world.admin);
    await trimChanges(portal.sidecarDb);
    expect((await poll(current)).reset).toBe(false);
    await allReadable(portal.db);
    await trimChanges(portal.sidecarDb, 1);
    expect((await poll(current)).reset).toBe(true);
    expect(await portal.db.select().from(changes)).not.toHaveLength(0);
    const fresh = (await poll()).next;
    await allReadable(portal.db);
    await portal.ownerDb.update(changes).set({ at: sql`now() - interval '25 hours'` });
    await allReadable(portal.db);
    await trimChanges(portal.sidecarDb);
    expect(await portal.db.select().from(changes)).toHaveLength(0);
    expect((await poll(fresh)).reset).toBe(false);
    const [mark] = await portal.db.select().from(changeMarks);
    expect(BigInt(mark?.removed_to ?? 0)).toBeGreaterThan(0n);
  });

  it('of a client that polls all the time does not start again, although it may see none of the changes', async () => {
    const { portal } = world;
    const age = async (hours: number) => {
      await allReadable(portal.db);
      await portal.ownerDb.update(changes).set({ at: sql`now() - make_interval(hours => ${hours}::int)` });
      await allReadable(portal.db);
    };
    const first = (await poll()).next;
    await addSite(world.admin);
    await allReadable(portal.db);
    expect(await poll(first)).toEqual({ items: [], next: first, reset: false });
    await age(2);
    const moved = await poll(first);
    expect(moved).toMatchObject({ items: [], reset: false });
    expect(moved.next).not.toBe(first);
    await age(25);
    await trimChanges(portal.sidecarDb);
    expect((await poll(moved.next)).reset).toBe(false);
    expect((await poll(first)).reset).toBe(true);
  });
});

describe('the sites of a change', () => {
  const sitesOf = async (kind: string, object: object = {}) => {
    const { rows } = (await world.portal.ownerDb.execute(
      sql`select sites_of_object(${kind}, ${JSON.stringify(object)}::jsonb) as sites`,
    )) as unknown as { rows: { sites: string[] | null }[] };
    return rows[0]?.sites;
  };
  const kinds = Object.entries(resources);

  it('are none for a kind that the database does not know, which only the scope of all sites sees', async () => {
    expect(await sitesOf('made_up')).toEqual([]);
  });

  it.each(
    kinds.filter(([, { siteScope }]) => siteScope !== 'by_site'),
  )('do not restrict a %s, about which the reader decides by the kind', async (kind) =>
    expect(await sitesOf(kind)).toBeNull());

  it('have a rule in the database for each kind that has them, apart from objects of nodes', async () => {
    const { rows } = (await world.portal.ownerDb.execute(
      sql`select prosrc from pg_proc where proname = 'sites_of_object'`,
    )) as unknown as { rows: { prosrc: string }[] };
    const ofNodes = ['servicespool', 'workplace', 'spsession'];
    const sited = kinds.flatMap(([kind, { siteScope }]) => (siteScope === 'by_site' ? [kind] : []));
    const ruled = [...(rows[0]?.prosrc ?? '').matchAll(/when '(\w+)' then/g)].map(([, kind]) => kind);
    expect(ruled.toSorted()).toEqual(sited.filter((kind) => !ofNodes.includes(kind)).toSorted());
  });

  it.each(['dispatcher', 'maintenance_window'])('are none for a %s whose farm is gone', async (kind) => {
    expect(await sitesOf(kind, { id: newId(), farm_id: newId(), site_id: null })).toEqual([]);
  });
});
