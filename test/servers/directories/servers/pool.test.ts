import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { person, personDn, posixGroup } from '../../../support/directories/entries.ts';
import { type FakeAnswer, startFakeDirectory } from '../../../support/directories/fake-directory.ts';
import type { LdapMessage } from '../../../support/directories/ldap-messages.ts';
import { type LdapWire, startLdapWire } from '../../../support/directories/ldap-wire.ts';
import { hasSlapd, reader, suffix } from '../../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../../support/directories/stand.ts';
import { addGroup, domainsPath, useStand } from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';
import { requireService } from '../../../support/services.ts';

const codeOf = ({ status, body }: Json): unknown => [status, body.code];
const crowd = Array.from({ length: 200 }, (_, at) => `crowd-${at}-person`);
const ldif = [
  ...['alice', 'bob', ...crowd].map((uid) => person(uid)),
  person('composed', { userPassword: 'Gr\u00fc\u00dfe' }),
  posixGroup('staff', ['alice', 'bob', 'composed', ...crowd]),
].join('');

requireService('slapd', hasSlapd)('pooled connections to directories', () => {
  const stand = useStand(() => startDirectoryStand(ldif));
  let wire: LdapWire;
  beforeAll(async () => {
    wire = await startLdapWire(stand.slapd.url);
  });
  afterAll(async () => {
    await wire.close();
  });
  const plain = (hosts: string[]): Json => ({ hosts, ca_certificate: null });

  it('a login on pooled connections is one search, one bind as the user and one group read', async () => {
    const domain = await stand.domainFor('staff', plain([wire.url]));
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    const [operations, connections] = [wire.operations.length, wire.connections()];
    expect((await stand.logIn(domain, 'bob')).status).toBe(200);
    expect(wire.operations.slice(operations)).toEqual(['search', 'bind', 'search']);
    expect(wire.connections()).toBe(connections);
  });

  it('200 concurrent logins of one domain all succeed over eight pairs of connections', async () => {
    const own = await startLdapWire(stand.slapd.url);
    const domain = await stand.domainFor('staff', plain([own.url]));
    const answers = await Promise.all(crowd.map((name) => stand.logIn(domain, name)));
    expect(answers.filter(({ status }) => status !== 200).map(codeOf)).toEqual([]);
    expect(own.most()).toBeLessThanOrEqual(16);
    expect(own.connections()).toBeLessThanOrEqual(16);
    await own.close();
  });

  it('different settings and domains never share connections', async () => {
    const own = await startLdapWire(stand.slapd.url);
    const domain = await stand.domainFor('staff', plain([own.url]));
    const other = await stand.domainFor('staff', plain([own.url]));
    for (const one of [domain, domain, other]) expect((await stand.logIn(one, 'alice')).status).toBe(200);
    // Each domain has a connection for searches and one for passwords.
    expect(own.connections()).toBe(4);
    expect(own.operations.filter((operation) => operation === 'bind')).toHaveLength(2 + 3);
    await own.close();
  });

  it('a connection that the server has closed is replaced in the same login', async () => {
    const own = await startLdapWire(stand.slapd.url);
    const domain = await stand.domainFor('staff', plain([own.url]));
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    own.cutAll();
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    await own.close();
  });

  it('200 concurrent logins all succeed against a directory that takes 300 ms for a chain search', async () => {
    const fake = await startFakeDirectory(activeDirectory);
    const params = { ...plain([fake.url]), nested_groups: true };
    const domain = await stand.domain(params, { type: 'active_directory' });
    await addGroup(stand.world.admin, domain, { name: 'staff' });
    const answers = await Promise.all(crowd.map((name) => stand.logIn(domain, name)));
    expect(answers.filter(({ status }) => status !== 200).map(codeOf)).toEqual([]);
    await fake.close();
  });

  it('OpenLDAP reports a password that was reset, after a right one only', async () => {
    const domain = await stand.domainFor('staff');
    await stand.slapd.change(
      `dn: cn=policy,${suffix}\nchangetype: add\nobjectClass: applicationProcess\nobjectClass: pwdPolicy\ncn: policy\npwdAttribute: userPassword\npwdMustChange: TRUE\n\ndn: ${personDn('crowd-7-person')}\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE`,
    );
    expect(codeOf(await stand.logIn(domain, 'crowd-7-person'))).toEqual([403, 'password_expired']);
    expect(codeOf(await stand.logIn(domain, 'crowd-7-person', 'wrong'))).toEqual([
      401,
      'invalid_credentials',
    ]);
    expect((await stand.logIn(domain, 'crowd-8-person')).status).toBe(200);
  });

  const failing: [string, (request: LdapMessage, bind: number) => FakeAnswer | undefined][] = [
    ['busy at the search', ({ operation }) => (operation === 'search' ? { code: 51 } : undefined)],
    ['unavailable at the search', ({ operation }) => (operation === 'search' ? { code: 52 } : undefined)],
    ['a cut connection', ({ operation }) => (operation === 'search' ? 'cut' : undefined)],
    ['a notice of disconnection', ({ operation }) => (operation === 'search' ? 'notice' : undefined)],
    ...[80, 1, 3, 10, 11, 51, 52].map((code): [string, (request: LdapMessage) => FakeAnswer | undefined] => [
      `result ${code} at the bind`,
      ({ operation }) => (operation === 'bind' ? { code } : undefined),
    ]),
  ];
  it.each(
    failing,
  )('%s sends the login to another server, and the first is avoided afterwards', async (_, fault) => {
    const fake = await startFakeDirectory((request) => fault(request, 0) ?? { code: 0 });
    const domain = await stand.domainFor('staff', plain([fake.url, stand.slapd.url]));
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    const asked = fake.connections();
    expect((await stand.logIn(domain, 'bob')).status).toBe(200);
    expect([asked, fake.connections()]).toEqual([1, 1]);
    await fake.close();
  });

  it('a password that one server has verified is not sent to another', async () => {
    let searches = 0;
    const fake = await startFakeDirectory(({ operation }) => {
      if (operation !== 'search') return { code: 0 };
      searches += 1;
      return searches === 1 ? aliceOf(personDn('alice')) : { code: 52 };
    });
    const domain = await stand.domainFor('staff', plain([fake.url, stand.slapd.url]));
    const before = await stand.slapd.bindsAs(personDn('alice'));
    const answer = await stand.logIn(domain, 'alice');
    expect(fake.asked).toEqual(['bind', 'search', 'bind', 'search']);
    expect(codeOf(answer)).toEqual([502, 'upstream_failed']);
    expect(await stand.slapd.bindsAs(personDn('alice'))).toBe(before);
    await fake.close();
  });

  it('a password may be entered in decomposed characters', async () => {
    const domain = await stand.domainFor('staff');
    expect((await stand.logIn(domain, 'composed', 'Gru\u0308\u00dfe')).status).toBe(200);
  });

  it('a rejected service password is not tried again before its delay, nor by concurrent logins', async () => {
    const own = await startLdapWire(stand.slapd.url);
    const domain = await stand.domainFor('staff', { ...plain([own.url]), bind_password: 'stale' });
    const other = await stand.domainFor('staff', plain([own.url]));
    const attempts = () => own.operations.filter((operation) => operation === 'bind').length;
    const answers = await Promise.all(crowd.slice(0, 20).map((name) => stand.logIn(domain, name)));
    expect(new Set(answers.map(({ body }) => `${body.code} ${body.reason}`))).toEqual(
      new Set(['upstream_refused account']),
    );
    expect(attempts()).toBe(1);
    const path = 'GET /api/webui/aggregator/monitoring?code=directory_account_refused';
    const { body: journal } = await stand.world.admin(path);
    expect(journal.items.map(({ level, object_id }: Json) => [level, object_id])).toEqual([
      ['warning', domain.id],
    ]);
    expect((await stand.logIn(other, 'alice')).status).toBe(200);
    const before = attempts();
    stand.world.portal.advance(61);
    expect((await stand.logIn(domain, 'alice')).status).toBe(502);
    expect(attempts()).toBe(before + 1);
    // The second refusal has a longer delay than the first.
    stand.world.portal.advance(61);
    expect((await stand.logIn(domain, 'alice')).status).toBe(502);
    expect(attempts()).toBe(before + 1);
    await own.close();
  });

  it('a test with the stored password observes the same delay, and reports it', async () => {
    const own = await startLdapWire(stand.slapd.url);
    const stale = { ...plain([own.url]), bind_password: 'stale' };
    const domain = await stand.domainFor('staff', stale);
    const attempts = () => own.operations.filter((operation) => operation === 'bind').length;
    const bind = async (given: Json = {}): Promise<Json> => {
      const params = { ...domain.params, ...given };
      const { body } = await stand.world.admin(`POST ${domainsPath}/test/ldap`, { id: domain.id, params });
      return body.checks.find(({ name }: Json) => name === 'bind');
    };
    const shown = async () => {
      const { body } = await stand.world.admin(`GET ${domainsPath}/${domain.id}`);
      return [body.account_refused_at, body.account_retry_at];
    };
    expect(await shown()).toEqual([null, null]);
    expect(await bind()).toMatchObject({ status: 'fail' });
    const [refusedAt, retryAt] = await shown();
    expect(Date.parse(retryAt) - Date.parse(refusedAt)).toBe(60_000);
    expect((await stand.logIn(domain, 'alice')).status).toBe(502);
    expect(attempts()).toBe(1);
    for (const given of [{}, { bind_password: 'stale' }])
      expect(await bind(given)).toMatchObject({
        status: 'fail',
        detail: `The directory rejected the password of the search account; the next attempt is at ${retryAt}`,
      });
    expect(attempts()).toBe(1);
    // Another password is tried, and its failure does not reset the delay of the stored one.
    expect(await bind({ bind_password: 'another' })).toMatchObject({ status: 'fail' });
    expect(attempts()).toBe(2);
    expect(await bind()).toMatchObject({ detail: expect.stringContaining(retryAt) });
    expect(await bind({ bind_password: reader.bind_password })).toMatchObject({ status: 'pass' });
    expect(await shown()).toEqual([refusedAt, retryAt]);
    expect(attempts()).toBe(3);
    const path = `PATCH ${domainsPath}/${domain.id}`;
    await stand.world.admin(path, { params: { bind_password: reader.bind_password } });
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    expect(await shown()).toEqual([null, null]);
    await own.close();
  });
});

