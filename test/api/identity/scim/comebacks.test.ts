import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { users } from '../../../../db/schema/identity/users.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { addRole, unique, usersPath, useWorld } from '../../../support/factories.ts';
import {
  addScimGroup,
  addScimUser,
  filtered,
  patchOf,
  type ScimClient,
  startScim,
} from '../../../support/identity/scim.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let scim: ScimClient;
beforeAll(async () => {
  scim = await startScim(world);
});

const deactivate = ({ id }: Json) =>
  scim.ask(`PATCH /Users/${id}`, patchOf({ op: 'replace', path: 'active', value: false }));
const byAdministrator = ({ id }: Json, body: Json) =>
  world.admin(`PATCH ${usersPath(scim.domain)}/${id}`, body);
const person = () => ({ userName: unique('ada'), externalId: newId() });
const giveRole = async (user: Json) =>
  byAdministrator(user, { roles: [(await addRole(world.admin, ['sites.read'])).id] });

/** What a provider gets that sends the person again: the identifier and state of the user, or the reason of the refusal. */
async function sentAgain(given: Json): Promise<Json> {
  const { status, body } = await scim.ask('POST /Users', { active: true, ...given });
  return status === 201 ? { id: body.id, active: body.active } : { status, detail: body.detail };
}

describe('a person that a provider creates again', () => {
  it('comes back if provisioning had deactivated or deleted it, with new data', async () => {
    for (const end of [deactivate, ({ id }: Json) => scim.ask(`DELETE /Users/${id}`)]) {
      const given = person();
      const user = await addScimUser(scim, given);
      await end(user);
      const again = await sentAgain({ ...given, userName: `${given.userName}2` });
      expect(again).toEqual({ id: user.id, active: true });
      expect((await scim.ask(`GET /Users/${user.id}`)).body.userName).toBe(`${given.userName}2`);
    }
  });

  it('stays out if an administrator deactivated it, before or after provisioning did', async () => {
    const refused = { status: 409, detail: 'An administrator has deactivated the user' };
    const ways: ((user: Json) => Promise<unknown>)[][] = [
      [(user) => byAdministrator(user, { state: 'inactive' })],
      [(user) => byAdministrator(user, { state: 'inactive' }), ({ id }) => scim.ask(`DELETE /Users/${id}`)],
      [
        deactivate,
        (user) => byAdministrator(user, { state: 'active' }),
        (user) => byAdministrator(user, { state: 'inactive' }),
      ],
    ];
    for (const way of ways) {
      const given = person();
      const user = await addScimUser(scim, given);
      for (const step of way) await step(user);
      expect(await sentAgain(given)).toEqual(refused);
    }
  });

  it('stays out with roles, which provisioning does not give', async () => {
    const given = person();
    const user = await addScimUser(scim, given);
    await giveRole(user);
    await deactivate(user);
    expect(await sentAgain(given)).toEqual({
      status: 403,
      detail: 'An administrator must activate an account with roles',
    });
  });

  it('keeps who deactivated it through other changes of an administrator', async () => {
    const given = person();
    const user = await addScimUser(scim, given);
    await deactivate(user);
    await byAdministrator(user, { comments: 'on leave' });
    expect(await sentAgain(given)).toEqual({ id: user.id, active: true });
  });

  it('is refused as a duplicate while it is active', async () => {
    const given = person();
    await addScimUser(scim, given);
    expect((await sentAgain(given)).status).toBe(409);
  });
});

