import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authenticators } from '../../../db/repositories/identity/authenticators.ts';
import { groups as groupTable } from '../../../db/schema/identity/groups.ts';
import { domainTypes } from '../../../shared/identity/domains/registry.ts';
import { createAuthority } from '../../simulator/authority.ts';
import { type LdapWire, startLdapWire } from '../../support/directories/ldap-wire.ts';
import {
  adAdmin,
  adDn,
  adPassword,
  adSuffix,
  hasSamba,
  type Samba,
  startSamba,
} from '../../support/directories/samba.ts';
import {
  addDirectory,
  addGroup,
  audited,
  domainsPath,
  startWorld,
  type World,
} from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const crowd = Array.from({ length: 200 }, (_, at) => `crowd${at}`);
const codeOf = ({ status, body }: Json): unknown => [status, body.code];
const wrong = [401, 'invalid_credentials'];

requireService('samba', hasSamba)('Active Directory (Samba)', () => {
  let samba: Samba;
  let wire: LdapWire;
  let world: World;
  beforeAll(async () => {
    samba = await startSamba(await createAuthority('Directories'));
    for (const name of ['alice', 'bob', 'workstation', 'disabled', 'gone', 'must', 'odd', ...crowd])
      await samba.addUser(name);
    await samba.addGroup('Inner', ['alice', 'must', 'gone', 'workstation', ...crowd].map(adDn));
    await samba.addGroup('Outer', [adDn('Inner')]);
    await samba.addGroup('Old name', [adDn('bob')]);
    await samba.replace(adDn('must'), { pwdLastSet: '0' });
    await samba.replace(adDn('gone'), { accountExpires: '133000000000000000' });
    await samba.replace(adDn('workstation'), { userWorkstations: 'PC7' });
    wire = await startLdapWire(samba.url);
    world = await startWorld();
  }, 120_000);
  afterAll(async () => {
    await world.portal.close();
    await wire.close();
    await samba.stop();
  });

  const domain = (params: Json = {}): Promise<Json> =>
    addDirectory(
      world.admin,
      { hosts: [wire.url], base_dn: adSuffix, ...adAdmin, ...params },
      { type: 'active_directory' },
    );
  const domainFor = async (group: Json, params: Json = {}): Promise<Json> => {
    const made = await domain({ nested_groups: true, ...params });
    await addGroup(world.admin, made, group);
    return made;
  };
  const logIn = ({ id }: Json, username: string, password = adPassword(username)): Promise<Answer> =>
    world.portal.send('POST /api/auth/v7.0/login', { body: { username, password, authId: id } });
  /** The time of many concurrent logins depends on the machine. */
  const withoutHurry = async <T>(work: () => Promise<T>): Promise<T> => {
    const { directories } = world.portal.deps;
    const { within } = directories;
    Object.assign(directories, {
      within: (...[to, use]: Parameters<typeof within>) => within(to, use, 60_000),
    });
    try {
      return await work();
    } finally {
      Object.assign(directories, { within });
    }
  };
  const sidOf = async (domainId: string) => {
    const [row] = await world.portal.db
      .select({ sid: groupTable.directory_id })
      .from(groupTable)
      .where(eq(groupTable.authenticator_id, domainId));
    return row?.sid;
  };

  it('the primary group is included, with and without nested groups', async () => {
    for (const nested_groups of [true, false]) {
      const made = await domainFor({ name: 'Domain Users' }, { nested_groups });
      expect([nested_groups, (await logIn(made, 'bob')).status]).toEqual([nested_groups, 200]);
      expect(await sidOf(made.id)).toMatch(/^S-1-5-21-\d+-\d+-\d+-513$/);
      const { directory_authority } = (await world.admin(`GET ${domainsPath}/${made.id}`)).body;
      expect(`${directory_authority}-513`).toBe(await sidOf(made.id));
    }
  });

  it('nested groups are included only if the domain enables them', async () => {
    const nested = await domainFor({ name: 'Outer' });
    expect((await logIn(nested, 'alice')).status).toBe(200);
    expect(codeOf(await logIn(nested, 'bob'))).toEqual([403, 'no_registered_group']);
    const direct = await domainFor({ name: 'Outer' }, { nested_groups: false });
    expect(codeOf(await logIn(direct, 'alice'))).toEqual([403, 'no_registered_group']);
  });

  it('a registered group keeps its SID and is matched by it after a rename', async () => {
    const made = await domainFor({
      external_id: adDn('OLD NAME').replaceAll(',', ' , '),
      name: 'registered',
    });
    expect(await sidOf(made.id)).toMatch(/^S-1-5-21-/);
    expect((await logIn(made, 'bob')).status).toBe(200);
    await samba.rename(adDn('Old name'), 'CN=New name');
    // Another group gets the name: it is not the registered one.
    await samba.addGroup('Old name', [adDn('odd')], { sAMAccountName: 'another' });
    expect((await logIn(made, 'bob')).status).toBe(200);
    expect(codeOf(await logIn(made, 'odd'))).toEqual([403, 'no_registered_group']);
    const { body } = await world.admin(`GET ${domainsPath}/${made.id}/groups/external?search=name`);
    expect(body.map(({ name, registered }: Json) => [name, registered])).toEqual([
      ['New name', true],
      ['Old name', false],
    ]);
  });

  it('a login is one search, one bind as the user and one group read', async () => {
    const made = await domainFor({ name: 'Outer' });
    expect((await logIn(made, 'alice')).status).toBe(200);
    const before = [wire.operations.length, wire.connections()];
    expect((await logIn(made, 'alice')).status).toBe(200);
    expect(wire.operations.slice(before[0])).toEqual(['search', 'bind', 'search']);
    expect(wire.connections()).toBe(before[1]);
  });

  it('200 concurrent logins all succeed over eight pairs of connections', async () => {
    const made = await domainFor({ name: 'Outer' }, { timeout_s: 30 });
    expect((await logIn(made, 'alice')).status).toBe(200);
    const before = wire.connections();
    const answers = await withoutHurry(() => Promise.all(crowd.map((name) => logIn(made, name))));
    expect(answers.filter(({ status }) => status !== 200).map(codeOf)).toEqual([]);
    // One pair exists already.
    expect(wire.connections() - before).toBeLessThanOrEqual(14);
  }, 120_000);

  it('the reason of a refusal is in the audit and in the test, and a right password that must change gets it', async () => {
    const made = await domainFor({ name: 'Inner' });
    const reasonOf = async (name: string, password?: string) => {
      const { result, events } = await audited(world.portal, () => logIn(made, name, password));
      return [...(codeOf(result) as unknown[]), events[0]?.details.reason];
    };
    expect(await reasonOf('must')).toEqual([403, 'password_expired', 'must_change']);
    expect(await reasonOf('must', 'wrong')).toEqual([...wrong, 'wrong_password']);
    expect(await reasonOf('gone')).toEqual([...wrong, 'account_expired']);
    expect(await reasonOf('workstation')).toEqual([...wrong, 'workstation']);
    expect(await reasonOf('alice', 'wrong')).toEqual([...wrong, 'wrong_password']);
    const params = { hosts: [wire.url], base_dn: adSuffix, ...adAdmin };
    const { body } = await world.admin(`POST ${domainsPath}/test/active_directory`, {
      params,
      username: 'must',
      password: adPassword('must'),
    });
    const check = body.checks.find(({ name }: Json) => name === 'password');
    expect(check).toMatchObject({ status: 'fail' });
    expect(check.detail).toContain('must_change');
  });

  it('a right password that must change is not counted as a failure', async () => {
    const made = await domainFor({ name: 'Inner' });
    for (let at = 0; at < 7; at++)
      expect(codeOf(await logIn(made, 'must'))).toEqual([403, 'password_expired']);
  });

  it('an anonymous search is answered with the need for an account', async () => {
    const made = await domain({ bind_dn: '', bind_password: null });
    const { status, body } = await logIn(made, 'alice');
    expect([status, body.code, body.reason]).toEqual([502, 'upstream_refused', 'account_required']);
  });

  it('computers and krbtgt are excluded from users', async () => {
    const { id } = await domain();
    const stored = await authenticators.find(world.portal.db, id, { scope: '*' });
    if (!stored) throw new Error('the domain is gone');
    const found =
      (await domainTypes.active_directory.directory?.findUnregistered(world.portal.deps, stored, '')) ?? [];
    const names = found.filter(({ type }) => type === 'user').map(({ name }) => name);
    expect(names).toContain('alice');
    expect(names.filter((name) => name.endsWith('$') || name === 'krbtgt')).toEqual([]);
  });
});
