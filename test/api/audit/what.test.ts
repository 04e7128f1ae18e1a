import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addMember,
  addRole,
  audited,
  base,
  type Member,
  pool,
  unique,
  useWorld,
} from '../../support/factories.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import { sync } from '../../support/fleet/snapshot.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
let site: Json;
let at: FarmWithNode;

beforeEach(async () => {
  member = await addMember(world, []);
  const made = await siteWithFarms(world, [{ pools: [pool('Office')] }]);
  site = made.site;
  at = made.farms[0] as FarmWithNode;
});
afterEach(() => at.node.simulator.close());

const connect = (id: string) =>
  audited(world.portal, () => member.ask(`GET /aggregator/api/client/v7.0/${site.uri}/connectionInfo/${id}`));
const logIn = (body: Json) =>
  audited(world.portal, () =>
    world.portal.send('POST /api/auth/v7.0/login', { body: { password: 'wrong lanterns drift', ...body } }),
  );

describe('the object of an audit event', () => {
  it('of a connection has its service, its pool and its session', async () => {
    const office = uuidOf(at, 'Office');
    await sync(world.portal, at.farm, 'servicespools');
    const details = { servicepool_uuid: office, servicepool_name: 'Office', farm: at.farm.name };
    const ofPool = await connect(`${at.farm.id}.${office}`);
    expect(ofPool.result.status).toBe(200);
    expect(ofPool.events).toMatchObject([
      {
        event: 'aggregator.ConnectionIssued',
        object_type: 'service',
        object_id: `${at.farm.id}.${office}`,
        object_name: 'Office',
        details: { ...details, session_uuid: ofPool.result.body.session_uuid },
      },
    ]);
    expect(ofPool.result.body.session_uuid).toEqual(expect.any(String));
    const rule = await addRule(world, site, [memberOf(at, 'Office')], { display_name: 'Desks' });
    const ofRule = await connect(rule.id);
    expect(ofRule.events).toMatchObject([
      { object_id: rule.id, object_name: 'Desks', details: { ...details, session_uuid: expect.any(String) } },
    ]);
  });

  it('of a failed login is the domain of the attempt, also one that does not exist', async () => {
    const authSmallName = unique('nowhere');
    const nowhere = await logIn({ username: 'ada', authSmallName });
    expect(nowhere.result.status).toBe(401);
    expect(nowhere.events).toMatchObject([
      { event: 'portal.LoginFailed', domain: null, details: { domain_tried: { authSmallName } } },
    ]);
    const { small_name: label, name: auth } = world.domain;
    const known = await logIn({ username: member.user.name, auth: auth.toUpperCase() });
    expect(known.events).toMatchObject([
      { event: 'portal.LoginFailed', domain: label, details: { domain_tried: { auth: auth.toUpperCase() } } },
    ]);
    const forged = await logIn({ username: 'ada', auth: `x\n${'y'.repeat(100)}` });
    const [event] = forged.events;
    expect(event?.details).toMatchObject({ domain_tried: { auth: `x\\u000a${'y'.repeat(100)}` } });
  });

  it('of a refused request is the requested object', async () => {
    const role = await addRole(world.admin, ['sites.read']);
    const refused = async (route: string, body: Json) => {
      const { result, events } = await audited(world.portal, () => member.ask(route, body));
      expect(result.status).toBe(403);
      return events;
    };
    member = await addMember(world, ['farms.read']);
    expect(await refused(`PATCH ${base}/rbac/${role.id}`, { comments: 'x' })).toMatchObject([
      { event: 'portal.AccessRefused', object_type: 'role', object_id: role.id },
    ]);
    const workplace = at.node.simulator.state.poolNamed('Office').members[0]?.uuid;
    const path = `workplaces/${at.farm.id}/refresh/${uuidOf(at, 'Office')}/${workplace}`;
    expect(await refused(`PATCH ${base}/${path}`, {})).toMatchObject([
      {
        object_type: 'workplace',
        object_id: workplace,
        details: { required_permission: 'workplaces.refresh' },
      },
    ]);
    expect(await refused(`POST ${base}/sites`, { name: 'x' })).toMatchObject([{ object_id: null }]);
  });
});
