import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, addSite, base, type Member, pool, useWorld } from '../../support/factories.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms } from '../../support/fleet/rules.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let site: Json;
let farms: FarmWithNode[];
let [a, b, c]: FarmWithNode[] = [];
let rule: Json;
let user: Member;
let explainer: Member;

beforeAll(async () => {
  const made = await siteWithFarms(world, [
    { pools: [pool('Office')] },
    { pools: [pool('Office')] },
    { pools: [pool('Office', { entitled: { users: [], groups: ['nobody'] } })] },
  ]);
  ({ site, farms } = made);
  [a, b, c] = farms;
  const members = farms.map((at, n) => memberOf(at, 'Office', { priority: n }));
  rule = await addRule(world, site, members);
  await world.admin(`PATCH ${base}/farms/${a?.farm.id}`, { maintenance: true });
  user = await addMember(world, []);
  explainer = await addMember(world, ['rules.explain']);
});
afterAll(async () => {
  await Promise.all(farms.map(({ node }) => node.simulator.close()));
});

const path = (what: string) => `GET /aggregator/api/client/v7.0/${site.uri}/${what}`;
const list = (who: Member, query = '') => who.ask(path(`servicesList/${query}`));
const check = (who: Member, id: string, query = '') => who.ask(path(`preconnectionInfo/${id}${query}`));
const reasonsOf = ({ explain }: Json) =>
  explain.map(({ farm_id, step, outcome, reason }: Json) => [farm_id, step, outcome, reason]);
const calls = () => farms.reduce((sum, { node }) => sum + node.simulator.calls.length, 0);

describe('the explanation of a list of services', () => {
  it('has the reason for the result of every member of every rule', async () => {
    const { status, body } = await list(explainer, '?explain=true');
    expect(status).toBe(200);
    expect(reasonsOf(body)).toEqual([
      [b?.farm.id, 'policy', 'chosen', 'priority'],
      ...[
        [a?.farm.id, 'farm', 'excluded', 'farm_maintenance'],
        [c?.farm.id, 'entitlement', 'excluded', 'not_entitled'],
      ].sort(([left = ''], [right = '']) => (left < right ? -1 : 1)),
    ]);
    expect(body.explain.every(({ rule_id }: Json) => rule_id === rule.id)).toBe(true);
    await world.portal.settled();
    const checked = await check(explainer, rule.id, '?explain=true');
    expect(checked.body).toMatchObject({ verdict: 'connect', farm_id: b?.farm.id });
    expect(reasonsOf(checked.body)[0]).toEqual([b?.farm.id, 'policy', 'chosen', 'priority']);
  });

  it('is returned only on request', async () => {
    expect((await list(explainer)).body.explain).toBeUndefined();
    expect((await check(explainer, rule.id, '?explain=false')).body.explain).toBeUndefined();
  });

  it('needs its own permission for a site within the scope', async () => {
    const elsewhere = await addSite(world.admin);
    const narrow = await addMember(world, ['rules.explain'], [elsewhere.id]);
    const fitting = await addMember(world, ['rules.explain'], [site.id]);
    for (const who of [user, narrow]) {
      for (const answer of [await list(who, '?explain=true'), await check(who, rule.id, '?explain=true')])
        expect([answer.status, answer.body.required_permission]).toEqual([403, 'rules.explain']);
    }
    expect((await list(fitting, '?explain=true')).status).toBe(200);
    expect((await list(narrow, `?explain=true&user_id=${user.user.id}`)).status).toBe(404);
    expect((await list(user, `?explain=true&user_id=${explainer.user.id}`)).status).toBe(403);
    expect((await list(user, `?user_id=${explainer.user.id}`)).status).toBe(422);
    expect((await list(explainer, `?explain=true&user_id=${crypto.randomUUID()}`)).status).toBe(404);
  });

  it('for another user comes from stored data: no dispatcher is called in the name of that user', async () => {
    const other = await addMember(world, []);
    const forOther = `?explain=true&user_id=${other.user.id}`;
    await list(explainer);
    await world.portal.settled();
    const before = calls();
    const unknown = await list(explainer, forOther);
    expect([unknown.status, unknown.body.services]).toEqual([200, []]);
    expect(reasonsOf(unknown.body).map(([farm, , outcome]: string[]) => [farm, outcome])).toEqual([
      [b?.farm.id, 'chosen'],
      [c?.farm.id, 'candidate'],
      [a?.farm.id, 'excluded'],
    ]);
    expect((await check(explainer, rule.id, forOther)).body).toMatchObject({
      verdict: 'wait',
      reason_code: 'not_asked',
      farm_id: b?.farm.id,
    });
    expect(calls()).toBe(before);
    await list(other);
    await world.portal.settled();
    const asked = calls();
    const known = await list(explainer, forOther);
    expect(known.body.services).toMatchObject([{ id: rule.id, members: 1 }]);
    expect((await check(explainer, rule.id, forOther)).body).toMatchObject({
      verdict: 'connect',
      ready: true,
      reason_code: 'not_asked',
    });
    expect(calls()).toBe(asked);
  });

  it('has the reason for an empty list, and is part of a refusal', async () => {
    const denied = await addRule(world, site, [], { users: [explainer.user.id] });
    const closed = await addRule(world, site, [memberOf(farms[0] as FarmWithNode, 'Office')], {
      users: [explainer.user.id],
    });
    const forUser = `?explain=true&user_id=${user.user.id}`;
    const refused = await check(explainer, closed.id, forUser);
    expect([refused.status, reasonsOf(refused.body)]).toEqual([
      404,
      [[a?.farm.id, 'rule', 'excluded', 'rule_not_for_user']],
    ]);
    expect((await check(explainer, denied.id, forUser)).body.explain).toEqual([]);
    expect((await check(user, closed.id)).body.explain).toBeUndefined();
    const site_id = (await addSite(world.admin)).uri;
    expect(
      (await explainer.ask(`GET /aggregator/api/client/v7.0/${site_id}/servicesList/${forUser}`)).status,
    ).toBe(404);
  });
});