const entryOf = (dn: string, values: Record<string, (string | Buffer)[]>): FakeAnswer => ({
  code: 0,
  entries: [{ dn, values }],
});
const aliceOf = (dn: string): FakeAnswer => entryOf(dn, { uid: ['alice'], cn: ['Alice'] });

const sid = (relative: number): Buffer => {
  const octets = Buffer.from('010500000000000515000000010000000200000003000000ffffffff', 'hex');
  octets.writeUInt32LE(relative, 24);
  return octets;
};

/** Has every user; a chain search is slow. */
function activeDirectory({ operation, octets }: LdapMessage): FakeAnswer {
  if (operation !== 'search') return { code: 0 };
  const text = octets.toString('latin1');
  const [name = ''] = /crowd-\d+-person/.exec(text) ?? [];
  const dn = `CN=${name},CN=Users,${suffix}`;
  if (text.includes('1.2.840.113556.1.4.1941'))
    return {
      ...(entryOf(`CN=staff,${suffix}`, { cn: ['staff'], objectSid: [sid(1200)] }) as object),
      code: 0,
      afterMs: 300,
    };
  if (text.includes('tokenGroups')) return entryOf(dn, { tokenGroups: [sid(513), sid(1200)] });
  if (text.includes('staff')) return entryOf(`CN=staff,${suffix}`, { cn: ['staff'], objectSid: [sid(1200)] });
  const objectGUID = [createHash('sha256').update(name).digest().subarray(0, 16)];
  const values = { sAMAccountName: [name], cn: [name], objectSid: [sid(2000)], primaryGroupID: ['513'] };
  return entryOf(dn, { ...values, objectGUID });
}
