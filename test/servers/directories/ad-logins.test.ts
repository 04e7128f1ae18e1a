import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority } from '../../simulator/authority.ts';
import { type LdapWire, startLdapWire } from '../../support/directories/ldap-wire.ts';
import {
  adAdmin,
  adDn,
  adPassword,
  adPolicy,
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
  unique,
  type World,
} from '../../support/factories.ts';
import type { Answer, Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const wrong = [401, 'invalid_credentials'];
const codeOf = ({ status, body }: Json): unknown => [status, body.code];

requireService('samba', hasSamba)('logins of Active Directory (Samba)', () => {
  let samba: Samba;
  let wire: LdapWire;
  let world: World;
  beforeAll(async () => {
    samba = await startSamba(await createAuthority('Directories'));
    for (const name of ['alice', 'bob', 'night', 'off', 'gone', 'must', 'shut']) await samba.addUser(name);
    await samba.replace(adDn('bob'), { userPrincipalName: 'robert@extra.example' });
    await samba.replace(`CN=Partitions,CN=Configuration,${adSuffix}`, { uPNSuffixes: 'extra.example' });
    await samba.replace(adDn('night'), { logonHours: '\0'.repeat(21) });
    await samba.replace(adDn('off'), { userAccountControl: '514' });
    await samba.replace(adDn('gone'), { accountExpires: '133000000000000000' });
    await samba.replace(adDn('must'), { pwdLastSet: '0' });
    await samba.add(...adPolicy('locking', ['shut'], { 'msDS-LockoutThreshold': '2' }));
    wire = await startLdapWire(samba.url);
    world = await startWorld();
  }, 120_000);
  afterAll(async () => {
    await world.portal.close();
    await wire.close();
    await samba.stop();
  });

  const params = (): Json => ({ hosts: [wire.url], base_dn: adSuffix, ...adAdmin });
  const domainFor = async (given: Json = {}): Promise<Json> => {
    const made = await addDirectory(world.admin, params(), { type: 'active_directory', ...given });
    await addGroup(world.admin, made, { name: 'Domain Users' });
    return made;
  };
  const logIn = ({ id }: Json, username: string, password: string): Promise<Answer> =>
    world.portal.send('POST /api/auth/v7.0/login', { body: { username, password, authId: id } });
  const userOf = async (made: Json, username: string, password: string): Promise<unknown> => {
    const { status, body } = await logIn(made, username, password);
    return [username, status, body.user?.name];
  };
  const judge = async (name: string, password = adPassword(name)) => {
    const { directories } = world.portal.deps;
    const directory = {
      hosts: [samba.url],
      startTls: false,
      ca: undefined,
      account: undefined,
      timeoutMs: 10_000,
      pageSize: 10,
    };
    return directories.within(directory, (session) => session.checkPassword(adDn(name), password));
  };

  it('the NetBIOS name, the UPN suffixes and the labels of the domain are accepted with a name', async () => {
    const name = unique('Headquarters');
    const made = await domainFor({ name, small_name: 'hq-1' });
    const typed = [
      ...['alice', 'CORP\\alice', 'corp\\Alice', 'corp.example\\alice', 'alice@corp.example', 'alice@CORP'],
      ...['alice@extra.example', 'alice@Extra.Example', 'CORP\\alice@extra.example'],
      ...['hq-1\\alice', 'HQ-1\\alice', 'alice@hq-1', `${name}\\alice`],
    ];
    for (const one of typed)
      expect(await userOf(made, one, adPassword('alice'))).toEqual([one, 200, 'alice']);
    // The directory has this principal name, whatever the suffixes are.
    for (const one of ['robert@extra.example', 'bob@extra.example', 'CORP\\bob'])
      expect(await userOf(made, one, adPassword('bob'))).toEqual([one, 200, 'bob']);
  });

  it('names of other domains are refused without a bind', async () => {
    for (const one of [
      ...['OTHER\\alice', 'alice@other.example', '\\alice', 'alice@', '.\\alice'],
      ...['OTHER\\alice@corp.example', 'CORP\\alice@other.example', 'A\\CORP\\alice', 'alice@corp.example@x'],
      ...['robert@other.example', 'example\\alice'],
    ]) {
      const made = await domainFor();
      expect((await logIn(made, 'alice', adPassword('alice'))).status).toBe(200);
      const before = wire.operations.length;
      const { result, events } = await audited(world.portal, () => logIn(made, one, adPassword('alice')));
      expect([one, codeOf(result), events[0]?.details.reason]).toEqual([one, wrong, 'other_domain']);
      expect([one, wire.operations.slice(before).includes('bind')]).toEqual([one, false]);
    }
  });

  it('the names of the forest are read once for many logins', async () => {
    const made = await domainFor();
    for (let at = 0; at < 2; at++)
      expect((await logIn(made, 'CORP\\alice', adPassword('alice'))).status).toBe(200);
    const before = wire.operations.length;
    expect((await logIn(made, 'CORP\\alice', adPassword('alice'))).status).toBe(200);
    expect(wire.operations.slice(before).filter((one) => one === 'bind')).toHaveLength(1);
    expect(wire.operations.slice(before)).toHaveLength(3);
  });

  it('the reasons of Active Directory are read from the sub-codes 530, 533, 701, 773, 775 and 52e', async () => {
    for (let at = 0; at < 3; at++) await judge('shut', 'wrong');
    const reasons = { night: 'hours', off: 'disabled', gone: 'account_expired', shut: 'locked' };
    for (const [name, reason] of Object.entries(reasons))
      expect([name, await judge(name)]).toEqual([name, { verdict: 'refused', reason }]);
    expect(await judge('must')).toEqual({ verdict: 'expired', reason: 'must_change' });
    for (const name of ['alice', 'must', 'night', 'off'])
      expect([name, await judge(name, 'wrong')]).toEqual([
        name,
        { verdict: 'refused', reason: 'wrong_password' },
      ]);
    expect(await judge('alice')).toEqual({ verdict: 'accepted' });
  });

  it('a test returns the exact state of an account, with and without a password', async () => {
    for (let at = 0; at < 3; at++) await judge('shut', 'wrong');
    const check = async (username: string, password?: string) => {
      const body = { params: params(), username, ...(password !== undefined && { password }) };
      const { body: result } = await world.admin(`POST ${domainsPath}/test/active_directory`, body);
      const { name, detail } = result.checks.find(({ status }: Json) => status === 'fail') ?? {};
      return [username, name, /\((\w+)\)$/.exec(detail)?.[1]];
    };
    const states = { off: 'disabled', gone: 'account_expired', shut: 'locked', must: 'must_change' };
    for (const [name, reason] of Object.entries(states))
      expect(await check(name)).toEqual([name, 'user', reason]);
    expect(await check('must', adPassword('must'))).toEqual(['must', 'password', 'must_change']);
    expect(await check('night', adPassword('night'))).toEqual(['night', 'password', 'hours']);
    expect(await check('alice', 'wrong')).toEqual(['alice', 'password', 'wrong_password']);
    expect(await check('OTHER\\alice')).toEqual(['OTHER\\alice', 'user', undefined]);
    expect(await check('alice', adPassword('alice'))).toEqual(['alice', undefined, undefined]);
  });
});
