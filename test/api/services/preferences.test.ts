import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servicePreferences } from '../../../db/schema/routing/service-preferences.ts';
import { newId } from '../../../shared/kernel/ids.ts';
import {
  addMember,
  addSite,
  adminOf,
  audited,
  base,
  type Member,
  pool,
  usersPath,
  useWorld,
} from '../../support/factories.ts';
import { addRule, type FarmWithNode, memberOf, siteWithFarms, uuidOf } from '../../support/fleet/rules.ts';
import { addServiceToken, addServiceUser } from '../../support/identity/service-tokens.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
const admin = adminOf(world);
let member: Member;
let site: Json;
let at: FarmWithNode;
let elsewhere: Awaited<ReturnType<typeof siteWithFarms>>;
let rule: Json;
beforeAll(async () => {
  const made = await siteWithFarms(world, [{ pools: [pool('Office'), pool('Lab'), pool('Ruled')] }]);
  site = made.site;
  at = made.farms[0] as FarmWithNode;
  elsewhere = await siteWithFarms(world, [{ pools: [pool('Far')] }]);
  rule = await addRule(world, site, [memberOf(at, 'Ruled')], { display_name: 'Ruled desk' });
  member = await addMember(world, []);
});
afterAll(async () => {
  await Promise.all([at, ...(elsewhere?.farms ?? [])].map((farm) => farm?.node.simulator.close()));
});

const client = (uri: string = site.uri) => `/aggregator/api/client/v7.0/${uri}`;
const idOf = (name: string): string => `${at.farm.id}.${uuidOf(at, name)}`;
const prefer = (id: string, body: unknown, { ask }: Pick<Member, 'ask'> = member) =>
  ask(`PATCH ${client()}/services/${id}`, body);
const shown = async ({ ask }: Pick<Member, 'ask'> = member, query = ''): Promise<Json> => {
  const { body } = await ask(`GET ${client()}/servicesList/${query}`);
  return Object.fromEntries(
    body.services.map(({ id, favourite, last_used_at, launch }: Json) => [
      id,
      { favourite, last_used_at, launch },
    ]),
  );
};
const none = { favourite: false, last_used_at: null, launch: null };

