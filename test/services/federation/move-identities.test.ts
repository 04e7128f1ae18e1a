import { eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '../../../db/schema/identity/users.ts';
import { permissions } from '../../../shared/context/permissions.ts';
import {
  addMember,
  addRole,
  addSite,
  audited,
  domainsPath,
  goodPassword,
  usersPath,
  useStand,
} from '../../support/factories.ts';
import {
  type Administrator,
  createSignInTest,
  signInAdministrator,
  testSignIn,
} from '../../support/federation/administrators.ts';
import { Browser } from '../../support/federation/browser.ts';
import { clientSecret } from '../../support/federation/openid-provider.ts';
import { type Federation, federate, staff, startFederationStand } from '../../support/federation/stand.ts';
import { addScimUser, startScim } from '../../support/identity/scim.ts';
import type { Answer, Json } from '../../support/portal.ts';

const noTest = [409, 'no_test'];
const unknown = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

describe('the people of a former issuer', () => {
  const stand = useStand(() => startFederationStand());
  let other: Federation;
  let admin: Administrator;
  let role: Json;

  beforeAll(async () => {
    other = await federate(stand.world);
    role = await addRole(stand.world.admin, ['sites.read']);
    admin = await signInAdministrator(stand.world, browser());
    await enter(stand, 'subject-1', 'anna');
    await enter(stand, 'Subject-Case', 'upper');
    await enter(stand, 'subject-case', 'lower');
    await stand.world.admin(`PATCH ${usersPath(stand.domain)}/${(await userNamed('anna')).id}`, {
      roles: [role.id],
    });
  });
  afterAll(() => other.provider.close());

  const browser = () => {
    const { deps, send } = stand.world.portal;
    return new Browser(
      { baseUrl: deps.baseUrl, send },
      () => `${stand.provider.caPem}\n${other.provider.caPem}`,
    );
  };

  /** The settings that lead to one of the two providers. */
  const leadingTo = ({ provider }: Pick<Federation, 'provider'>) => ({
    ...{ issuer: provider.issuer, ca_certificate: provider.caPem, client_secret: clientSecret },
  });
  const to = (at: Pick<Federation, 'provider'>) => stand.set(leadingTo(at));
  const enter = async (
    { provider }: Pick<Federation, 'provider'>,
    subject: string,
    name: string,
    at = stand.startOf(),
  ) => {
    provider.people.set(subject, { preferred_username: name, groups: [staff] });
    provider.atKeyboard = subject;
    return browser().follow(at);
  };
  const userNamed = async (name: string, domain = stand.domain): Promise<Json> =>
    (await stand.world.admin(`GET ${usersPath(domain)}?search=${name}`)).body.items.find(
      (user: Json) => user.name === name,
    );
  const authoritiesOf = async (ids: string[]) =>
    (await stand.world.portal.db.select().from(users).where(inArray(users.id, ids))).map(
      ({ directory_authority }) => directory_authority,
    );
  const counted = async () =>
    (await admin.ask(`GET ${domainsPath}/${stand.domain.id}/identities`)).body.items;
  /** A test sign-in in the domain, which leads to the other provider. */
  const tested = (subject: string, by = admin): Promise<Json> =>
    testSignIn(stand.world, by, { domain: stand.domain, provider: other.provider }, { subject });
  const move = (
    test_id: string,
    { by = admin, from = stand.provider.issuer, headers = {} }: Partial<MoveOptions> = {},
  ): Promise<Answer> =>
    by.ask(`POST ${domainsPath}/${stand.domain.id}/move_identities`, {
      body: { from, test_id },
      headers,
    });
  type MoveOptions = { by: Administrator; from: string; headers: Record<string, string> };
  const reasonOf = ({ status, body }: Answer) => [status, body.reason];

  it('are counted with their roles and sessions, before the issuer changes and after it', async () => {
    const people = { people: 3, with_roles: 1 };
    expect(await counted()).toEqual([
      { issuer: stand.provider.issuer, is_present: true, ...people, sessions: 3 },
    ]);
    await to(other);
    const items = await counted();
    expect(items).toHaveLength(2);
    expect(items).toEqual(
      expect.arrayContaining([
        { issuer: stand.provider.issuer, is_present: false, ...people, sessions: 0 },
        { issuer: other.provider.issuer, is_present: true, people: 0, with_roles: 0, sessions: 0 },
      ]),
    );
    const { ask } = await addMember(stand.world, ['authenticators.read']);
    expect(await ask(`GET ${domainsPath}/${stand.domain.id}/identities`)).toMatchObject({
      ...{ status: 403, body: { required_permission: 'users.read' } },
    });
    const { domain } = stand.world;
    expect((await admin.ask(`GET ${domainsPath}/${domain.id}/identities`)).status).toBe(404);
  });

  it('stay without a test sign-in of one of them, by this session, at the present issuer', async () => {
    expect(reasonOf(await move(unknown))).toEqual(noTest);
    const pending = await createSignInTest(admin, stand);
    expect(reasonOf(await move(pending.id))).toEqual([409, 'no_result']);
    for (const subject of ['stranger', 'SUBJECT-1'])
      expect(reasonOf(await move((await tested(subject)).id))).toEqual([409, 'unknown_person']);
    const test = await tested('subject-1');
    expect(test.result.person).toMatchObject({ subject: 'subject-1', issuer: other.provider.issuer });
    const second = await signInAdministrator(stand.world, browser());
    expect(reasonOf(await move(test.id, { by: second }))).toEqual(noTest);
    expect((await move(test.id, { from: other.provider.issuer })).status).toBe(422);
    expect(reasonOf(await move(test.id, { from: `${stand.provider.issuer}/` }))).toEqual([
      409,
      'unknown_person',
    ]);
    await stand.set({ required_claims: ['email=@corp.example'] });
    expect(reasonOf(await move((await tested('subject-1')).id))).toEqual([409, 'test_refused']);
    await stand.set({ required_claims: [] });
    const late = await tested('subject-1');
    stand.world.portal.advance(601);
    expect(reasonOf(await move(late.id))).toEqual(noTest);
    stand.world.portal.advance(-601);
    await stand.set({ issuer: `${other.provider.issuer}/new`, client_secret: clientSecret });
    expect(reasonOf(await move(late.id))).toEqual([409, 'other_issuer']);
    await to(other);
    expect((await counted()).find((count: Json) => !count.is_present).people).toBe(3);
  });

  it('are moved by administrators with every permission for all sites only', async () => {
    const { world } = stand;
    const site = await addSite(world.admin);
    const limited = await addRole(world.admin, ['sites.read'], { scope: { sites: [site.id] } });
    const most = permissions.filter((name) => name !== 'sites.read');
    const { user } = await addMember(world, most);
    const account = {
      ...{ authSmallName: world.domain.small_name, username: user.name, password: goodPassword },
    };
    const member = await signInAdministrator(world, browser(), account);
    const test = await tested('subject-1', member);
    const refused = { code: 'forbidden', missing: ['sites.read'] };
    expect((await move(test.id, { by: member })).body).toMatchObject(refused);
    await world.admin(`PATCH ${usersPath(world.domain)}/${user.id}`, {
      roles: [...user.roles, limited.id],
    });
    expect((await move(test.id, { by: member })).body).toMatchObject(refused);
  });

  it('stay if the issuer is for several tenants', async () => {
    const tenants = {
      ...{ issuer: 'https://login.microsoftonline.com/organizations/v2.0', ca_certificate: null },
      ...{ allowed_tenants: ['11111111-1111-4111-8111-111111111111'], client_secret: clientSecret },
    };
    await stand.set(tenants);
    expect(reasonOf(await move(unknown))).toEqual([409, 'several_tenants']);
    await stand.set({ ...leadingTo(other), allowed_tenants: [] });
    expect(reasonOf(await move(unknown, { from: tenants.issuer }))).toEqual([409, 'several_tenants']);
  });

  it('stay if one of their identifiers is in use at the present issuer, and replace users that are not', async () => {
    const { db } = stand.world.portal;
    expect((await enter(other, 'subject-case', 'the new one')).status).toBe(200);
    const taken = await tested('subject-1');
    expect((await move(taken.id)).body).toMatchObject({
      ...{ status: 409, reason: 'identifiers_in_use', count: 1 },
    });
    await db.delete(users).where(eq(users.id, (await userNamed('the new one')).id));
    const scim = await startScim(stand.world, stand.domain);
    const unused = await addScimUser(scim, { userName: 'provisioned', externalId: 'subject-case' });
    await stand.world.admin(`PATCH ${usersPath(stand.domain)}/${unused.id}`, { roles: [role.id] });
    expect((await move(taken.id)).body).toMatchObject({ reason: 'identifiers_in_use', count: 1 });
    await stand.world.admin(`PATCH ${usersPath(stand.domain)}/${unused.id}`, { roles: [] });
    const { body } = await move(taken.id, { headers: { 'x-dry-run': 'true' } });
    expect(body.would.body).toMatchObject({ moved: 3, removed: 1 });
    expect(body.would.events).toMatchObject([{ action: 'move_identities' }]);
    expect(await userNamed('provisioned')).toMatchObject({ id: unused.id });
  });

  it('are the same people at the present issuer after the move, each by the subject in its case', async () => {
    // A second domain with the former issuer has people of its own.
    await other.set(leadingTo(stand));
    await enter(stand, 'subject-1', 'anna', other.startOf());
    const [anna, upper, lower] = [
      await userNamed('anna'),
      await userNamed('upper'),
      await userNamed('lower'),
    ];
    const namesake = await userNamed('anna', other.domain);
    const test = await tested('subject-1');
    const { from, to: present } = { from: stand.provider.issuer, to: other.provider.issuer };
    const { result, events } = await audited(stand.world.portal, () => move(test.id));
    expect(result.body).toEqual({ from, to: present, moved: 3, removed: 1 });
    expect(events).toMatchObject([
      {
        ...{ action: 'move_identities', object_type: 'authenticator', object_id: stand.domain.id },
        details: { from, to: present, moved: 3, removed: 1 },
      },
    ]);
    expect(reasonOf(await move(test.id))).toEqual(noTest);
    const ids = [anna, upper, lower].map(({ id }) => id);
    expect(await authoritiesOf(ids)).toEqual([present, present, present]);
    expect(await authoritiesOf([namesake.id])).toEqual([from]);
    expect((await counted()).map(({ issuer, people }: Json) => [issuer, people])).toEqual([[present, 3]]);
    expect((await enter(other, 'subject-1', 'anna')).status).toBe(200);
    expect(await userNamed('anna')).toMatchObject({ id: anna.id, roles: [role.id] });
    expect((await enter(other, 'subject-case', 'lower case')).status).toBe(200);
    expect((await userNamed('lower case')).id).toBe(lower.id);
    expect((await userNamed('upper')).id).toBe(upper.id);
  });
});
