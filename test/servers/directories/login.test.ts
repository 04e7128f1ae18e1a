import { expect, it } from 'vitest';
import { fleetVersions } from '../../../db/schema/sites/fleet-versions.ts';
import {
  groupDn,
  groupOfNames,
  memberChange,
  passwordOf,
  person,
  personDn,
  posixGroup,
} from '../../support/directories/entries.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../support/directories/stand.ts';
import { addGroup, audited, domainsPath, usersPath, useStand } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const odd = 'Müller, "Jürgen" + Co';
const ldif = [
  ...['alice', 'bob', 'carol', 'dora', 'eve', 'frank', 'grace', 'heidi'].map((uid) =>
    person(uid, { mail: `${uid}@example.com`, telephoneNumber: ['1', '2'] }),
  ),
  person(odd, { sn: 'Müller', cn: 'Jürgen Müller' }),
  person('star*)(uid=*'),
  person('unnamed', { cn: 'Somebody Else', uid: ['unnamed', 'second'] }),
  posixGroup('staff', ['alice', 'dora', 'eve', 'frank', 'heidi', odd, 'star*)(uid=*', 'unnamed']),
  posixGroup('guests', ['alice', 'carol']),
  groupOfNames('Ärzte, Station "1"', [personDn(odd)]),
].join('');

const codeOf = ({ status, body }: Json): unknown => [status, body.code];
const wrong = [401, 'invalid_credentials'];