describe('a person with the name alone', () => {
  it('gets the identifier of the provider if the account was never used', async () => {
    const user = await addScimUser(scim, { userName: unique('old') });
    const externalId = newId();
    expect(await sentAgain({ userName: user.userName.toUpperCase(), externalId })).toEqual({
      id: user.id,
      active: true,
    });
    const [row] = await world.portal.db.select().from(users).where(eq(users.id, user.id));
    expect([row?.directory_id, row?.directory_authority]).toEqual([
      externalId,
      'https://login.example.com/staff',
    ]);
  });

  it.each<[string, (user: Json) => Promise<unknown>, string]>([
    ['with roles', giveRole, 'An administrator must bind an account that is in use'],
    [
      'that has signed in',
      ({ id }) => world.portal.db.update(users).set({ last_login_at: new Date() }).where(eq(users.id, id)),
      'An administrator must bind an account that is in use',
    ],
    [
      'that an administrator has deactivated',
      (user) => byAdministrator(user, { state: 'inactive' }),
      'An administrator has deactivated the user',
    ],
  ])('is never an account %s', async (_, change, detail) => {
    const user = await addScimUser(scim, { userName: unique('used') });
    await change(user);
    expect(await sentAgain({ userName: user.userName, externalId: newId() })).toEqual({
      status: 409,
      detail,
    });
  });

  it('is refused as a duplicate without an identifier', async () => {
    const user = await addScimUser(scim, { userName: unique('twice') });
    expect((await sentAgain({ userName: user.userName })).status).toBe(409);
  });
});

describe('what providers send', () => {
  it('has names of users and groups with 256 characters, and not more', async () => {
    const long = unique('n').padEnd(256, 'x');
    expect((await addScimUser(scim, { userName: long, displayName: 'd'.repeat(256) })).userName).toBe(long);
    expect((await addScimGroup(scim, [], { displayName: long })).displayName).toBe(long);
    expect((await scim.ask('POST /Users', { userName: `${long}y` })).status).toBe(400);
    expect((await scim.ask('POST /Groups', { displayName: `${long}y` })).status).toBe(400);
  });

  it('has names that are cut through a character for the portal: a deletion ends the account all the same', async () => {
    const familyName = `${'f'.repeat(252)}x`;
    const named = await addScimUser(scim, { name: { givenName: '😀', familyName: `${familyName}😀` } });
    expect(named.displayName).toBe(`😀 ${familyName}\ufffd`.slice(0, 256));
    const cut = await addScimUser(scim, { userName: `${unique('n').padEnd(94, 'x').slice(0, 94)}😀y` });
    expect((await scim.ask(`DELETE /Users/${cut.id}`)).status).toBe(204);
    expect((await scim.ask(`GET /Users/${cut.id}`)).status).toBe(404);
  });

  it('has addresses of any script; a person is not refused because of an unusable one', async () => {
    const emailOf = async (value: string) =>
      (await addScimUser(scim, { emails: [{ value, type: 'work' }] })).emails?.[0]?.value;
    expect(await emailOf('ada@bücher.example')).toBe('ada@bücher.example');
    expect(await emailOf('аня@почта.example')).toBe('аня@почта.example');
    expect(await emailOf('not an address')).toBeUndefined();
  });

  it('has members by names in any case', async () => {
    const [one, two] = [await addScimUser(scim), await addScimUser(scim)];
    const group = await addScimGroup(scim, []);
    const change = async (...operations: Json[]) => {
      expect((await scim.ask(`PATCH /Groups/${group.id}`, { operations })).status).toBe(204);
      return (await scim.ask(`GET /Groups/${group.id}`)).body.members.map(({ value }: Json) => value);
    };
    const added = [{ Value: one.id }, { VALUE: two.id.toUpperCase() }];
    expect(await change({ OP: 'Add', Path: 'Members', vAlue: added })).toHaveLength(2);
    // Without its value, the operation would remove all members.
    expect(await change({ Op: 'remove', path: 'members', Value: [{ value: one.id }] })).toEqual([two.id]);
    const found = await scim.ask('POST /Users/.search', { Filter: `id eq "${two.id}"`, COUNT: 5 });
    expect(found.body.totalResults).toBe(1);
  });

  it('has filters over attributes that are accepted and not stored, and moments outside of those of the database', async () => {
    for (const filter of [
      'title eq "Engineer"',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "R&D"',
      'phoneNumbers[type eq "work"]',
      'meta.created lt "0000-01-01T00:00:00Z"',
      'meta.created gt "9999-12-31T23:59:59-14:00"',
    ]) {
      const { status, body } = await scim.ask(filtered('/Users', filter));
      expect([filter, status, body.totalResults]).toEqual([filter, 200, 0]);
    }
    expect((await scim.ask(filtered('/Users', 'shoeSize eq "42"'))).status).toBe(400);
    expect((await scim.ask(filtered('/Users', 'userName eq "a\\u0000"'))).status).toBe(400);
  });
});
