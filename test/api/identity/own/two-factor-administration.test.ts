import { eq, sql } from 'drizzle-orm';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../../../db/client.ts';
import { addDirectoryUser } from '../../../../db/repositories/identity/directory/users.ts';
import { findSecondFactor } from '../../../../db/repositories/identity/second-factors.ts';
import { authenticators } from '../../../../db/schema/identity/authenticators.ts';
import { users } from '../../../../db/schema/identity/users.ts';
import { giveChallenge } from '../../../../shared/identity/second-factor/challenges.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import {
  addDirectory,
  addGroup,
  addMember,
  addRole,
  addUser,
  adminOf,
  asker,
  audited,
  domainsPath,
  goodPassword,
  groupsPath,
  logIn,
  unique,
  usersPath,
  useWorld,
} from '../../../support/factories.ts';
import {
  addEnrolled,
  addTwoFactorDomain,
  type Enrolled,
  holdClock,
  logIn2fa,
  said,
} from '../../../support/identity/second-factor.ts';
import { codeOf } from '../../../support/identity/totp-device.ts';
import type { Json } from '../../../support/portal.ts';

const world = useWorld();
let domain: Json;
let clock: ReturnType<typeof holdClock>;
const admin = adminOf(world);
const ask2fa = (user: Json, given?: object) => logIn2fa(world.portal, domain, user, given);
const userPath = (user: Json) => `${usersPath(domain)}/${user.id}`;

beforeAll(async () => {
  clock = holdClock(world.portal);
  domain = await addTwoFactorDomain(admin);
});

describe('a domain with a mandatory second factor', () => {
  it('may be of any type, and is marked in the login list', async () => {
    const directory = await addDirectory(admin, {}, { two_factor: true });
    expect(directory.two_factor).toBe(true);
    const { body: listed } = await world.portal.send('GET /api/auth/v7.0/authenticators');
    const asks = new Map(listed.map((one: Json) => [one.authUuid, one.isTwoFactor]));
    expect([domain.id, directory.id, world.domain.id].map((id) => asks.get(id))).toEqual([true, true, false]);
    const types = (await admin(`GET ${domainsPath}/types`)).body;
    expect(types.map((one: Json) => one.two_factor_supported)).toEqual([true, true, true, true, true]);
    const form = (await admin(`GET ${domainsPath}/gui/ldap`)).body;
    expect(form.find(({ name }: Json) => name === 'two_factor').gui.readonly).toBe(false);
    const { two_factor } = (await admin('GET /api/auth/v7.0/settings')).body;
    expect(two_factor).toEqual({ methods: ['totp', 'passkey'] });
  });

  it('accepts passwords of 8 characters and no shorter ones; other domains need 15', async () => {
    const eight = 'qz7 wkp3';
    const attempt = async (of: Json, password: string, name: string) =>
      (await admin(`POST ${usersPath(of)}`, { name, password })).status;
    expect(await attempt(domain, eight, 'eight')).toBe(201);
    expect(await attempt(domain, eight.slice(1), 'seven')).toBe(422);
    expect(await attempt(world.domain, eight, 'eight')).toBe(422);
    const { user, token } = await addEnrolled(world, domain, clock.now());
    const change = { current: goodPassword, new: eight };
    expect((await asker(world.portal, token)('PUT /api/userinfo/password', change)).status).toBe(204);
    expect((await ask2fa(user, { password: eight })).body.result).toBe('challenge');
  });
});

