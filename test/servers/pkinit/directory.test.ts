import { desc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { memberChange, person, personDn, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { type DirectoryStand, startDirectoryStand } from '../../support/directories/stand.ts';
import { addMember, addRole, domainsPath, usersPath } from '../../support/factories.ts';
import { hasKdc, type Kdc, startKdc } from '../../support/pkinit/kdc.ts';
import { signIn } from '../../support/pkinit/pkinit.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const members = ['alice', 'carol', 'pat', 'pat2', 'gwen'];
const ldif = [
  person('alice', { mail: 'alice@example.com' }),
  ...['bob', 'carol', 'pat', 'gwen'].map((uid) => person(uid)),
  posixGroup('staff', members),
].join('');

requireService('slapd and krb5kdc', hasSlapd && hasKdc)('the directory check of a card login', () => {
  let kdc: Kdc;
  let stand: DirectoryStand;
  let domain: Json;

  beforeAll(async () => {
    [kdc, stand] = await Promise.all([startKdc(), startDirectoryStand(ldif)]);
    for (const name of ['pat', 'gwen', 'dave'])
      await kdc.admin('addprinc', '-randkey', '+requires_preauth', name);
    domain = await stand.domainFor('staff', { kerberos: kerberosOf() });
  });
  afterAll(async () => {
    await stand?.close();
    await kdc?.stop();
  });

  const kerberosOf = (given: Json = {}) => ({
    realm: kdc.realm,
    kdc: [kdc.address],
    anchors: kdc.anchors,
    ...given,
  });
  const by = async (name: string, at: Json = domain) =>
    signIn(stand.world.portal, at, await kdc.issue({ name }));
  const codeOf = ({ status, body }: Json) => [status, body.code];
  const change = (uid: string, text: string) =>
    stand.slapd.change(`dn: ${personDn(uid)}\nchangetype: modify\n${text}\n`);

  it('creates the user of the directory with the groups, and updates them at each login', async () => {
    const card = await kdc.issue({ name: 'alice' });
    const first = await signIn(stand.world.portal, domain, card);
    expect(first).toMatchObject({
      status: 200,
      body: { user: { name: 'alice', real_name: 'Person alice' } },
    });
    const { body } = await stand.world.admin(`GET ${usersPath(domain)}?search=alice`);
    expect(body.items).toMatchObject([{ email: 'alice@example.com', groups: [expect.any(String)] }]);
    const searches = async () =>
      (await stand.slapd.logged()).filter((line) => line.includes('SRCH base="dc=')).length;
    const before = await searches();
    expect((await signIn(stand.world.portal, domain, card)).status).toBe(200);
    expect(await searches()).toBeGreaterThan(before);
  });

  it('refuses users without a registered group and users that the directory does not have', async () => {
    expect(codeOf(await by('bob'))).toEqual([403, 'no_registered_group']);
    expect(codeOf(await by('dave'))).toEqual([401, 'invalid_credentials']);
  });

  it('a new person with a former name does not get the account of the former one', async () => {
    const first = (await by('pat')).body;
    const role = await addRole(stand.world.admin, ['sites.read']);
    await stand.world.admin(`PATCH ${usersPath(domain)}/${first.user.id}`, { roles: [role.id] });
    await stand.slapd.change(
      `dn: ${personDn('pat')}\nchangetype: modrdn\nnewrdn: uid=pat2\ndeleteoldrdn: 1\n`,
    );
    await stand.slapd.change(person('pat').replace('\n', '\nchangetype: add\n'));
    const { status, body } = await by('pat');
    expect([status, body.user.roles]).toEqual([200, []]);
    expect(body.user.id).not.toBe(first.user.id);
    const [former] = await stand.world.portal.db.select().from(users).where(eq(users.id, first.user.id));
    expect(former?.name).toBe('pat2');
  });

  it('groups and the user filter are applied at the next card login', async () => {
    expect((await by('gwen')).status).toBe(200);
    const filtered = await stand.domainFor('staff', {
      kerberos: kerberosOf(),
      user_filter: '(!(uid=gwen))',
    });
    expect(codeOf(await by('gwen', filtered))).toEqual([401, 'invalid_credentials']);
    await stand.slapd.change(memberChange('staff', 'delete', 'memberUid', 'gwen'));
    expect(codeOf(await by('gwen'))).toEqual([403, 'no_registered_group']);
    await stand.slapd.change(memberChange('staff', 'add', 'memberUid', 'gwen'));
  });

  it.each([
    ['add: userAccountControl\nuserAccountControl: 514', 'userAccountControl', 'account_disabled'],
    ['add: accountExpires\naccountExpires: 133000000000000000', 'accountExpires', 'account_expired'],
    [
      'add: msDS-User-Account-Control-Computed\nmsDS-User-Account-Control-Computed: 16',
      'msDS-User-Account-Control-Computed',
      'account_locked',
    ],
  ])('a user with a valid card gets the state of the account: %s', async (set, name, code) => {
    await change('carol', set);
    expect(codeOf(await by('carol'))).toEqual([403, code]);
    expect(codeOf(await stand.logIn(domain, 'carol'))).toEqual([401, 'invalid_credentials']);
    await change('carol', `delete: ${name}`);
    expect((await by('carol')).status).toBe(200);
  });

  it('failures count for one account under any of its names, and the lock is shown and removable', async () => {
    await change('alice', 'add: userPrincipalName\nuserPrincipalName: a.smith@corp.example');
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    const path = `${usersPath(domain)}/${(await stand.logIn(domain, 'alice')).body.user.id}`;
    for (const name of [
      'alice',
      'a.smith@corp.example',
      'a.smith@corp.example',
      'ALICE',
      'A.Smith@corp.example',
    ])
      expect(codeOf(await stand.logIn(domain, name, 'wrong'))).toEqual([401, 'invalid_credentials']);
    for (const name of ['alice', 'a.smith@corp.example'])
      expect(codeOf(await stand.logIn(domain, name, 'secret of alice'))).toEqual([429, 'locked_out']);
    expect((await stand.world.admin(`GET ${path}`)).body.locked_until).not.toBeNull();
    expect((await stand.world.admin(`PATCH ${path}`, { locked_until: null })).status).toBe(200);
    expect((await stand.logIn(domain, 'a.smith@corp.example', 'secret of alice')).body.user?.name).toBe(
      'alice',
    );
  });

  it('returns 503 while the directory is away, unless the domain admits the card of the last verified login', async () => {
    const door = await startFreezableProxy(stand.slapd.url);
    const away = { code: 'upstream_unavailable', retryable: true };
    const through = (hours: number) =>
      stand.domainFor('staff', {
        hosts: [door.url],
        start_tls: true,
        kerberos: kerberosOf({ card_without_directory_h: hours }),
      });
    const [strict, lenient] = [await through(0), await through(2)];
    const card = await kdc.issue({ name: 'gwen' });
    const other = await kdc.issue({ name: 'gwen-2', client: 'gwen' });
    const use = (at: Json, one = card) => signIn(stand.world.portal, at, one);
    expect([(await use(strict)).status, (await use(lenient)).status]).toEqual([200, 200]);
    door.cut();
    expect(await use(strict)).toMatchObject({ status: 503, body: away });
    const { status, body } = await use(lenient);
    expect([status, body.user?.name]).toEqual([200, 'gwen']);
    const { db } = stand.world.portal;
    const [event] = await db
      .select()
      .from(auditEvents)
      .where(eq(auditEvents.event, 'portal.UserLogin'))
      .orderBy(desc(auditEvents.at), desc(auditEvents.id))
      .limit(1);
    expect(event).toMatchObject({ user_name: 'gwen', details: { directory: 'unverified' } });
    expect(await use(lenient, other)).toMatchObject({ status: 503, body: away });
    // Clocks of the KDC and the portal must agree, so that the row ages instead.
    const row = eq(users.authenticator_id, lenient.id);
    await db
      .update(users)
      .set({ directory_checked_at: new Date(Date.now() - 2 * 3_600_000) })
      .where(row);
    expect(await use(lenient)).toMatchObject({ status: 503, body: away });
    await db.update(users).set({ directory_checked_at: new Date() }).where(row);
    door.restore();
    await stand.slapd.change(memberChange('staff', 'delete', 'memberUid', 'gwen'));
    await expect.poll(async () => codeOf(await use(lenient))).toEqual([403, 'no_registered_group']);
    await stand.slapd.change(memberChange('staff', 'add', 'memberUid', 'gwen'));
    // A verified login by password replaces the card.
    await expect.poll(async () => (await stand.logIn(lenient, 'gwen')).status).toBe(200);
    door.cut();
    expect(await use(lenient)).toMatchObject({ status: 503, body: away });
    await door.close();
  });

  it('only administrators of all sites can admit cards without the directory', async () => {
    const { site } = stand.world;
    const { ask } = await addMember(stand.world, ['authenticators.read', 'authenticators.update'], [site.id]);
    const one = `PATCH ${domainsPath}/${domain.id}`;
    const hours = (card_without_directory_h: number) => ({
      params: { kerberos: kerberosOf({ card_without_directory_h }) },
    });
    expect(await ask(one, hours(4))).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await stand.world.admin(one, hours(25))).status).toBe(422);
    expect((await stand.world.admin(one, hours(24))).status).toBe(200);
    expect((await stand.world.admin(one, hours(0))).status).toBe(200);
  });
});
