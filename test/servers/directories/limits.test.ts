import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNodeSockets } from '../../../shared/remotes/directory/node.ts';
import { createDirectoryRemote } from '../../../shared/remotes/directory/remote.ts';
import { startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { entry, passwordOf, person, personDn, posixGroup } from '../../support/directories/entries.ts';
import { type FakeAnswer, startFakeDirectory } from '../../support/directories/fake-directory.ts';
import { type LdapWire, startLdapWire } from '../../support/directories/ldap-wire.ts';
import { hasSlapd, reader, suffix } from '../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../support/directories/stand.ts';
import { useStand } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const codeOf = ({ status, body }: Json): unknown => [status, body.code];
const wrong = [401, 'invalid_credentials'];
const agingDn = `cn=aging,${suffix}`;
const ldif = [
  ...['alice', 'bob'].map((uid) => person(uid)),
  entry(agingDn, {
    objectClass: ['applicationProcess', 'pwdPolicy'],
    cn: 'aging',
    pwdAttribute: 'userPassword',
    pwdMaxAge: '86400',
    pwdMustChange: 'TRUE',
  }),
  person('aged', { pwdPolicySubentry: agingDn, pwdChangedTime: '20200101000000Z' }),
  person('reset', { pwdPolicySubentry: agingDn, pwdReset: 'TRUE' }),
  posixGroup('staff', ['alice', 'bob', 'aged', 'reset']),
].join('');

requireService('slapd', hasSlapd)('limits of directories', () => {
  const stand = useStand(() => startDirectoryStand(ldif));
  let wire: LdapWire;
  beforeAll(async () => {
    wire = await startLdapWire(stand.slapd.url);
  });
  afterAll(async () => {
    await wire.close();
  });
  const plain = (hosts: string[]): Json => ({ hosts, ca_certificate: null });
  const policy = { allowedNetworks: ['127.0.0.0/8'], allowInsecure: false };
  const directory = (url: string) => ({
    hosts: [url],
    startTls: false,
    ca: undefined,
    account: { dn: reader.bind_dn, password: reader.bind_password },
    timeoutMs: 5_000,
    pageSize: 10,
    domain: 'a domain',
  });

  it.each(['aged', 'reset'])('OpenLDAP reports for %s that the password must be changed', async (name) => {
    const domain = await stand.domainFor('staff');
    expect(codeOf(await stand.logIn(domain, name))).toEqual([403, 'password_expired']);
    expect(codeOf(await stand.logIn(domain, name, 'wrong'))).toEqual(wrong);
    const params = { ...domain.params, bind_password: reader.bind_password };
    const body = { params, username: name, password: passwordOf(name) };
    const tested = await stand.world.admin('POST /api/webui/aggregator/authenticators/test/ldap', body);
    const check = tested.body.checks.find((one: Json) => one.name === 'password');
    expect(check.detail).toContain('The password is correct, but the user cannot log in.');
  });

  it('idle connections are closed after their timeout', async () => {
    const remote = createDirectoryRemote(createNodeSockets(policy), policy, { idleMs: 100 });
    const work = () =>
      remote.within(directory(wire.url), (session) =>
        session.checkPassword(personDn('alice'), passwordOf('alice')),
      );
    expect(await work()).toEqual({ verdict: 'accepted' });
    expect(wire.open()).toBe(2);
    await expect.poll(() => wire.open()).toBe(0);
    const made = wire.connections();
    expect(await work()).toEqual({ verdict: 'accepted' });
    expect(wire.connections()).toBe(made + 2);
    await expect.poll(() => wire.open()).toBe(0);
  });

  it('a login whose own time limit is shorter than that of the directory is 503 overloaded', async () => {
    const proxy = await startFreezableProxy(stand.slapd.url);
    const { directories } = stand.world.portal.deps;
    const { within } = directories;
    const hosts = [proxy.url.replace(/\/$/, '')];
    const domain = await stand.domainFor('staff', { ...plain(hosts), timeout_s: 30 });
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    Object.assign(directories, {
      within: (...[to, work]: Parameters<typeof within>) => within(to, work, 300),
    });
    proxy.freeze();
    try {
      const answer = await stand.logIn(domain, 'alice');
      expect(codeOf(answer)).toEqual([503, 'overloaded']);
      expect(answer.headers.get('retry-after')).not.toBeNull();
    } finally {
      Object.assign(directories, { within });
      await proxy.close();
    }
  });

  it('a wait for a connection counts against the time limit of the request', async () => {
    const remote = createDirectoryRemote(createNodeSockets(policy), policy, { width: 1, idleMs: 100 });
    const gate = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const first = remote.within(directory(wire.url), async () => {
      started.resolve();
      await gate.promise;
    });
    await started.promise;
    const second = remote.within(directory(wire.url), async () => 'served', 100);
    await expect(second).rejects.toMatchObject({ code: 'overloaded' });
    const third = remote.within(directory(wire.url), async () => 'served', 60_000);
    gate.resolve();
    expect(await third).toBe('served');
    await first;
  });

  it('a password on a connection that is cut is not sent to another server and counts no failure', async () => {
    const fake = await startFakeDirectory(({ operation, octets }) => {
      if (operation === 'search') return aliceEntry;
      return octets.includes('uid=alice') ? 'cut' : { code: 0 };
    });
    const domain = await stand.domainFor('staff', plain([fake.url, stand.slapd.url]));
    // After the first login the failed server is tried last.
    const before = await stand.slapd.bindsAs(personDn('alice'));
    expect(codeOf(await stand.logIn(domain, 'alice', 'wrong'))).toEqual([502, 'upstream_failed']);
    expect(await stand.slapd.bindsAs(personDn('alice'))).toBe(before);
    for (let at = 0; at < 4; at++) expect(codeOf(await stand.logIn(domain, 'alice', 'wrong'))).toEqual(wrong);
    expect(await stand.slapd.bindsAs(personDn('alice'))).toBe(before + 4);
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    await fake.close();
  });

  it('a password that a busy server has not verified is sent to another one', async () => {
    const fake = await startFakeDirectory(({ operation, octets }) => {
      if (operation === 'search') return aliceEntry;
      return { code: octets.includes('uid=alice') ? 51 : 0 };
    });
    const domain = await stand.domainFor('staff', plain([fake.url, stand.slapd.url]));
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    await fake.close();
  });

  it('a rejected service password is not tried by another process either', async () => {
    const own = await startLdapWire(stand.slapd.url);
    const domain = await stand.domainFor('staff', { ...plain([own.url]), bind_password: 'stale' });
    const attempts = () => own.operations.filter((operation) => operation === 'bind').length;
    const other = stand.world.portal.isolate();
    const body = { username: 'bob', password: passwordOf('bob'), authId: domain.id };
    const answers = [
      await stand.logIn(domain, 'alice'),
      await other('POST /api/auth/v7.0/login', { body }),
      await stand.logIn(domain, 'alice'),
    ];
    expect(answers.map(codeOf)).toEqual(Array(3).fill([502, 'upstream_refused']));
    expect(attempts()).toBe(1);
    // One of the two processes takes the attempt that is due.
    stand.world.portal.advance(61);
    await Promise.all([stand.logIn(domain, 'alice'), other('POST /api/auth/v7.0/login', { body })]);
    expect(attempts()).toBe(2);
    await own.close();
  });

  it('sub-code 532 of Active Directory is a right password that has expired', async () => {
    const message = (code: string) =>
      `80090308: LdapErr: DSID-0C090439, comment: AcceptSecurityContext error, data ${code}, v4563`;
    const verdicts: Json = {};
    for (const code of ['525', '52e', '530', '531', '532', '533', '701', '773', '775', '999']) {
      const fake = await startFakeDirectory(({ operation, octets }) =>
        operation === 'bind' && octets.includes('uid=alice')
          ? { code: 49, message: message(code) }
          : { code: 0 },
      );
      const remote = createDirectoryRemote(createNodeSockets(policy), policy);
      const judgement = await remote.within(directory(fake.url), (session) =>
        session.checkPassword(personDn('alice'), 'any'),
      );
      verdicts[code] = [judgement.verdict, 'reason' in judgement ? judgement.reason : undefined];
      await fake.close();
    }
    expect(verdicts).toEqual({
      525: ['refused', 'unknown_user'],
      '52e': ['refused', 'wrong_password'],
      530: ['refused', 'hours'],
      531: ['refused', 'workstation'],
      532: ['expired', 'expired_password'],
      533: ['refused', 'disabled'],
      701: ['refused', 'account_expired'],
      773: ['expired', 'must_change'],
      775: ['refused', 'locked'],
      999: ['refused', undefined],
    });
  });
});

const aliceEntry: FakeAnswer = {
  code: 0,
  entries: [{ dn: personDn('alice'), values: { uid: ['alice'], cn: ['Alice'] } }],
};
