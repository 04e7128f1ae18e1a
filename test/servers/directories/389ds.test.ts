import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { users } from '../../../db/schema/identity/users.ts';
import {
  type Ds389,
  hasDs389,
  ipaObject,
  ipaSchema,
  readerRights,
  startDs389,
} from '../../support/directories/ds389.ts';
import {
  entry,
  groupDn,
  groupOfNames,
  passwordOf,
  person,
  personDn,
} from '../../support/directories/entries.ts';
import { type LdapWire, startLdapWire } from '../../support/directories/ldap-wire.ts';
import { reader, suffix } from '../../support/directories/slapd.ts';
import {
  addDirectory,
  addGroup,
  addRole,
  audited,
  domainsPath,
  startWorld,
  usersPath,
  type World,
} from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const codeOf = ({ status, body }: Json): unknown => [status, body.code];
const wrong = [401, 'invalid_credentials'];
const plain = () => ipaObject('inetOrgPerson');
const change = (dn: string, attribute: string, value: string): string =>
  `dn: ${dn}\nchangetype: modify\nreplace: ${attribute}\n${attribute}: ${value}\n\n`;
const names = ['alice', 'reset', 'expired', 'expiring', 'outsider', 'bea', 'eva', 'old', 'young', 'zoe'];
const preserved = `cn=deleted users,cn=accounts,cn=provisioning,${suffix}`;
const container = (dn: string): string =>
  entry(dn, { objectClass: 'nsContainer', cn: dn.slice(3, dn.indexOf(',')) });

const ldif = [
  ipaSchema,
  readerRights,
  ...names.map((uid) => person(uid, plain())),
  groupOfNames('inner', names.filter((name) => name !== 'outsider').map(personDn)),
  groupOfNames('outer', [groupDn('inner')]),
  container(`cn=provisioning,${suffix}`),
  container(`cn=accounts,cn=provisioning,${suffix}`),
  container(preserved),
  entry(`uid=alice,${preserved}`, { ...plain(), uid: 'alice', cn: 'Former', sn: 'Former' }),
].join('');

