import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { users } from '../../../db/schema/identity/users.ts';
import { createAuthority } from '../../simulator/authority.ts';
import {
  adAdmin,
  adDn,
  adPassword,
  adPolicy,
  adSuffix,
  hasSamba,
  type SambaRealm,
  startSambaRealm,
} from '../../support/directories/samba.ts';
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
import type { CardFiles } from '../../support/pkinit/cards.ts';
import { signIn } from '../../support/pkinit/pkinit.ts';
import type { Answer, Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const names = ['alice', 'bob', 'pat', 'off', 'gone', 'night', 'shut', 'must', 'outsider'];
const codeOf = ({ status, body }: Json): unknown => [status, body.code];

requireService('samba', hasSamba)('card logins at the KDC of Active Directory (Samba with Heimdal)', () => {
  let samba: SambaRealm;
  let world: World;
  let domain: Json;
  const cards: Record<string, CardFiles> = {};

  beforeAll(async () => {
    samba = await startSambaRealm(await createAuthority('Directories'));
    for (const name of names) {
      await samba.addUser(name, { userPrincipalName: `${name}@corp.example` });
      cards[name] = await samba.issue({ name, section: 'client_upn' });
    }
    await samba.addGroup('Inner', names.filter((name) => name !== 'outsider').map(adDn));
    await samba.addGroup('Outer', [adDn('Inner')]);
    await samba.replace(adDn('off'), { userAccountControl: '514' });
    await samba.replace(adDn('gone'), { accountExpires: '133000000000000000' });
    await samba.replace(adDn('night'), { logonHours: '\0'.repeat(21) });
    await samba.replace(adDn('must'), { pwdLastSet: '0' });
    await samba.add(...adPolicy('locking', ['shut'], { 'msDS-LockoutThreshold': '2' }));
    world = await startWorld();
    domain = await addDirectory(world.admin, params(), { type: 'active_directory' });
    await addGroup(world.admin, domain, { name: 'Outer' });
  }, 120_000);
  afterAll(async () => {
    await world?.portal.close();
    await samba?.stop();
  });

  const params = (): Json => ({
    hosts: [samba.url],
    base_dn: adSuffix,
    ...adAdmin,
    nested_groups: true,
    kerberos: { realm: samba.realm, kdc: [samba.address], anchors: samba.anchors },
  });
  const byCard = (name: string): Promise<Answer> => signIn(world.portal, domain, cards[name] as CardFiles);
  const byPassword = (username: string, password = adPassword(username)): Promise<Answer> =>
    world.portal.send('POST /api/auth/v7.0/login', { body: { username, password, authId: domain.id } });
  const identifierOf = async (name: string) => {
    const [row] = await world.portal.db
      .select({ id: users.directory_id })
      .from(users)
      .where(and(eq(users.authenticator_id, domain.id), eq(users.name_key, name)));
    return row?.id;
  };

  it('a card opens a session for the same entry as the password, with its groups', async () => {
    const answer = await byCard('alice');
    expect([answer.status, answer.body.code, answer.body.user?.name]).toEqual([200, undefined, 'alice']);
    const { body } = await world.portal.send('GET /api/userinfo', { token: answer.body.token });
    expect(body.groups.map(({ name }: Json) => name)).toEqual(['Outer']);
    expect(await identifierOf('alice')).toBe(`objectGUID:${await samba.guidOf('alice')}`);
    expect((await byPassword('alice')).body.user.id).toBe(answer.body.user.id);
    expect(codeOf(await byCard('outsider'))).toEqual([403, 'no_registered_group']);
  });

  it('a removal from the group takes effect at the next login by card', async () => {
    expect((await byCard('bob')).status).toBe(200);
    await samba.replace(adDn('Inner'), { member: ['alice', 'pat'].map(adDn) });
    expect(codeOf(await byCard('bob'))).toEqual([403, 'no_registered_group']);
    expect(codeOf(await byPassword('bob'))).toEqual([403, 'no_registered_group']);
  });

  it('the card of a person with the principal name of a former user does not open that account', async () => {
    const first = await byCard('pat');
    expect(first.status).toBe(200);
    const former = first.body.user.id;
    const role = await addRole(world.admin, ['users.read']);
    await world.admin(`PATCH ${usersPath(domain)}/${former}`, { roles: { attach: [role.id] } });
    await samba.replace(adDn('pat'), {
      sAMAccountName: 'former',
      userPrincipalName: 'former@corp.example',
      userAccountControl: '514',
    });
    await samba.addUser('patricia', { sAMAccountName: 'pat', userPrincipalName: 'pat@corp.example' });
    expect(codeOf(await byCard('pat'))).toEqual([403, 'no_registered_group']);
    await samba.replace(adDn('Inner'), { member: ['alice', 'patricia'].map(adDn) });
    const next = await byCard('pat');
    expect([next.status, next.body.user?.name, next.body.user?.roles]).toEqual([200, 'pat', []]);
    expect(next.body.user.id).not.toBe(former);
    expect(await identifierOf('pat')).toBe(`objectGUID:${await samba.guidOf('patricia')}`);
  });

  it('a card of the KDC names the user by a principal name of any suffix', async () => {
    await samba.addUser('zoe', { userPrincipalName: 'zoe.zander@extra.example' });
    await samba.addGroup('Zoes', [adDn('zoe')]);
    await addGroup(world.admin, domain, { name: 'Zoes' });
    const card = await samba.issue({
      name: 'zoe',
      client: 'zoe.zander@extra.example',
      section: 'client_any_upn',
    });
    const answer = await signIn(world.portal, domain, card);
    expect([answer.status, answer.body.code, answer.body.user?.name]).toEqual([200, undefined, 'zoe']);
  });

  it('a test checks whether the KDC accepts certificates', async () => {
    const { body } = await world.admin(`POST ${domainsPath}/test/active_directory`, {
      params: params(),
      username: 'alice',
    });
    const check = body.checks.find(({ name }: Json) => name === 'kdc');
    expect([body.success, check.status, check.detail]).toEqual([true, 'pass', `${samba.address}: responds`]);
  });

  it('a card of a disabled, expired, locked or restricted account returns its state', async () => {
    for (let at = 0; at < 3; at++) await byPassword('shut', 'wrong');
    const codes: Json = {};
    for (const name of ['off', 'gone', 'shut', 'night', 'must']) {
      const { result, events } = await audited(world.portal, () => byCard(name));
      codes[name] = [...(codeOf(result) as unknown[]), events[0]?.details.krb_error];
    }
    expect(codes).toEqual({
      off: [403, 'account_disabled', 18],
      gone: [403, 'account_expired', 18],
      shut: [403, 'account_locked', 18],
      night: [403, 'account_restricted', 18],
      must: [403, 'password_expired', 23],
    });
  });
});