describe('the preferences for a service', () => {
  it('are changed one by one, returned, listed and audited', async () => {
    const id = idOf('Office');
    expect((await shown())[id]).toEqual(none);
    const first = await audited(world.portal, () => prefer(id.toUpperCase(), { favourite: true }));
    expect([first.result.status, first.result.body]).toEqual([200, { id, ...none, favourite: true }]);
    expect(first.events).toMatchObject([
      {
        event: 'portal.EntityAction',
        action: 'update',
        object_type: 'service',
        object_id: id,
        user_id: member.user.id,
        details: { site: site.uri },
        changes: [{ field: 'favourite', before: false, after: true }],
      },
    ]);
    const second = await prefer(id, { launch: 'spice' });
    expect(second.body).toEqual({ id, favourite: true, last_used_at: null, launch: 'spice' });
    expect((await prefer(id, second.body)).body).toEqual(second.body);
    expect((await shown())[id]).toEqual({ favourite: true, last_used_at: null, launch: 'spice' });
    await prefer(id, { favourite: false });
    expect((await shown())[id]).toEqual({ ...none, launch: 'spice' });
    expect((await prefer(id, { favourite: null, launch: null })).body).toEqual({ id, ...none });
    expect((await shown())[id]).toEqual(none);
    const rows = await world.portal.db
      .select()
      .from(servicePreferences)
      .where(eq(servicePreferences.user_id, member.user.id));
    expect(rows).toEqual([]);
  });

  it('are those of a rule as well, with its name in the audit log', async () => {
    const { result, events } = await audited(world.portal, () => prefer(rule.id, { launch: 'link' }));
    expect([result.status, result.body.launch]).toEqual([200, 'link']);
    expect(events).toMatchObject([{ object_id: rule.id, object_name: 'Ruled desk' }]);
    expect((await shown())[rule.id]).toMatchObject({ launch: 'link' });
  });

  it('contain the last use, which a request cannot change', async () => {
    const id = idOf('Lab');
    expect((await member.ask(`GET ${client()}/connectionInfo/${id}`)).status).toBe(200);
    const used = (await shown())[id];
    expect(used).toEqual({ favourite: false, last_used_at: expect.stringMatching(/Z$/), launch: null });
    const { body } = await prefer(id, { favourite: true, last_used_at: '2020-01-01T00:00:00.000Z' });
    expect(body).toEqual({ id, ...used, favourite: true });
    expect((await prefer(id, { favourite: false })).body).toEqual({ id, ...used });
    expect((await shown())[id]).toEqual(used);
  });

  it('are audited without a change, and are then not stored', async () => {
    const { result, events } = await audited(world.portal, () => prefer(idOf('Office'), {}));
    expect([result.status, result.body]).toEqual([200, { id: idOf('Office'), ...none }]);
    expect(events).toMatchObject([{ object_id: idOf('Office'), changes: [] }]);
  });

  it.each([
    [{ favourite: 'yes' }, '/favourite'],
    [{ launch: 'vnc' }, '/launch'],
    [{ colour: 'red' }, '/colour'],
  ])('are not changed by %j', async (body, pointer) => {
    const answer = await prefer(idOf('Office'), body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, pointer]);
  });

  it('are for services of the site only, whether or not its farm responds', async () => {
    const far = elsewhere.farms[0] as FarmWithNode;
    const foreign = await addRule(world, elsewhere.site, [memberOf(far, 'Far')]);
    const others = await addMember(world, []);
    const hidden = await addRule(world, site, [memberOf(at, 'Ruled')], { users: [others.user.id] });
    const disabled = await addRule(world, site, [memberOf(at, 'Ruled')], { enabled: false });
    const wrong = [
      ...[newId(), foreign.id, hidden.id, disabled.id, 'office', `${at.farm.id}.`, `${at.farm.id}.x`],
      ...[`${far.farm.id}.${uuidOf(far, 'Far')}`, `${newId()}.${newId()}`, `${idOf('Office')}.${newId()}`],
    ];
    const { result, events } = await audited(world.portal, () =>
      Promise.all(wrong.map(async (id) => [id, (await prefer(id, { favourite: true })).status])),
    );
    expect(result).toEqual(wrong.map((id) => [id, 404]));
    expect(events).toEqual([]);
    expect((await prefer(hidden.id, { favourite: true }, others)).status).toBe(200);
    at.node.simulator.knobs.failing = 500;
    const unknown = `${at.farm.id}.${newId()}`;
    expect((await prefer(unknown, { favourite: true })).body).toMatchObject({ id: unknown, favourite: true });
    at.node.simulator.knobs.failing = null;
    expect((await prefer(unknown, { favourite: false })).status).toBe(200);
  });

  it('need a site that the caller may use', async () => {
    const closed = await addSite(admin);
    const farm = `${at.farm.id}.${newId()}`;
    const answer = await member.ask(`PATCH ${client(closed.uri)}/services/${farm}`, { favourite: true });
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });

  it('are those of the caller, also in an explanation for another user', async () => {
    const other = await addMember(world, []);
    await prefer(idOf('Office'), { favourite: true, launch: 'rdp' });
    expect((await shown(other))[idOf('Office')]).toEqual(none);
    const staff = await addMember(world, ['rules.explain']);
    // The explanation uses the cached list of the user.
    await shown();
    await world.portal.settled();
    const explained = await shown(staff, `?explain=true&user_id=${member.user.id}`);
    expect(explained[idOf('Office')]).toEqual(none);
    await prefer(idOf('Office'), { favourite: true }, staff);
    expect((await shown(staff, '?explain=true'))[idOf('Office')]).toMatchObject({ favourite: true });
    await prefer(idOf('Office'), { favourite: false, launch: null });
  });

  it('are available with a service token, like other settings of the account', async () => {
    const { user } = await addServiceUser(world, []);
    const { ask } = await addServiceToken(world, user, { permissions: [] });
    expect((await prefer(idOf('Office'), { favourite: true }, { ask })).status).toBe(200);
  });

  it('are limited to 500 favourites', async () => {
    const other = await addMember(world, []);
    const row = { user_id: other.user.id, site_id: site.id, favourite: true };
    const ids = Array.from({ length: 500 }, () => `${at.farm.id}.${newId()}`);
    await world.portal.db
      .insert(servicePreferences)
      .values(ids.map((service_id) => ({ ...row, service_id })));
    const { result, events } = await audited(world.portal, () =>
      prefer(idOf('Office'), { favourite: true }, other),
    );
    expect([result.status, result.body.code, result.body.reason, events]).toEqual([
      409,
      'invalid_state',
      'too_many_favourites',
      [],
    ]);
    expect((await prefer(idOf('Office'), { launch: 'rdp' }, other)).status).toBe(409);
    expect((await prefer(String(ids[0]), { launch: 'rdp' }, other)).status).toBe(200);
    expect((await prefer(String(ids[0]), { favourite: false, launch: null }, other)).status).toBe(200);
    expect((await prefer(idOf('Office'), { favourite: true }, other)).status).toBe(200);
  });

  it('are deleted with the user and with the site', async () => {
    const other = await addMember(world, []);
    const mine = () =>
      world.portal.db.select().from(servicePreferences).where(eq(servicePreferences.user_id, other.user.id));
    const gone = await siteWithFarms(world, [{ pools: [pool('Gone')] }]);
    const farm = gone.farms[0] as FarmWithNode;
    const path = `PATCH ${client(gone.site.uri)}/services/${farm.farm.id}.${uuidOf(farm, 'Gone')}`;
    expect((await other.ask(path, { favourite: true })).status).toBe(200);
    await prefer(idOf('Office'), { favourite: true }, other);
    expect(await mine()).toHaveLength(2);
    await farm.node.simulator.close();
    await admin(`DELETE ${base}/dispatchers/${farm.node.dispatcher.id}`);
    await admin(`DELETE ${base}/farms/${farm.farm.id}`);
    expect((await admin(`DELETE ${base}/sites/${gone.site.id}`)).status).toBe(204);
    expect(await mine()).toMatchObject([{ site_id: site.id }]);
    expect((await admin(`DELETE ${usersPath(world.domain)}/${other.user.id}`)).status).toBe(204);
    expect(await mine()).toEqual([]);
  });
});
