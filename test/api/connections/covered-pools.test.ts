import { eq } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ruleMembers, rules } from '../../../db/schema/routing/rules.ts';
import { addMember, type Member, pool, useWorld } from '../../support/factories.ts';
import {
  addRule,
  addSnapshotPool,
  ageLists,
  type FarmWithNode,
  memberOf,
  siteWithFarms,
  uuidOf,
} from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let site: Json;
let at: FarmWithNode;
let bob: Member;
let kate: Member;
beforeAll(async () => {
  [bob, kate] = [await addMember(world, []), await addMember(world, [])];
});
beforeEach(async () => {
  const made = await siteWithFarms(world, [{ pools: [pool('Office'), pool('Other')] }]);
  [site, at] = [made.site, made.farms[0] as FarmWithNode];
});
afterEach(() => at.node.simulator.close());

const client = () => `/aggregator/api/client/v7.0/${site.uri}`;
const idOf = (name: string) => `${at.farm.id}.${uuidOf(at, name)}`;
const connect = (who: Member, id: string) => who.ask(`GET ${client()}/connectionInfo/${id}`);
const check = (who: Member, id: string) => who.ask(`GET ${client()}/preconnectionInfo/${id}`);
const shown = async (who: Member): Promise<string[]> => {
  await ageLists(world, who, 16);
  return (await who.ask(`GET ${client()}/servicesList/`)).body.services.map(({ id }: Json) => id);
};
const forBob = () => ({ users: [bob.user.id] });

describe('a pool that a rule covers', () => {
  it('is neither listed for other users nor found by its bare id', async () => {
    expect(await shown(kate)).toContain(idOf('Office'));
    const rule = await addRule(world, site, [memberOf(at, 'Office')], forBob());
    expect(await shown(kate)).toEqual([idOf('Other')]);
    expect((await shown(bob)).sort()).toEqual([rule.id, idOf('Other')].sort());
    for (const who of [kate, bob]) {
      expect((await connect(who, idOf('Office'))).status).toBe(404);
      expect((await connect(who, idOf('Office').toUpperCase())).status).toBe(404);
      expect((await check(who, idOf('Office'))).status).toBe(404);
    }
    expect((await connect(kate, rule.id)).status).toBe(404);
    expect((await connect(bob, rule.id)).status).toBe(200);
    expect((await connect(kate, idOf('Other'))).status).toBe(200);
  });

  it('is covered by its tags as well', async () => {
    await addSnapshotPool(world, at, 'Office', { tags: ['finance'] });
    await addRule(world, site, [], { ...forBob(), match_tags: { any: ['finance'], all: [] } });
    expect(await shown(kate)).toEqual([idOf('Other')]);
    expect((await connect(kate, idOf('Office'))).status).toBe(404);
  });

  it('is not covered by a disabled rule or a disabled member', async () => {
    const rule = await addRule(world, site, [memberOf(at, 'Office')], forBob());
    const { db } = world.portal;
    expect((await connect(kate, idOf('Office'))).status).toBe(404);
    await db.update(ruleMembers).set({ enabled: false }).where(eq(ruleMembers.rule_id, rule.id));
    expect(await shown(kate)).toContain(idOf('Office'));
    expect((await connect(kate, idOf('Office'))).status).toBe(200);
    await db.update(ruleMembers).set({ enabled: true }).where(eq(ruleMembers.rule_id, rule.id));
    await db.update(rules).set({ enabled: false }).where(eq(rules.id, rule.id));
    expect(await shown(kate)).toContain(idOf('Office'));
    expect((await connect(kate, idOf('Office'))).status).toBe(200);
  });

  it('allows only the owner of a live session to reconnect', async () => {
    const { session_uuid } = (await connect(kate, idOf('Office'))).body;
    await addRule(world, site, [memberOf(at, 'Office')], forBob());
    const renew = (who: Member) => who.ask(`POST ${client()}/reconnect/`, { session_uuid });
    const renewed = await renew(kate);
    expect([renewed.status, renewed.body.session_uuid]).toEqual([200, session_uuid]);
    expect((await renew(bob)).status).toBe(404);
    expect((await connect(kate, idOf('Office'))).status).toBe(404);
  });

  it('is not covered by a rule of another site', async () => {
    const elsewhere = await siteWithFarms(world, [{ pools: [pool('Office')] }]);
    const other = elsewhere.farms[0] as FarmWithNode;
    await addRule(world, elsewhere.site, [memberOf(other, 'Office')], forBob());
    expect(await shown(kate)).toContain(idOf('Office'));
    await other.node.simulator.close();
  });
});
