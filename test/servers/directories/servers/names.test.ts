import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groups } from '../../../../db/schema/identity/groups.ts';
import { createAuthority } from '../../../simulator/authority.ts';
import {
  type Ds389,
  hasDs389,
  ipaObject,
  ipaSchema,
  readerRights,
  startDs389,
} from '../../../support/directories/ds389.ts';
import {
  entry,
  groupDn,
  groupOfNames,
  passwordOf,
  person,
  personDn,
} from '../../../support/directories/entries.ts';
import {
  adAdmin,
  adDn,
  adPassword,
  adSuffix,
  hasSamba,
  type Samba,
  startSamba,
} from '../../../support/directories/samba.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../../../support/directories/slapd.ts';
import { addDirectory, addGroup, groupsPath, startWorld, type World } from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';
import { requireService } from '../../../support/services.ts';

const container = `ou=groups,${suffix}`;
const plain = () => ({ objectClass: ['inetOrgPerson'] });
const group = { objectClass: 'groupOfNames', member: personDn('alice') };
const ldifOf = (members: () => Record<string, string | string[]>): string =>
  [
    ...['alice', 'bob'].map((uid) => person(uid, members())),
    entry(`cn=Ärzte\\, West+ou=Berlin,${container}`, { ...group, cn: 'Ärzte, West', ou: 'Berlin' }),
    groupOfNames('Ärzte', [personDn('bob')]),
  ].join('');

/** One group in spellings that administrators enter. */
const spellings = [
  `CN=äRZTE\\, WEST+OU=BERLIN,OU=Groups,DC=Example,DC=COM`,
  `cn = Ärzte\\, West + ou = Berlin , ou = groups , dc = example , dc = com`,
  `ou=Berlin+cn=Ärzte\\, West,${container}`,
  `cn=Ärzte\\2C West+ou=Berlin,${container}`,
  `cn=\\C3\\84rzte\\2c West+ou=Berlin,${container}`,
  `cn="Ärzte, West"+ou=Berlin;${container}`,
  `2.5.4.3=Ärzte\\, West+organizationalUnitName=Berlin,${container}`,
  `cn=Ärzte\\,  West+ou=Berlin,${container}`,
];
/** Other entries, and invalid texts. */
const others = [groupDn('Ärzte'), `cn=Ärzte\\, West,${container}`, `cn=Ärzte,ou=West+ou=Berlin,${container}`];

let world: World;
const register = async (made: Json, external_id: string): Promise<Json> => {
  await addGroup(world.admin, made, { external_id });
  return made;
};
const logIn = async ({ id }: Json, username: string, password: string): Promise<unknown> => {
  const { status, body } = await world.portal.send('POST /api/auth/v7.0/login', {
    body: { username, password, authId: id },
  });
  return [status, body.code];
};
const admitted = [200, undefined];
const refused = [403, 'no_registered_group'];

const params = (url: string): Json => ({
  hosts: [url],
  base_dn: suffix,
  ...reader,
  group_class: 'groupOfNames',
  member_attribute: 'member',
});

async function expectMatches(url: string, type: string): Promise<void> {
  const domainFor = async (dn: string) =>
    register(await addDirectory(world.admin, params(url), { type }), dn);
  for (const dn of spellings)
    expect([dn, await logIn(await domainFor(dn), 'alice', passwordOf('alice'))]).toEqual([dn, admitted]);
  for (const dn of others)
    expect([dn, await logIn(await domainFor(dn), 'alice', passwordOf('alice'))]).toEqual([dn, refused]);
}

requireService('slapd', hasSlapd)('names of groups in OpenLDAP', () => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startSlapd(await (await createAuthority('Directories')).issue(), ldifOf(plain));
    world = await startWorld();
  });
  afterAll(async () => {
    await world.portal.close();
    await slapd.stop();
  });

  it('a group matches in any spelling of its distinguished name', () => expectMatches(slapd.url, 'ldap'));

  it('a text that is not a distinguished name is refused when a group is registered', async () => {
    const made = await addDirectory(world.admin, params(slapd.url));
    for (const external_id of ['staff', 'cn=staff,', 'cn=\\zz,dc=example']) {
      const answer = await world.admin(`POST ${groupsPath(made)}`, { name: 'staff', external_id });
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, '/external_id']);
    }
  });

  it('the list of external groups shows a group as registered in any spelling', async () => {
    for (const dn of spellings) {
      const made = await register(await addDirectory(world.admin, params(slapd.url)), dn);
      const { body } = await world.admin(`GET ${groupsPath(made)}/external`);
      const shown = body.map(({ name, registered }: Json) => [name, registered]);
      expect([dn, ...shown]).toEqual([dn, ['Ärzte', false], ['Ärzte, West', true]]);
    }
  });
});

requireService('389-ds', hasDs389)('names of groups in 389-ds', () => {
  let ds: Ds389;
  beforeAll(async () => {
    ds = await startDs389(ipaSchema + readerRights + ldifOf(() => ipaObject('inetOrgPerson')));
    world = await startWorld();
  }, 120_000);
  afterAll(async () => {
    await world.portal.close();
    await ds.stop();
  });

  it('a group matches in any spelling of its distinguished name', async () => {
    await expectMatches(ds.url, 'ldap');
    await expectMatches(ds.url, 'freeipa');
  });
});

requireService('samba', hasSamba)('names of groups in Active Directory (Samba)', () => {
  let samba: Samba;
  beforeAll(async () => {
    samba = await startSamba(await createAuthority('Directories'));
    await samba.addUser('alice');
    await samba.addGroup('Ärzte\\, West', [adDn('alice')], { sAMAccountName: 'west' });
    world = await startWorld();
  }, 120_000);
  afterAll(async () => {
    await world.portal.close();
    await samba.stop();
  });

  it.each([true, false])('a group matches in any spelling, nested groups %s', async (nested_groups) => {
    const typed = [
      `cn=ärzte\\, west,cn=users,dc=corp,dc=example`,
      `CN = Ärzte\\2C West , CN = Users , DC = corp , DC = example`,
      `CN="Ärzte, West";CN=Users;DC=corp;DC=example`,
      `commonName=\\C3\\84rzte\\, West,CN=Users,DC=corp,DC=example`,
    ];
    for (const dn of typed) {
      const given = { hosts: [samba.url], base_dn: adSuffix, ...adAdmin, nested_groups };
      const made = await addDirectory(world.admin, given, { type: 'active_directory' });
      const group = await addGroup(world.admin, made, { external_id: dn });
      const { db } = world.portal;
      const sids = () => db.select({ sid: groups.directory_id }).from(groups).where(eq(groups.id, group.id));
      expect([dn, await sids()]).toEqual([dn, [{ sid: expect.stringMatching(/^S-1-5-21-/) }]]);
      expect([dn, await logIn(made, 'alice', adPassword('alice'))]).toEqual([dn, admitted]);
      // As if the directory had been unavailable at registration.
      await db.update(groups).set({ directory_id: null }).where(eq(groups.id, group.id));
      expect([dn, await logIn(made, 'alice', adPassword('alice'))]).toEqual([dn, admitted]);
      expect([dn, await sids()]).toEqual([dn, [{ sid: expect.stringMatching(/^S-1-5-21-/) }]]);
    }
  });
});
