import { setTimeout } from 'node:timers/promises';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atomically, type Db } from '../../../db/client.ts';
import { storeLastUse } from '../../../db/repositories/routing/service-preferences.ts';
import { servicePreferences } from '../../../db/schema/routing/service-preferences.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import { addMember, type Member, pool, useWorld } from '../../support/factories.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
let site: Json;
let at: FarmWithNode;
let rule: Json;
beforeAll(async () => {
  const made = await siteWithFarms(world, [
    {
      pools: [
        pool('Office', { workplaces: 20 }),
        pool('Ruled', { workplaces: 20 }),
        pool('Still', { state: 'preparing' }),
      ],
    },
  ]);
  site = made.site;
  at = made.farms[0] as FarmWithNode;
  rule = await addRule(world, site, [memberOf(at, 'Ruled')]);
  member = await addMember(world, []);
});
afterAll(() => at?.node.simulator.close());

const db = () => world.portal.db;
const idOf = (name: string): string => `${at.farm.id}.${uuidOf(at, name)}`;
const connect = ({ ask }: Member, id: string) =>
  ask(`GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${id}`);
const rowsOf = ({ user }: Member) =>
  db().select().from(servicePreferences).where(eq(servicePreferences.user_id, user.id));
const fill = ({ user }: Member, count: number, given: Partial<typeof servicePreferences.$inferInsert>) =>
  db()
    .insert(servicePreferences)
    .values(
      Array.from({ length: count }, (_, n) => ({
        user_id: user.id,
        site_id: site.id,
        service_id: `${newId()}.${newId()}`,
        last_used_at: new Date(Date.UTC(2026, 0, 1, 0, n)),
        ...given,
      })),
    )
    .returning();

describe('a connection', () => {
  it('stores the time of the last use of its service, in two round trips', async () => {
    for (const id of [idOf('Office').toUpperCase(), rule.id]) {
      await connect(member, id);
      await world.portal.settled();
      const before = [world.portal.trips(), world.portal.deps.clock()] as const;
      expect((await connect(member, id)).status).toBe(200);
      expect(world.portal.trips() - before[0]).toBe(2);
      const key = and(
        eq(servicePreferences.user_id, member.user.id),
        eq(servicePreferences.service_id, id.toLowerCase()),
      );
      const [row, ...others] = await db().select().from(servicePreferences).where(key);
      expect(others).toEqual([]);
      expect(row).toMatchObject({ site_id: site.id, favourite: false, launch: null });
      expect(row?.last_used_at?.getTime()).toBeGreaterThanOrEqual(before[1].getTime());
    }
  });

  it('changes no other preference, and does not set the time back', async () => {
    const later = new Date(world.portal.deps.clock().getTime() + 60_000);
    await db()
      .update(servicePreferences)
      .set({ favourite: true, launch: 'spice', last_used_at: later })
      .where(eq(servicePreferences.service_id, rule.id));
    expect((await connect(member, rule.id)).status).toBe(200);
    const rows = await rowsOf(member);
    expect(rows.find(({ service_id }) => service_id === rule.id)).toMatchObject({
      favourite: true,
      launch: 'spice',
      last_used_at: later,
    });
  });

  it('that is not issued stores nothing', async () => {
    const other = await addMember(world, []);
    expect((await connect(other, idOf('Still'))).status).toBe(409);
    expect((await connect(other, `${at.farm.id}.${newId()}`)).status).toBe(404);
    expect(await rowsOf(other)).toEqual([]);
  });

  it('makes room among 500 rows, by the row that was not used for the longest time', async () => {
    const other = await addMember(world, []);
    const [oldest] = await fill(other, 500, {});
    const favourites = await fill(other, 1, { favourite: true, last_used_at: null });
    expect((await connect(other, idOf('Office'))).status).toBe(200);
    const ids = (await rowsOf(other)).map(({ service_id }) => service_id);
    expect(ids).toHaveLength(500);
    expect(ids).toEqual(expect.arrayContaining([idOf('Office'), favourites[0]?.service_id]));
    expect(ids).not.toContain(oldest?.service_id);
  });

  it('never displaces a favourite', async () => {
    const other = await addMember(world, []);
    await fill(other, 500, { favourite: true });
    expect((await connect(other, idOf('Office'))).status).toBe(200);
    const rows = await rowsOf(other);
    expect([rows.length, rows.every(({ favourite }) => favourite)]).toEqual([500, true]);
  });

  it('keeps the limit when two are issued at once', async () => {
    const other = await addMember(world, []);
    await fill(other, 499, {});
    const at = world.portal.deps.clock();
    const use = (h: Db) =>
      storeLastUse(h, { userId: other.user.id, siteId: site.id, serviceId: newId() }, at);
    const second: Promise<unknown>[] = [];
    await db().transaction(async (first) => {
      for (const statement of use(first)) await statement;
      second.push(atomically(db(), use));
      await Promise.race([...second, setTimeout(300)]);
    });
    await Promise.all(second);
    expect(await rowsOf(other)).toHaveLength(500);
  });
});
