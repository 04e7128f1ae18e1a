import { describe, expect, it } from 'vitest';
import { addGroup, audited, domainsPath, groupsPath, usersPath, useStand } from '../../support/factories.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';
import { addScimGroup, addScimUser, startScim } from '../../support/identity/scim.ts';
import type { Json } from '../../support/portal.ts';

const pathOf = (url: string): string => new URL(url).pathname;

describe('a sign-in at an identity provider', () => {
  const stand = useStand(() => startFederationStand());
  const person = (subject: string, given: Json = {}) =>
    stand.provider.people.set(subject, { preferred_username: subject, groups: [staff], ...given });

  const userOf = async (name: string): Promise<Json> =>
    (await stand.world.admin(`GET ${usersPath(stand.domain)}?search=${name}`)).body.items[0];
  const groupsOf = async (user: Json): Promise<string[]> =>
    (await stand.world.admin(`GET ${usersPath(stand.domain)}/${user.id}`)).body.groups;

  it('creates the person and opens a browser session, in one audited batch', async () => {
    person('subject-1', { name: 'Anna Schmidt', preferred_username: 'anna', email: 'anna@example.com' });
    stand.provider.atKeyboard = 'subject-1';
    const browser = stand.browser();
    const { result, events } = await audited(stand.world.portal, () => browser.follow(stand.startOf()));
    expect([pathOf(result.url), result.status]).toEqual(['/home/', 200]);
    expect(events).toMatchObject([
      { event: 'portal.UserLogin', user_name: 'anna', details: { factor: 'provider', platform: 'browser' } },
    ]);
    const user = await userOf('anna');
    expect(user).toMatchObject({ name: 'anna', real_name: 'Anna Schmidt', email: 'anna@example.com' });
    expect(await groupsOf(user)).toEqual([stand.group.id]);
    const token = (await browser.send('POST /signin/token')).body.token;
    const { body } = await stand.world.portal.send('GET /api/userinfo', { token });
    expect([body.name, body.has_password, body.domain.flow]).toEqual(['anna', false, 'redirect']);
  });

  it('ends the session that the same browser had, whose cookie does not come with the answer', async () => {
    person('olga');
    const browser = await stand.signIn('olga');
    const { token } = (await browser.send('POST /signin/token')).body;
    const statusOf = async () => (await stand.world.portal.send('GET /api/userinfo', { token })).status;
    expect(await statusOf()).toBe(200);
    await stand.signIn('olga');
    expect(await statusOf()).toBe(200);
    await stand.signIn('olga', browser);
    expect(await statusOf()).toBe(401);
  });

  it('opens the page that asked for it, and no page of another portal or site', async () => {
    person('nina');
    stand.provider.atKeyboard = 'nina';
    const opened = async (next: string): Promise<string> => {
      const { url } = await stand.browser().follow(stand.startOf({ next }));
      const { origin, pathname, search } = new URL(url);
      return `${origin === stand.world.portal.deps.baseUrl ? '' : origin}${pathname}${search}`;
    };
    expect(await opened('/home/')).toBe('/home/');
    for (const foreign of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
    ])
      expect(await opened(foreign)).toBe('/home/');
    expect(await opened('/console/')).toBe('/signin?next=%2Fconsole%2F');
  });

  it('identifies a person by the subject, and follows names, mail and groups', async () => {
    person('subject-2', { preferred_username: 'bob', email: 'bob@example.com' });
    await stand.signIn('subject-2');
    const before = await userOf('bob');
    const other = await addGroup(stand.world.admin, stand.domain, {
      name: 'another',
      external_id: 'group-9',
    });
    person('subject-2', {
      preferred_username: 'robert',
      name: 'Robert',
      email: 'unverified@example.com',
      email_verified: false,
      groups: ['group-9', 'unknown'],
    });
    await stand.signIn('subject-2');
    const after = await userOf('robert');
    expect(after).toMatchObject({ id: before.id, real_name: 'Robert', email: 'bob@example.com' });
    expect(await groupsOf(after)).toEqual([other.id]);
  });

  it('finds groups by distinguished names in another spelling, and by other identifiers exactly', async () => {
    const { world, domain } = stand;
    const scim = await startScim(world, domain);
    const ofForm = await addGroup(world.admin, domain, {
      external_id: 'CN=Staff,OU=Groups,DC=corp,DC=example',
    });
    const ofScim = await addScimGroup(scim, [], { externalId: 'cn=Nurses, o=Clinic, c=de' });
    const role = await addGroup(world.admin, domain, { external_id: 'role=Admin,level=One' });
    person('subject-dn', {
      preferred_username: 'dorothy',
      groups: ['cn=staff, ou=groups,dc=Corp,dc=example', 'CN=nurses,O=clinic,C=DE', 'role=admin,level=one'],
    });
    await stand.signIn('subject-dn');
    const user = await userOf('dorothy');
    expect((await groupsOf(user)).toSorted()).toEqual([ofForm.id, ofScim.id].toSorted());
    expect((await world.admin(`GET ${groupsPath(domain)}/${ofForm.id}`)).body.external_id).toBe(
      'CN=Staff,OU=Groups,DC=corp,DC=example',
    );
    person('subject-dn', { preferred_username: 'dorothy', groups: ['role=Admin,level=One'] });
    await stand.signIn('subject-dn');
    expect(await groupsOf(user)).toEqual([role.id]);
  });

  it('never gives a name or the account of another person away', async () => {
    person('owner', { preferred_username: 'carol' });
    await stand.signIn('owner');
    const carol = await userOf('carol');
    person('thief', { preferred_username: 'carol' });
    stand.provider.atKeyboard = 'thief';
    const refused = await stand.browser().follow(stand.startOf());
    expect(refused.status).toBe(403);
    expect(refused.body).toContain('Another user of the domain has the name carol');
    await stand.world.admin(`PATCH ${usersPath(stand.domain)}/${carol.id}`, { state: 'inactive' });
    expect(pathOf((await stand.browser().follow(stand.startOf())).url)).toBe('/home/');
    const { items } = (await stand.world.admin(`GET ${usersPath(stand.domain)}?search=carol`)).body;
    expect(items.map(({ name }: Json) => name.replace(/~[0-9a-f]{8}$/, '~')).sort()).toEqual([
      'carol',
      'carol~',
    ]);
  });

  it('creates nobody with a name that the audit log gives to work without a user', async () => {
    person('subject-work', { preferred_username: 'system:apply' });
    stand.provider.atKeyboard = 'subject-work';
    const refused = await stand.browser().follow(stand.startOf());
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.stringContaining('The name system:apply is reserved'),
    ]);
  });

  it.each([
    [
      'of a disabled user',
      'account_disabled',
      async (user: Json) => {
        await stand.world.admin(`PATCH ${usersPath(stand.domain)}/${user.id}`, { state: 'inactive' });
      },
    ],
    [
      'without a registered group',
      'no_registered_group',
      async (user: Json) => {
        person(user.name, { groups: ['unknown'] });
      },
    ],
    [
      'with a deactivated group only',
      'no_registered_group',
      async (user: Json) => {
        const group = await addGroup(stand.world.admin, stand.domain, { name: 'closed' });
        await stand.world.admin(`PATCH ${groupsPath(stand.domain)}/${group.id}`, { state: 'inactive' });
        person(user.name, { groups: ['closed'] });
      },
    ],
  ])('%s is refused with a page, and audited', async (_, code, change) => {
    const name = `refused-${code}-${_.length}`;
    person(name);
    await stand.signIn(name);
    await change(await userOf(name));
    const browser = stand.browser();
    const { result, events } = await audited(stand.world.portal, () => browser.follow(stand.startOf()));
    expect(result.status).toBe(403);
    expect(result.body).toContain(`/api/errors/${code}`);
    expect(events).toMatchObject([{ event: 'portal.LoginFailed', user_name: name, details: { code } }]);
    expect([...(browser.cookies.get(stand.world.portal.deps.baseUrl) ?? new Map()).keys()]).not.toContain(
      '__Host-session',
    );
  });

  it('creates no one if the domain does not, and admits those that it knows', async () => {
    person('known');
    await stand.signIn('known');
    await stand.set({ create_users: false });
    person('newcomer');
    stand.provider.atKeyboard = 'newcomer';
    const refused = await stand.browser().follow(stand.startOf());
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.stringContaining('The portal has no account'),
    ]);
    stand.provider.atKeyboard = 'known';
    expect(pathOf((await stand.browser().follow(stand.startOf())).url)).toBe('/home/');
    await stand.set({ create_users: true });
  });

  it('replaces provisioned groups by those of the claim, and keeps them if no claim is set', async () => {
    const scim = await startScim(stand.world, stand.domain);
    const user = await addScimUser(scim, { userName: 'paula', externalId: 'subject-paula' });
    const group = await addScimGroup(scim, [user], { externalId: 'provisioned' });
    await stand.set({ groups_claim: '' });
    person('subject-paula', { preferred_username: 'paula', groups: [staff] });
    stand.provider.atKeyboard = 'subject-paula';
    expect(pathOf((await stand.browser().follow(stand.startOf())).url)).toBe('/home/');
    expect(await groupsOf(user)).toEqual([group.id]);
    await stand.set({ groups_claim: 'groups' });
    await stand.signIn('subject-paula');
    expect(await groupsOf(user)).toEqual([stand.group.id]);
    // By the claim, the provisioned group is found by the identifier that the provider has for it.
    person('subject-paula', { preferred_username: 'paula', groups: ['provisioned'] });
    await stand.signIn('subject-paula');
    expect(await groupsOf(user)).toEqual([group.id]);
  });

  it('by a form sets and accepts a cookie that the form is sent with', async () => {
    await stand.set({ response_mode: 'form_post' });
    person('forma');
    stand.provider.atKeyboard = 'forma';
    const browser = stand.browser();
    const start = await browser.open(stand.startOf());
    expect(start.headers.get('set-cookie')).toMatch(
      /; Path=\/; Secure; HttpOnly; SameSite=None; Max-Age=600$/,
    );
    const page = await browser.follow(start.headers.get('location') ?? '');
    const fields = [...page.body.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const callback = `${stand.world.portal.deps.baseUrl}/api/auth/v7.0/oidc/callback`;
    const answer = await browser.open(callback, Object.fromEntries(fields));
    expect([answer.status, answer.headers.get('refresh')]).toEqual([200, '0;url=/home/']);
    const repeated = await stand.browser().open(callback, Object.fromEntries(fields));
    expect([repeated.status, repeated.headers.get('content-type')]).toEqual([
      401,
      expect.stringContaining('text/html'),
    ]);
    await stand.set({ response_mode: 'query' });
  });

  it('counts the second factor of the provider, or asks for its own', async () => {
    await stand.set({ amr_values: ['mfa'] }, { two_factor: true });
    person('strong', { amr: ['pwd', 'mfa'], acr: 'loa2' });
    stand.provider.atKeyboard = 'strong';
    expect(pathOf((await stand.browser().follow(stand.startOf())).url)).toBe('/home/');
    person('weak', { amr: ['pwd'] });
    stand.provider.atKeyboard = 'weak';
    const browser = stand.browser();
    const page = await browser.follow(stand.startOf({ next: '/home/' }));
    expect(page.url).toContain('/signin?next=%2Fhome%2F&step=factor');
    const { body } = await browser.send('POST /api/auth/v7.0/oidc/second-factor', {});
    expect(body).toMatchObject({
      result: 'challenge',
      username: 'weak',
      enrolment: { secret: expect.any(String) },
    });
    const wrong = await browser.send('POST /api/auth/v7.0/oidc/second-factor', {
      code: '000000',
      challenge_id: body.challenge_id,
    });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_credentials']);
    const elsewhere = await stand.browser().send('POST /api/auth/v7.0/oidc/second-factor', {});
    expect(elsewhere.body.code).toBe('login_expired');
    await stand.set({ amr_values: [] }, { two_factor: false });
  });

  it('begins at once on a portal for users with this domain and the built-in one', async () => {
    const send = stand.world.portal.isolate('user');
    const headers = { accept: 'text/html' };
    const locationOf = async (path: string) =>
      (await send(`GET ${path}`, { headers })).headers.get('location');
    expect(await locationOf('/signin?next=/home/')).toBeNull();
    await stand.world.admin(`PATCH ${domainsPath}/${stand.world.domain.id}`, { state: 'hidden' });
    expect(await locationOf('/signin?next=/home/&language=ru')).toBe(
      `/api/auth/v7.0/oidc/${stand.domain.id}/start?next=%2Fhome%2F&language=ru`,
    );
    expect(await locationOf('/signin?step=signed_out')).toBeNull();
    expect(await locationOf('/signin?step=choose')).toBeNull();
    expect((await stand.world.portal.send('GET /signin', { headers })).status).toBe(200);
  });
});