describe('a user known only to the directory', () => {
  it('is created once by their first challenge, and an existing user is not changed by it', async () => {
    const { id } = await addDirectory(admin, {}, { two_factor: true });
    const { db, deps } = world.portal;
    const [asked] = await db.select().from(authenticators).where(eq(authenticators.id, id));
    const [like] = await db.select().from(users).limit(1);
    if (!asked || !like) throw new Error('no rows');
    const name = unique('person');
    const user = { ...like, id: newId(), authenticator_id: id, name, name_key: name, password_hash: null };
    const account = { domain: asked, user, roles: [] };
    const found = await findSecondFactor(db, user.id, {}, clock.now());
    expect(found).toMatchObject({ factor: null, challenge: null, skips: false });
    const attempt = { key: { account: `${id}/${name}`, network: '127.0.0.1' } };
    const ctx = { deps, now: clock.now() };
    for (const email of ['first@example.com', 'second@example.com']) {
      const added = { ...user, email };
      const proof = {
        account: { ...account, user: added },
        settle: (h: Db) => [addDirectoryUser(h, added)],
        statements: () => [],
      };
      const given = await giveChallenge(ctx, attempt, proof, found);
      expect(given.enrolment?.otpauth_uri).toContain(name);
    }
    const { items } = (await admin(`GET ${usersPath({ id })}`)).body;
    expect(items).toMatchObject([
      { id: user.id, name, email: 'first@example.com', two_factor_enrolled: false },
    ]);
  });
});

describe('a group that skips the second factor for its members', () => {
  const spared = async (user: Json): Promise<boolean> => {
    const [plain, second] = [await logIn(world.portal, domain, user), await ask2fa(user)];
    const isAlike = (plain.status === 200) === (second.body.result === 'ok');
    if (!isAlike) throw new Error(`${plain.status}, but ${JSON.stringify(second.body)}`);
    return plain.status === 200;
  };

  it('lets them log in by the password while it is active and they are members', async () => {
    const group = await addGroup(admin, domain, { skip_two_factor: true });
    const user = await addUser(admin, domain, { groups: [group.id] });
    expect(await spared(user)).toBe(true);
    const one = `${groupsPath(domain)}/${group.id}`;
    for (const [off, on] of [
      [{ state: 'inactive' }, { state: 'active' }],
      [{ skip_two_factor: false }, { skip_two_factor: true }],
    ]) {
      await admin(`PATCH ${one}`, off);
      expect(await spared(user)).toBe(false);
      await admin(`PATCH ${one}`, on);
      expect(await spared(user)).toBe(true);
    }
    await admin(`PATCH ${userPath(user)}`, { groups: [] });
    expect(await spared(user)).toBe(false);
  });

  it('may be a meta group, whose membership follows from its active parts', async () => {
    const [a, b] = [await addGroup(admin, domain), await addGroup(admin, domain)];
    const meta = { type: 'meta', groups: [a.id, b.id], skip_two_factor: true };
    await addGroup(admin, domain, meta);
    const user = await addUser(admin, domain, { groups: [a.id] });
    expect(await spared(user)).toBe(false);
    await admin(`PATCH ${userPath(user)}`, { groups: [a.id, b.id] });
    expect(await spared(user)).toBe(true);
    await admin(`PATCH ${groupsPath(domain)}/${b.id}`, { state: 'inactive' });
    expect(await spared(user)).toBe(false);
  });

  it('waives mandatory enrolment only, and not the code of a user with a device', async () => {
    const group = await addGroup(admin, domain, { skip_two_factor: true });
    const { user } = await addEnrolled(world, domain, clock.now());
    await admin(`PATCH ${userPath(user)}`, { groups: [group.id] });
    expect(await spared(user)).toBe(false);
    expect(said(await ask2fa(user, { code: '000000' }))).toEqual([401, 'invalid_credentials']);
  });

  it('applies no longer to a user whose membership ends with the groups of the same login', async () => {
    const group = await addGroup(admin, domain, { skip_two_factor: true });
    const user = await addUser(admin, domain, { groups: [group.id] });
    const { ownerDb: db } = world.portal;
    await db.execute(
      sql.raw(`create function leave_groups() returns trigger language plpgsql as $$
        begin delete from group_members where user_id = new.id; return new; end $$`),
    );
    await db.execute(
      sql.raw(`create trigger leave_groups before update of last_login_at on users
        for each row when (new.id = '${user.id}') execute function leave_groups()`),
    );
    expect(said(await logIn(world.portal, domain, user))).toEqual([403, 'two_factor_required']);
    const { body } = await ask2fa(user);
    expect([body.result, Object.keys(body.enrolment).sort()]).toEqual([
      'challenge',
      ['otpauth_uri', 'secret'],
    ]);
    await db.execute(sql.raw('drop trigger leave_groups on users; drop function leave_groups'));
    expect(await spared(user)).toBe(true);
  });
});

