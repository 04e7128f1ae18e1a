import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { groupDn, groupOfNames, person, personDn } from '../../support/directories/entries.ts';
import { hasSlapd, suffix } from '../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../support/directories/stand.ts';
import { addGroup, domainsPath, useStand } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(4, '0')}`);
const names = numbered('user', 2_000);
const [member = '', outsider = ''] = names;

/** A user entry of Active Directory, with an identifier of 16 octets. */
const account = (uid: string, members: Record<string, string>): string =>
  person(uid, {
    ...members,
    'objectGUID:': createHash('sha256').update(uid).digest().subarray(0, 16).toString('base64'),
  });

const ldif = [
  ...names.map((uid) =>
    account(uid, { sAMAccountName: uid, userPrincipalName: `${uid}.principal@corp.example` }),
  ),
  account('disabled', { sAMAccountName: 'disabled', userAccountControl: '514' }),
  account('enabled', { sAMAccountName: 'enabled', userAccountControl: '512' }),
  account('locked', { sAMAccountName: 'locked', nsAccountLock: 'TRUE' }),
  account('expired', { sAMAccountName: 'expired', shadowExpire: '10' }),
  account('lasting', { sAMAccountName: 'lasting', shadowExpire: '-1' }),
  // A principal name refers to another user than the same text as a login name.
  account('taken', { sAMAccountName: 'taken' }),
  account('taker', { sAMAccountName: 'taker', userPrincipalName: 'taken@corp.example' }),
  ...numbered('group', 150).map((cn) => groupOfNames(cn, [personDn(member)])),
  groupOfNames(
    'inner',
    ['enabled', 'disabled', 'locked', 'expired', 'lasting', 'taken', 'taker', member].map(personDn),
  ),
  groupOfNames('middle', [groupDn('inner')]),
  // A cycle.
  groupOfNames('outer', [groupDn('middle'), groupDn('round')]),
  groupOfNames('round', [groupDn('outer')]),
  `dn: ou=elsewhere,ou=people,${suffix}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://127.0.0.1:1/dc=elsewhere\n\n`,
].join('');

const active = {
  user_class: 'inetOrgPerson',
  group_class: 'groupOfNames',
  page_size: 40,
  nested_groups: true,
};
const activeDirectory = { type: 'active_directory' };
const wrong = [401, 'invalid_credentials'];
const codeOf = ({ status, body }: Json): unknown => [status, body.code];

requireService('slapd', hasSlapd)('groups of a directory of 2,000 people', () => {
  const stand = useStand(() => startDirectoryStand(ldif));

  const groupsOf = async (domain: Json, name: string, password?: string): Promise<string[]> => {
    const answer = await stand.logIn(domain, name, password);
    expect(answer).toMatchObject({ status: 200 });
    const { body } = await stand.world.portal.send('GET /api/userinfo', { token: answer.body.token });
    return body.groups.map(({ name: group }: Json) => group);
  };

  it('are found through nested groups, including cycles, if the domain enables them', async () => {
    const direct = await stand.domainFor('inner', { ...active, nested_groups: false }, activeDirectory);
    await addGroup(stand.world.admin, direct, { name: 'outer' });
    expect(await groupsOf(direct, 'enabled')).toEqual(['inner']);
    const nested = await stand.domainFor('outer', active, activeDirectory);
    for (const name of ['middle', 'round', 'inner']) await addGroup(stand.world.admin, nested, { name });
    expect(await groupsOf(nested, 'enabled')).toEqual(['inner', 'middle', 'outer', 'round']);
  });

  it('are all found beyond the limit of one response, page by page', async () => {
    const domain = await stand.domainFor('group0149', active, activeDirectory);
    await addGroup(stand.world.admin, domain, { name: 'group0000' });
    await addGroup(stand.world.admin, domain, { external_id: groupDn('group0120') });
    expect(await groupsOf(domain, member)).toHaveLength(3);
    expect(codeOf(await stand.logIn(domain, outsider))).toEqual([403, 'no_registered_group']);
  });

  it('are listed by name with their registration, and filter characters in a search are literal', async () => {
    const domain = await stand.domainFor('middle', active, activeDirectory);
    const list = async (query: string) =>
      (await stand.world.admin(`GET ${domainsPath}/${domain.id}/groups/external${query}`)).body;
    const all = await list('?limit=500');
    expect(all.map(({ name }: Json) => name)).toEqual([
      ...numbered('group', 150),
      'inner',
      'middle',
      'outer',
      'round',
    ]);
    expect(all.filter(({ registered }: Json) => registered)).toEqual([
      { id: groupDn('middle'), name: 'middle', registered: true },
    ]);
    expect((await list('')).length).toBe(50);
    expect((await list('?search=OUT')).map(({ name }: Json) => name)).toEqual(['outer']);
    for (const hostile of ['*', ')(cn=*', '\\2a', 'out*'])
      expect([hostile, await list(`?search=${encodeURIComponent(hostile)}`)]).toEqual([hostile, []]);
    await addGroup(stand.world.admin, domain, { external_id: all[0].id });
    expect((await list('?search=group0000'))[0].registered).toBe(true);
  });

  it('are not listed for an internal domain, nor for an unknown one', async () => {
    const path = (id: string) => `GET ${domainsPath}/${id}/groups/external`;
    const { status, body } = await stand.world.admin(path(stand.world.domain.id));
    expect([status, body.code, body.reason]).toEqual([409, 'invalid_state', 'no_directory']);
    expect((await stand.world.admin(path(stand.world.site.id))).status).toBe(404);
  });

  it('do not admit users whose account is disabled, locked or expired, with a right password', async () => {
    const domain = await stand.domainFor('inner', active, activeDirectory);
    for (const name of ['disabled', 'locked', 'expired'])
      expect([name, codeOf(await stand.logIn(domain, name))]).toEqual([name, wrong]);
    for (const name of ['enabled', 'lasting'])
      expect([name, (await stand.logIn(domain, name)).status]).toEqual([name, 200]);
  });

  it('belong to the entered principal, not to the user of its first part', async () => {
    const domain = await stand.domainFor('inner', active, activeDirectory);
    const principal = `${member}.principal@CORP.example`;
    const answer = await stand.logIn(domain, principal, `secret of ${member}`);
    expect(answer.body.user?.name).toBe(member);
    const taker = await stand.logIn(domain, 'taken@corp.example', 'secret of taker');
    expect(taker.body.user?.name).toBe('taker');
    expect(codeOf(await stand.logIn(domain, 'taken@corp.example', 'secret of taken'))).toEqual(wrong);
    expect((await stand.logIn(domain, 'taken')).body.user?.name).toBe('taken');
  });

  it('belong to exactly one entry: two entries of one name are refused', async () => {
    const params = { ...active, user_id_attribute: 'sn', nested_groups: false };
    const domain = await stand.domainFor('inner', params, activeDirectory);
    expect((await stand.logIn(domain, 'enabled')).status).toBe(200);
    await stand.slapd.change(`dn: ${personDn('lasting')}\nchangetype: modify\nreplace: sn\nsn: enabled`);
    expect(codeOf(await stand.logIn(domain, 'enabled'))).toEqual(wrong);
  });

  it('belong only to users that match the filter of the domain', async () => {
    const domain = await stand.domainFor(
      'inner',
      { ...active, user_filter: '(!(uid=enabled))' },
      activeDirectory,
    );
    expect(codeOf(await stand.logIn(domain, 'enabled'))).toEqual(wrong);
    expect((await stand.logIn(domain, 'taken')).status).toBe(200);
  });
});