requireService('389-ds', hasDs389)('389-ds as in FreeIPA', () => {
  let ds: Ds389;
  let wire: LdapWire;
  let world: World;
  beforeAll(async () => {
    ds = await startDs389(ldif);
    ds.change(
      `dn: cn=config\nchangetype: modify\nreplace: passwordMustChange\npasswordMustChange: on\n-\nreplace: passwordExp\npasswordExp: on\n\n`,
    );
    // The user must change a password that the manager sets.
    for (const name of ['reset', 'expired', 'expiring'])
      ds.change(change(personDn(name), 'userPassword', passwordOf(name)));
    ds.change(change(personDn('expired'), 'passwordExpirationTime', '20200101000000Z'));
    wire = await startLdapWire(ds.url);
    world = await startWorld();
  }, 120_000);
  afterAll(async () => {
    await world.portal.close();
    await wire.close();
    await ds.stop();
  });

  const domainFor = async (name: string, type = 'freeipa'): Promise<Json> => {
    const params = { hosts: [wire.url], base_dn: suffix, ...reader, group_class: 'groupOfNames' };
    const byDn = { ...params, member_attribute: 'member' };
    const made = await addDirectory(world.admin, byDn, { type });
    await addGroup(world.admin, made, { name });
    return made;
  };
  const logIn = ({ id }: Json, username: string, password = passwordOf(username)): Promise<Answer> =>
    world.portal.send('POST /api/auth/v7.0/login', { body: { username, password, authId: id } });

  it('a password that must be changed opens no session, and only the right one gets the reason', async () => {
    const domain = await domainFor('inner');
    const { result, events } = await audited(world.portal, () => logIn(domain, 'reset'));
    expect(codeOf(result)).toEqual([403, 'password_expired']);
    expect(events.map(({ event, details }) => [event, details.code, details.reason])).toEqual([
      ['portal.LoginFailed', 'password_expired', 'must_change'],
    ]);
    expect(codeOf(await logIn(domain, 'reset', 'wrong'))).toEqual(wrong);
    expect((await logIn(domain, 'alice')).status).toBe(200);
  });

  it('an expired password returns 403, a wrong one of the same account 401', async () => {
    const domain = await domainFor('inner');
    expect(codeOf(await logIn(domain, 'expired'))).toEqual([403, 'password_expired']);
    expect(codeOf(await logIn(domain, 'expired', 'wrong'))).toEqual(wrong);
  });

  it('nested groups of FreeIPA are read from memberOf, with one group search', async () => {
    const domain = await domainFor('outer');
    expect((await logIn(domain, 'alice')).status).toBe(200);
    const { directory_authority } = (await world.admin(`GET ${domainsPath}/${domain.id}`)).body;
    expect(directory_authority).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{8}){3}$/);
    const before = wire.operations.length;
    expect((await logIn(domain, 'alice')).status).toBe(200);
    expect(wire.operations.slice(before)).toEqual(['search', 'bind', 'search']);
    expect(codeOf(await logIn(domain, 'outsider'))).toEqual([403, 'no_registered_group']);
  });

  it('a preserved entry of the same name does not prevent the login', async () => {
    const domain = await domainFor('inner');
    expect((await logIn(domain, 'alice')).status).toBe(200);
  });

  const idOf = async (domain: Json, name: string): Promise<string | null | undefined> => {
    const of = and(eq(users.authenticator_id, domain.id), eq(users.name_key, name));
    const [row] = await world.portal.db.select({ id: users.directory_id }).from(users).where(of);
    return row?.id;
  };
  const renamed = (from: string, to: string): string =>
    `dn: ${personDn(from)}\nchangetype: modrdn\nnewrdn: uid=${to}\ndeleteoldrdn: 1\n\n`;

  it('FreeIPA identifies by ipaUniqueID, other servers by entryUUID, whatever other attributes an entry has', async () => {
    const [ipa, ldap] = [await domainFor('inner'), await domainFor('inner', 'ldap')];
    for (const domain of [ipa, ldap]) expect((await logIn(domain, 'bea')).status).toBe(200);
    expect(await idOf(ipa, 'bea')).toMatch(/^ipaUniqueID:[0-9a-f-]{36}$/);
    expect(await idOf(ldap, 'bea')).toMatch(/^entryUUID:[0-9a-f-]{36}$/);
  });

  it('a user identified by nsUniqueId stays the same when entryUUID appears', async () => {
    const domain = await domainFor('inner', 'ldap');
    const hide = (how: 'add' | 'delete'): string =>
      `dn: ${suffix}\nchangetype: modify\n${how}: aci\naci: (targetattr="entryUUID")(version 3.0; acl "hide"; deny (all) userdn="ldap:///${reader.bind_dn}";)\n\n`;
    ds.change(hide('add'));
    const [first, former] = [await logIn(domain, 'bea'), await logIn(domain, 'eva')];
    const stored = await idOf(domain, 'bea');
    expect(stored).toMatch(/^nsUniqueId:[0-9a-f]{8}(-[0-9a-f]{8}){3}$/);
    const role = await addRole(world.admin, ['sites.read']);
    await world.admin(`PATCH ${usersPath(domain)}/${first.body.user.id}`, { roles: [role.id] });
    ds.change(hide('delete'));
    const again = await logIn(domain, 'bea');
    expect(again.body.user).toMatchObject({ id: first.body.user.id, roles: [role.name] });
    expect(await idOf(domain, 'bea')).toBe(stored);
    // A new entry takes the name of a former one, which the stored attribute still matches.
    ds.change(renamed('eva', 'eva2') + renamed('zoe', 'eva'));
    expect((await logIn(domain, 'eva', passwordOf('zoe'))).body.user.id).not.toBe(former.body.user.id);
    expect((await logIn(domain, 'eva2', passwordOf('eva'))).body.user.id).toBe(former.body.user.id);
  });

  it('the entry of a preserved user counts as deleted when the name is reused', async () => {
    const domain = await domainFor('inner');
    const former = (await logIn(domain, 'old')).body.user.id;
    ds.change(
      `dn: ${personDn('old')}\nchangetype: modrdn\nnewrdn: uid=old\ndeleteoldrdn: 0\nnewsuperior: ${preserved}\n\n${renamed('young', 'old')}`,
    );
    const { status, body } = await logIn(domain, 'old', passwordOf('young'));
    expect([status, body.user?.id === former]).toEqual([200, false]);
    const [row] = await world.portal.db.select().from(users).where(eq(users.id, former));
    expect(row).toMatchObject({ state: 'inactive', name: expect.stringMatching(/^old~[0-9a-f]{8}$/) });
  });
});