describe('the second factor of a user', () => {
  let one: Enrolled;
  beforeEach(async () => {
    one = await addEnrolled(world, domain, clock.now());
    clock.move(30);
  });

  it('is read and reset by PATCH {"two_factor_enrolled": false}, with one event, and sessions end', async () => {
    const given = { challenge_id: (await ask2fa(one.user)).body.challenge_id };
    const { result, events } = await audited(world.portal, () =>
      admin(`PATCH ${userPath(one.user)}`, { two_factor_enrolled: false }),
    );
    expect([result.status, result.body.two_factor_enrolled]).toEqual([200, false]);
    expect(events).toMatchObject([
      { action: 'update', changes: [{ field: 'two_factor_enrolled', before: true, after: false }] },
    ]);
    expect((await asker(world.portal, one.token)('GET /api/userinfo')).status).toBe(401);
    for (const code of [codeOf(one.secret, clock.now()), one.recovery[0]]) {
      expect(said(await ask2fa(one.user, { code }))).toEqual([401, 'invalid_credentials']);
      expect(said(await ask2fa(one.user, { ...given, code }))).toEqual([401, 'invalid_credentials']);
    }
    await admin(`PATCH ${userPath(one.user)}`, { locked_until: null });
    expect((await ask2fa(one.user)).body.enrolment.secret).not.toBe(one.secret);
  });

  it('stays when the object is sent back as it was read, and for any value but false', async () => {
    const { body } = await admin(`GET ${userPath(one.user)}`);
    expect(body.two_factor_enrolled).toBe(true);
    const { locked_until: _, password: __, ...read } = body;
    expect((await admin(`PUT ${userPath(one.user)}`, { ...body, two_factor_enrolled: false })).status).toBe(
      200,
    );
    expect((await admin(`PATCH ${userPath(one.user)}`, read)).status).toBe(200);
    expect((await admin(`PATCH ${userPath(one.user)}`, { two_factor_enrolled: null })).status).toBe(200);
    expect((await admin(`PATCH ${userPath(one.user)}`, { two_factor_enrolled: 'no' })).status).toBe(422);
    expect((await admin(`GET ${userPath(one.user)}`)).body.two_factor_enrolled).toBe(true);
    expect((await ask2fa(one.user)).body).not.toHaveProperty('enrolment');
  });

  it('is reset only by a caller with all permissions of the user, and not for oneself', async () => {
    const role = await addRole(admin, ['sites.read', 'sites.delete']);
    const { user } = await addEnrolled(world, domain, clock.now(), { roles: [role.id] });
    const clerk = await addMember(world, ['users.read', 'users.update', 'sites.read']);
    const refusal = await clerk.ask(`PATCH ${userPath(user)}`, { two_factor_enrolled: false });
    expect([refusal.status, refusal.body.missing]).toEqual([403, ['sites.delete']]);
    expect((await clerk.ask(`PATCH ${userPath(one.user)}`, { two_factor_enrolled: false })).status).toBe(200);
    const own = await addRole(admin, ['users.read', 'users.update']);
    const clerical = await addEnrolled(world, domain, clock.now(), { roles: [own.id] });
    const ask = asker(world.portal, clerical.token);
    const { status, body } = await ask(`PATCH ${userPath(clerical.user)}`, { two_factor_enrolled: false });
    expect([status, body.reason]).toEqual([409, 'own_account']);
    expect((await admin(`GET ${userPath(clerical.user)}`)).body.two_factor_enrolled).toBe(true);
  });

  it('is deleted with the user', async () => {
    expect((await admin(`DELETE ${userPath(one.user)}`)).status).toBe(204);
    expect(said(await ask2fa(one.user))).toEqual([401, 'invalid_credentials']);
  });
});
