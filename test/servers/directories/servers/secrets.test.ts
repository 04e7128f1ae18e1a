import { eq } from 'drizzle-orm';
import { beforeAll, expect, it } from 'vitest';
import { authenticators } from '../../../../db/schema/identity/authenticators.ts';
import { person, posixGroup } from '../../../support/directories/entries.ts';
import { hasSlapd, reader, suffix } from '../../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../../support/directories/stand.ts';
import { addMember, base, directoryBody, domainsPath, useStand } from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';
import { requireService } from '../../../support/services.ts';

requireService('slapd', hasSlapd)('the stored account of a directory', () => {
  const stand = useStand(() =>
    startDirectoryStand(
      person('alice', { carLicense: 'M-AL 1', mail: 'alice@example.com' }) + posixGroup('staff', ['alice']),
    ),
  );
  let domain: Json;
  beforeAll(async () => {
    domain = await stand.domain();
  });

  const admin = (route: string, body?: unknown) => stand.world.admin(route, body);
  const test = (params: Json, ask = admin) =>
    ask(`POST ${domainsPath}/test/ldap`, { id: domain.id, params: { ...domain.params, ...params } });
  const add = (source: string, name = source.replace(/\W/g, '_')) =>
    admin(`PATCH ${domainsPath}/${domain.id}/attribute`, { action: 'add', name, source });
  const extend = async (value: string) => {
    const saved = await admin(`PUT ${base}/tconfig`, { directory: { extra_attributes: { value } } });
    return saved.status;
  };

  it('cannot be read with a filter or a base of the caller of a test', async () => {
    const tester = await addMember(stand.world, ['authenticators.read', 'authenticators.test']);
    const guess = { user_filter: '(mail=a*)' };
    for (const change of [guess, { base_dn: `ou=people,${suffix}` }, { bind_dn: 'cn=other' }]) {
      const before = await stand.slapd.bindsAs(reader.bind_dn);
      const refused = await test(change, tester.ask);
      expect([refused.status, refused.body.code, refused.body.errors?.[0]?.pointer]).toEqual([
        422,
        'secret_required',
        '/params/bind_password',
      ]);
      expect(await stand.slapd.bindsAs(reader.bind_dn)).toBe(before);
    }
    expect((await test({}, tester.ask)).body.success).toBe(true);
    const sent = await test({ ...guess, bind_password: reader.bind_password });
    expect(sent.body.checks.find(({ name }: Json) => name === 'bind').status).toBe('pass');
  });

  it.each([
    ...['userPassword', 'authPassword', 'unicodePwd', 'msDS-ManagedPassword', 'sambaNTPassword'],
    ...['2.5.4.35', '2.5.4.3', 'userPassword;lang-en', 'krbPrincipalKey', 'anythingElse'],
  ])('%s is neither copied nor accepted as a parameter', async (source) => {
    const refused = await add(source);
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([422, '/source']);
    for (const member of [
      'user_name_attribute',
      'user_id_attribute',
      'group_id_attribute',
      'member_attribute',
    ]) {
      const made = await admin(`POST ${domainsPath}`, directoryBody({ [member]: source }));
      expect([member, made.status, made.body.errors?.[0]?.pointer]).toEqual([
        member,
        422,
        `/params/${member}`,
      ]);
    }
    const changed = await admin(`PATCH ${domainsPath}/${domain.id}`, {
      params: { user_name_attribute: source },
    });
    expect(changed.status).toBe(422);
    const tested = await test({ user_name_attribute: source });
    const check = tested.body.checks.find(({ name }: Json) => name === 'attributes');
    expect([tested.body.success, check.status]).toEqual([false, 'fail']);
  });

  it('the list is extended by names, and only by a caller with all sites', async () => {
    expect((await add('badgeNumber')).status).toBe(422);
    expect(await extend('2.5.4.35')).toBe(422);
    expect(await extend('badgeNumber,shoeSize')).toBe(200);
    expect((await add('BadgeNumber')).status).toBe(200);
    const narrow = await addMember(stand.world, ['system_parameters.update'], [stand.world.site.id]);
    const refused = await narrow.ask(`PUT ${base}/tconfig`, {
      directory: { extra_attributes: { value: 'x' } },
    });
    expect(refused.status).toBe(403);
    expect(await extend('')).toBe(200);
  });

  it('older settings outside the list are kept, and flagged by a test', async () => {
    const older = await stand.domain();
    const { params } = authenticators;
    const { db } = stand.world.portal;
    const [row] = await db.select({ params }).from(authenticators).where(eq(authenticators.id, older.id));
    await db
      .update(authenticators)
      .set({
        params: { ...row?.params, user_name_attribute: 'authPassword' },
        attributes: [{ name: 'old', source: 'shoeSize', title: '' }],
      })
      .where(eq(authenticators.id, older.id));
    const kept = await admin(`PATCH ${domainsPath}/${older.id}`, { comments: 'noted' });
    expect([kept.status, kept.body.params.user_name_attribute]).toEqual([200, 'authPassword']);
    const added = await admin(`PATCH ${domainsPath}/${older.id}/attribute`, { action: 'add', name: 'mail' });
    expect([added.status, added.body.attributes.length]).toEqual([200, 2]);
    const { body } = await admin(`POST ${domainsPath}/test/ldap`, { id: older.id, params: kept.body.params });
    const check = body.checks.find(({ name }: Json) => name === 'attributes');
    expect([body.success, check.status]).toEqual([false, 'fail']);
    expect(check.detail).toContain('/params/user_name_attribute');
    expect(check.detail).toContain('shoeSize');
  });

  it('older settings outside the list are not read at a login', async () => {
    const older = await stand.domainFor('staff');
    const { params } = authenticators;
    const { db } = stand.world.portal;
    const [row] = await db.select({ params }).from(authenticators).where(eq(authenticators.id, older.id));
    await db
      .update(authenticators)
      .set({
        params: { ...row?.params, user_name_attribute: 'carLicense' },
        attributes: [
          { name: 'plate', source: 'carLicense', title: '' },
          { name: 'post', source: 'mail', title: '' },
        ],
      })
      .where(eq(authenticators.id, older.id));
    expect((await stand.logIn(older, 'alice')).status).toBe(200);
    const copied = async () => {
      const { body } = await admin(`GET ${domainsPath}/${older.id}/users?search=alice`);
      return [body.items[0].real_name, Object.keys(body.items[0].attributes).sort()];
    };
    expect(await copied()).toEqual(['Person alice', ['post']]);
    expect(await extend('carLicense')).toBe(200);
    expect((await stand.logIn(older, 'alice')).status).toBe(200);
    expect(await copied()).toEqual(['M-AL 1', ['plate', 'post']]);
    expect(await extend('')).toBe(200);
  });
});
