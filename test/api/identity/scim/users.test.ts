import { and, eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import { userRoles } from '../../../../db/schema/identity/roles.ts';
import { serviceTokens } from '../../../../db/schema/identity/service-tokens.ts';
import { users } from '../../../../db/schema/identity/users.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { addRole, audited, unique, usersPath, useWorld } from '../../../support/factories.ts';
import {
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

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const add = (given: Json = {}) => addScimUser(scim, given);
const patch = (user: Json, ...operations: Json[]) =>
  scim.ask(`PATCH /Users/${user.id}`, patchOf(...operations));

describe('a provisioned user', () => {
  it('is created, read, found and deleted', async () => {
    const [userName, externalId] = [unique('Ada'), newId()];
    const created = await scim.ask('POST /Users', {
      schemas: [userSchema],
      externalId,
      userName,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
      active: true,
      roles: [{ value: 'administrator' }],
      password: 'ignored',
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      schemas: [userSchema],
      externalId,
      userName,
      displayName: 'Ada Lovelace',
      name: { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
      active: true,
      meta: { resourceType: 'User', version: 'W/"1"' },
    });
    expect(created.body).not.toHaveProperty('roles');
    expect(created.body).not.toHaveProperty('password');
    expect(created.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(created.headers.get('location')).toBe(created.body.meta.location);
    expect(created.headers.get('etag')).toBe('W/"1"');
    const { id } = created.body;
    const [row] = await world.portal.db.select().from(users).where(eq(users.id, id));
    expect(row).toMatchObject({ directory_id: externalId, password_hash: null, kind: 'person' });
    expect((await scim.ask(`GET /Users/${id}`)).body).toEqual(created.body);
    const found = await scim.ask(filtered('/Users', `userName eq "${userName.toUpperCase()}"`));
    expect(found.body).toMatchObject({ totalResults: 1, itemsPerPage: 1, startIndex: 1 });
    expect(found.body.Resources).toEqual([created.body]);
    expect((await scim.ask(`DELETE /Users/${id}`)).status).toBe(204);
    for (const route of [`GET /Users/${id}`, `DELETE /Users/${id}`]) {
      const gone = await scim.ask(route);
      expect(gone.status).toBe(404);
      expect(gone.body).toMatchObject({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '404',
      });
    }
  });

  it('is matched by its identifier, which never changes, and not by its name', async () => {
    const [user, other] = [await add({ externalId: newId() }), await add()];
    for (const sent of [
      { userName: user.userName },
      { userName: unique('x'), externalId: user.externalId },
    ]) {
      const taken = await scim.ask('POST /Users', sent);
      expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness']);
    }
    const moved = await patch(user, { op: 'replace', path: 'externalId', value: newId() });
    expect([moved.status, moved.body.scimType]).toEqual([400, 'mutability']);
    expect((await scim.ask(`PUT /Users/${user.id}`, { userName: user.userName })).body.externalId).toBe(
      user.externalId,
    );
    // A user without an identifier gets it once.
    const bound = await patch(other, { op: 'add', value: { externalId: 'subject-1' } });
    expect(bound.body.externalId).toBe('subject-1');
    expect((await scim.ask(filtered('/Users', 'externalId eq "subject-1"'))).body.totalResults).toBe(1);
    expect((await scim.ask(filtered('/Users', 'externalId eq "Subject-1"'))).body.totalResults).toBe(0);
  });

  it('is restored with its identifier after a deletion, and its name is free meanwhile', async () => {
    const user = await add({ externalId: newId() });
    await scim.ask(`DELETE /Users/${user.id}`);
    const namesake = await add({ userName: user.userName });
    expect(namesake.id).not.toBe(user.id);
    const restored = await add({ userName: unique('again'), externalId: user.externalId });
    expect([restored.id, restored.active]).toEqual([user.id, true]);
  });

  it('loses sessions, page tokens and service tokens with its activity, in one write that is announced', async () => {
    for (const route of ['PATCH', 'DELETE']) {
      const user = await add();
      const { db } = world.portal;
      const at = new Date();
      await db.insert(loginSessions).values({
        ...{ id: newId(), token_hash: newId(), user_id: user.id, portal: 'user', source_ip: '::1' },
        ...{ created_at: at, last_seen_at: at },
      });
      const name = unique('token');
      await db.insert(serviceTokens).values({
        ...{ id: newId(), user_id: user.id, name, name_key: name, token_hash: newId(), created_at: at },
        ...{ expires_at: new Date(Date.now() + 1e6), own: true },
      });
      const { events } = await audited(world.portal, async () => {
        const body =
          route === 'PATCH' ? patchOf({ op: 'Replace', path: 'active', value: 'False' }) : undefined;
        expect((await scim.ask(`${route} /Users/${user.id}`, body)).status).toBe(
          route === 'PATCH' ? 200 : 204,
        );
      });
      expect(events[0]?.changes).toContainEqual({ field: 'state', before: 'active', after: 'inactive' });
      for (const table of [loginSessions, serviceTokens])
        expect(await db.select().from(table).where(eq(table.user_id, user.id))).toEqual([]);
    }
  });

  it('with roles can be deactivated, and only an administrator activates it', async () => {
    const user = await add({ externalId: newId() });
    const role = await addRole(world.admin, ['sites.read']);
    await world.portal.db.insert(userRoles).values({ user_id: user.id, role_id: role.id });
    expect((await patch(user, { op: 'replace', value: { active: false } })).body.active).toBe(false);
    const refused = await patch(user, { op: 'replace', value: { active: true } });
    expect([refused.status, refused.body.status]).toEqual([403, '403']);
    await scim.ask(`DELETE /Users/${user.id}`);
    const restored = await scim.ask('POST /Users', { userName: unique('x'), externalId: user.externalId });
    expect(restored.status).toBe(403);
    const [row] = await world.portal.db.select().from(users).where(eq(users.id, user.id));
    expect(row?.state).toBe('inactive');
  });

  it('that has roles or has been used is not bound to an identifier', async () => {
    const [held, used] = [await add(), await add()];
    const role = await addRole(world.admin, ['sites.read']);
    await world.portal.db.insert(userRoles).values({ user_id: held.id, role_id: role.id });
    await world.portal.db.update(users).set({ last_login_at: new Date() }).where(eq(users.id, used.id));
    for (const user of [held, used]) {
      const refused = await patch(user, { op: 'add', path: 'externalId', value: newId() });
      expect(refused.status).toBe(403);
    }
  });

  it('with roles keeps its names and address until it has an identifier, and follows the provider after that', async () => {
    const [loose, bound] = [await add({ displayName: 'Ada' }), await add({ externalId: newId() })];
    const role = await addRole(world.admin, ['sites.read']);
    const held = [loose, bound].map(({ id }) => ({ user_id: id, role_id: role.id }));
    await world.portal.db.insert(userRoles).values(held);
    const changes = {
      userName: unique('renamed'),
      displayName: 'Another',
      'name.givenName': 'Another',
      emails: [{ value: 'other@example.com', primary: true }],
    };
    for (const [path, value] of Object.entries(changes)) {
      const refused = await patch(loose, { op: 'replace', path, value });
      expect([path, refused.status]).toEqual([path, 403]);
      expect([path, (await patch(bound, { op: 'replace', path, value })).status]).toEqual([path, 200]);
    }
    expect((await patch(loose, { op: 'replace', path: 'active', value: false })).body.active).toBe(false);
  });

  it('is changed only at the expected version', async () => {
    const user = await add();
    const send = (version: string) =>
      scim.ask(
        `PUT /Users/${user.id}`,
        { userName: user.userName, displayName: newId() },
        { 'if-match': version },
      );
    expect((await send('W/"7"')).status).toBe(412);
    const changed = await send('W/"1"');
    expect([changed.status, changed.body.meta.version]).toEqual([200, 'W/"2"']);
    expect((await send('"2"')).status).toBe(200);
    const known = await scim.ask(`GET /Users/${user.id}`, undefined, { 'if-none-match': 'W/"3"' });
    expect(known.status).toBe(304);
  });

  it('shows the attributes that are requested', async () => {
    const user = await add({ name: { givenName: 'Ada', familyName: 'King' } });
    const read = async (query: string) => (await scim.ask(`GET /Users/${user.id}?${query}`)).body;
    expect(await read('attributes=userName,NAME.familyname')).toEqual({
      ...{ schemas: user.schemas, id: user.id, userName: user.userName, name: { familyName: 'King' } },
    });
    expect(await read(`attributes=${userSchema}:userName`)).toHaveProperty('userName');
    const without = await read('excludedAttributes=name.givenName,displayName,id');
    expect(without).toMatchObject({ id: user.id, name: { familyName: 'King' } });
    expect(without).not.toHaveProperty('displayName');
    expect(without.name).not.toHaveProperty('givenName');
    const both = await scim.ask(`GET /Users/${user.id}?attributes=name&excludedAttributes=id`);
    expect([both.status, both.body.scimType]).toEqual([400, 'invalidValue']);
  });

  it.each([
    [{}, 'invalidValue'],
    [{ userName: '' }, 'invalidValue'],
    [{ userName: 'aggregator' }, 'invalidValue'],
    [{ userName: 'a', active: 'perhaps' }, 'invalidValue'],
    [{ userName: 'a', name: 'text' }, 'invalidValue'],
    ['{', 'invalidSyntax'],
  ])('is refused as %j', async (sent, scimType) => {
    const refused = await scim.ask('POST /Users', sent);
    expect([refused.status, refused.body.scimType]).toEqual([400, scimType]);
    expect(refused.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  });

  it('appears for administrators with a name, and a service user does not appear for the provider', async () => {
    const user = await add({ displayName: 'Shown' });
    const read = await world.admin(`GET ${usersPath(scim.domain)}/${user.id}`);
    expect(read.body).toMatchObject({ name: user.userName, real_name: 'Shown', state: 'active' });
    const services = await world.portal.db
      .select({ name: users.name })
      .from(users)
      .where(and(eq(users.authenticator_id, scim.domain.id), eq(users.kind, 'service')));
    const found = await scim.ask(filtered('/Users', `userName eq "${services[0]?.name}"`));
    expect(found.body.totalResults).toBe(0);
  });
});

describe('a change of a user', () => {
  const work = [{ value: 'a@example.com', type: 'work', primary: true }];

  it.each<[string, Json[], Json]>([
    ['a path', [{ op: 'Replace', path: 'displayName', value: 'B' }], { displayName: 'B' }],
    [
      'no path',
      [{ op: 'add', value: { displayName: 'B', active: 'false' } }],
      { displayName: 'B', active: false },
    ],
    [
      'paths as names',
      [{ op: 'replace', value: { 'name.givenName': 'X', 'emails[type eq "work"].value': 'b@example.com' } }],
      { name: { givenName: 'X' }, emails: [{ value: 'b@example.com' }] },
    ],
    [
      'a member of a value',
      [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'b@example.com' }],
      { emails: [{ value: 'b@example.com', type: 'work' }] },
    ],
    [
      'a new primary value',
      [{ op: 'add', path: 'emails', value: [{ value: 'c@example.com', primary: true }] }],
      { emails: [{ value: 'c@example.com' }] },
    ],
    [
      'a name with its schema',
      [{ op: 'replace', path: `${userSchema}:displayName`, value: 'B' }],
      { displayName: 'B' },
    ],
    [
      'a part of the name',
      [{ op: 'Add', path: 'name.familyName', value: 'New' }],
      { name: { familyName: 'New', formatted: 'Ada New' } },
    ],
    [
      'an attribute of another schema',
      [
        {
          op: 'Add',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'Sales',
        },
        {
          op: 'Add',
          value: { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales' } },
        },
        { op: 'Replace', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      ],
      { displayName: 'Ada Old', meta: { version: 'W/"1"' } },
    ],
    [
      'a password',
      [{ op: 'replace', value: { password: 'x', roles: ['administrator'], id: 'x' } }],
      { meta: { version: 'W/"1"' } },
    ],
  ])('by %s is accepted', async (_, operations, expected) => {
    const user = await add({ name: { givenName: 'Ada', familyName: 'Old' }, emails: work });
    const changed = await patch(user, ...operations);
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect(changed.body).toMatchObject({ ...expected, emails: expected.emails ?? work });
  });

  it('removes values', async () => {
    const user = await add({ displayName: 'A', emails: work });
    expect((await patch(user, { op: 'remove', path: 'emails[type eq "work"]' })).body).not.toHaveProperty(
      'emails',
    );
    expect(
      (await patch(user, { op: 'Replace', path: 'emails[type eq "work"].value', value: 'n@example.com' }))
        .body.emails,
    ).toEqual([{ value: 'n@example.com', type: 'work', primary: true }]);
    expect((await patch(user, { op: 'remove', path: 'emails' })).body).not.toHaveProperty('emails');
    // Both names are those of one field.
    const nameless = await patch(user, { op: 'remove', path: 'displayName' }, { op: 'remove', path: 'name' });
    expect(nameless.body).not.toHaveProperty('displayName');
  });

  it.each([
    [{ op: 'replace', path: 'emails[', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'replace', path: 'emails[value co "x"].value', value: 'x' }, 'noTarget'],
    [{ op: 'move', path: 'displayName', value: 'x' }, 'invalidSyntax'],
    [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    [{ op: 'remove', path: 'userName' }, 'invalidValue'],
    [{ op: 'add', value: 'text' }, 'invalidValue'],
  ])('%j is refused', async (operation, scimType) => {
    const refused = await patch(await add(), operation);
    expect([refused.status, refused.body.scimType]).toEqual([400, scimType]);
  });
});