requireService('slapd', hasSlapd)('a directory login', () => {
  const stand = useStand(() => startDirectoryStand(ldif));

  const userOf = async (domain: Json, name: string): Promise<Json> => {
    const { body } = await stand.world.admin(`GET ${usersPath(domain)}?search=${encodeURIComponent(name)}`);
    return body.items[0];
  };

  it('creates the user at the first login, with the values of the directory, in one audited batch', async () => {
    const domain = await stand.domainFor('staff');
    const path = `PATCH ${domainsPath}/${domain.id}/attribute`;
    await stand.world.admin(path, { action: 'add', name: 'phone', source: 'telephoneNumber' });
    const { result, events } = await audited(stand.world.portal, () => stand.logIn(domain, 'alice'));
    expect(result.body).toMatchObject({
      result: 'ok',
      user: {
        name: 'alice',
        real_name: 'Person alice',
        domain: domain.small_name,
        portal: 'user',
        roles: [],
      },
    });
    expect(events.map(({ event, user_id }) => [event, user_id])).toEqual([
      ['portal.UserLogin', result.body.user.id],
    ]);
    const user = await userOf(domain, 'alice');
    expect(user).toMatchObject({
      id: result.body.user.id,
      email: 'alice@example.com',
      attributes: { phone: '1, 2' },
      password_set: false,
    });
    const { body } = await stand.world.portal.send('GET /api/userinfo', { token: result.body.token });
    expect(body.has_password).toBe(false);
    expect(body.groups.map(({ name }: Json) => name)).toEqual(['staff']);
    expect((await stand.logIn(domain, 'alice')).body.user.id).toBe(user.id);
  });

  it('refreshes name, mail and attributes, and keeps values that the directory does not have', async () => {
    const domain = await stand.domainFor('staff');
    await stand.logIn(domain, 'dora');
    const user = await userOf(domain, 'dora');
    const one = `${usersPath(domain)}/${user.id}`;
    const { headers } = await stand.world.admin(`GET ${one}`);
    const stale = { 'if-match': headers.get('etag') ?? '' };
    await stand.slapd.change(
      `dn: ${personDn('dora')}\nchangetype: modify\nreplace: cn\ncn: Dora the Second\n-\ndelete: mail`,
    );
    expect((await stand.logIn(domain, 'dora')).body.user.real_name).toBe('Dora the Second');
    expect(await userOf(domain, 'dora')).toMatchObject({
      real_name: 'Dora the Second',
      email: 'dora@example.com',
    });
    expect((await stand.world.admin(`PATCH ${one}`, { comments: 'noted' }, stale)).status).toBe(412);
  });

  it('verifies a wrong password with exactly one bind', async () => {
    const domain = await stand.domainFor('staff', {
      hosts: [stand.slapd.secureUrl, stand.slapd.url],
      start_tls: true,
    });
    const before = await stand.slapd.bindsAs(personDn('eve'));
    const wrongBefore = await stand.slapd.bindsAs('');
    expect(codeOf(await stand.logIn(domain, 'eve', 'wrong'))).toEqual(wrong);
    expect(await stand.slapd.bindsAs(personDn('eve'))).toBe(before + 1);
    expect(await stand.slapd.bindsAs('')).toBe(wrongBefore);
  });

  it('never binds with an empty password, nor for a name that is not found', async () => {
    const domain = await stand.domainFor('staff');
    const binds = async () => (await stand.slapd.logged()).filter((line) => / BIND dn="/.test(line)).length;
    const before = await binds();
    expect((await stand.logIn(domain, 'eve', '')).status).toBe(422);
    const { directories } = stand.world.portal.deps;
    const directory = { ...anonymous(stand.slapd.url) };
    const judged = directories.within(directory, (session) => session.checkPassword(personDn('eve'), ''));
    expect(await judged).toMatchObject({ verdict: 'refused' });
    expect(await stand.slapd.bindsAs(personDn('eve'))).toBeGreaterThan(0);
    expect(await binds()).toBe(before + 1);
    expect(codeOf(await stand.logIn(domain, 'nobody', 'x'))).toEqual(wrong);
    expect(await stand.slapd.bindsAs('')).toBeGreaterThan(0);
  });

  it('escapes filter characters in a name', async () => {
    const domain = await stand.domainFor('staff');
    const hostile = ['*', 'a*', ')(uid=*', 'alice)(uid=*', '\\2a', 'uid=alice', 'al\u0131ce', '|(uid=*)'];
    for (const name of hostile)
      expect([name, codeOf(await stand.logIn(domain, name, passwordOf('alice')))]).toEqual([name, wrong]);
    expect((await stand.logIn(domain, 'alice\u0000', passwordOf('alice'))).status).toBe(422);
    expect((await stand.logIn(domain, 'star*)(uid=*')).body.user?.name).toBe('star*)(uid=*');
  });

  it('supports distinguished names with commas, quotes and umlauts, and groups in any spelling', async () => {
    const params = { member_attribute: 'member', group_class: 'groupOfNames' };
    const spellings = [
      groupDn('Ärzte, Station "1"'),
      'CN=Ärzte\\2C Station \\221\\22, OU=Groups, DC=example, DC=com',
    ];
    for (const external_id of spellings) {
      const domain = await stand.domain(params);
      await addGroup(stand.world.admin, domain, { external_id });
      expect([external_id, (await stand.logIn(domain, odd)).body.user?.name]).toEqual([external_id, odd]);
    }
  });

  it('refuses a user without a registered active group with 403, only after a right password', async () => {
    const domain = await stand.domainFor('staff');
    const { result, events } = await audited(stand.world.portal, () => stand.logIn(domain, 'bob'));
    expect(codeOf(result)).toEqual([403, 'no_registered_group']);
    expect(events.map(({ event, details }) => [event, details])).toEqual([
      [
        'portal.LoginFailed',
        { code: 'no_registered_group', factor: 'password', domain_tried: { authId: domain.id } },
      ],
    ]);
    expect(codeOf(await stand.logIn(domain, 'bob', 'wrong'))).toEqual(wrong);
    expect(await userOf(domain, 'bob')).toBeUndefined();
    const { body } = await stand.world.admin(`GET ${domainsPath}/${domain.id}/groups`);
    await stand.world.admin(`PATCH ${domainsPath}/${domain.id}/groups/${body.items[0].id}`, {
      state: 'inactive',
    });
    expect(codeOf(await stand.logIn(domain, 'alice'))).toEqual([403, 'no_registered_group']);
  });

  it('adds and removes memberships to match the directory each time', async () => {
    const domain = await stand.domainFor('staff');
    await addGroup(stand.world.admin, domain, { name: 'guests' });
    const groups = async () => {
      const { token } = (await stand.logIn(domain, 'frank')).body;
      const { body } = await stand.world.portal.send('GET /api/userinfo', { token });
      return body.groups.map(({ name }: Json) => name);
    };
    expect(await groups()).toEqual(['staff']);
    await stand.slapd.change(memberChange('guests', 'add', 'memberUid', 'frank'));
    expect(await groups()).toEqual(['guests', 'staff']);
    await stand.slapd.change(memberChange('staff', 'delete', 'memberUid', 'frank'));
    expect(await groups()).toEqual(['guests']);
    await stand.slapd.change(memberChange('guests', 'delete', 'memberUid', 'frank'));
    expect(codeOf(await stand.logIn(domain, 'frank'))).toEqual([403, 'no_registered_group']);
  });

  it('uses the same account and the same lock for every spelling of the domain', async () => {
    const domain = await stand.domainFor('staff');
    const { id } = (await stand.logIn(domain, 'heidi')).body.user;
    for (const name of ['HEIDI', 'heidi@example.com', `${domain.small_name}\\heidi`, ' heidi '])
      expect([name, (await stand.logIn(domain, name, passwordOf('heidi'))).body.user?.id]).toEqual([
        name,
        id,
      ]);
    for (const name of ['heidi', 'heidi@a', 'A\\heidi', 'B\\HEIDI', 'heidi@b'])
      expect(codeOf(await stand.logIn(domain, name, 'wrong'))).toEqual(wrong);
    expect(codeOf(await stand.logIn(domain, 'heidi@c', passwordOf('heidi')))).toEqual([429, 'locked_out']);
    expect((await userOf(domain, 'heidi')).locked_until).not.toBeNull();
  });

  it('a name of another domain is refused without a bind', async () => {
    for (const name of ['OTHER\\grace', 'grace@other.example', 'grace@', 'EXAMPLE\\grace']) {
      const domain = await stand.domainFor('staff');
      const before = await stand.slapd.bindsAs(personDn('grace'));
      expect([name, codeOf(await stand.logIn(domain, name, passwordOf('grace')))]).toEqual([name, wrong]);
      expect([name, await stand.slapd.bindsAs(personDn('grace'))]).toEqual([name, before]);
    }
  });

  it('creates one user for two concurrent first logins', async () => {
    const domain = await stand.domainFor('staff');
    const answers = await Promise.all(Array.from({ length: 4 }, () => stand.logIn(domain, 'eve')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
  });

  it('refuses a user that an administrator has deactivated, without a directory call', async () => {
    const domain = await stand.domainFor('staff');
    const { user } = (await stand.logIn(domain, 'alice')).body;
    await stand.world.admin(`PATCH ${usersPath(domain)}/${user.id}`, { state: 'inactive' });
    const before = await stand.slapd.bindsAs(personDn('alice'));
    expect(codeOf(await stand.logIn(domain, 'alice'))).toEqual(wrong);
    expect(await stand.slapd.bindsAs(personDn('alice'))).toBe(before);
  });

  it('takes four database round trips, and changes no permissions when nothing has changed', async () => {
    const domain = await stand.domainFor('staff');
    await stand.logIn(domain, 'alice');
    await stand.world.portal.settled();
    const versions = () => stand.world.portal.db.select().from(fleetVersions);
    const [trips, moved] = [stand.world.portal.trips(), await versions()];
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    expect(stand.world.portal.trips() - trips - 1).toBeLessThanOrEqual(4);
    expect(await versions()).toEqual(moved);
    await addGroup(stand.world.admin, domain, { name: 'guests' });
    await stand.logIn(domain, 'alice');
    expect(await versions()).not.toEqual(moved);
  });
});

const anonymous = (url: string) => ({
  hosts: [url],
  startTls: false,
  ca: undefined,
  account: undefined,
  timeoutMs: 5_000,
  pageSize: 100,
});
