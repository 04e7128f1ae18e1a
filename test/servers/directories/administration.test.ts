import { expect, it } from 'vitest';
import { startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { groupDn, person, personDn, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd, reader, suffix } from '../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../support/directories/stand.ts';
import {
  addGroup,
  addMember,
  addUser,
  base,
  directoryBody,
  domainsPath,
  useStand,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

const ldif = [
  ...['alice', 'bob', 'carol'].map((uid) => person(uid)),
  posixGroup('staff', ['alice']),
  posixGroup('guests', ['alice', 'bob']),
].join('');

requireService('slapd', hasSlapd)('the administration of a directory domain', () => {
  const stand = useStand(() => startDirectoryStand(ldif));

  const params = (given: Json = {}): Json => ({
    hosts: [stand.slapd.secureUrl],
    ca_certificate: stand.authority.caPem,
    base_dn: suffix,
    ...reader,
    ...given,
  });
  const test = async (body: Json, ask = stand.world.admin): Promise<Json> => {
    const answer = await ask(`POST ${domainsPath}/test/ldap`, body);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  const statusOf = ({ checks }: Json, name: string): string =>
    checks.find((check: Json) => check.name === name)?.status;
  const detailOf = ({ checks }: Json, name: string): string =>
    checks.find((check: Json) => check.name === name)?.detail;

  it('tests unsaved parameters: the connection, the account, users and groups', async () => {
    const { body } = await stand.world.admin(`POST ${domainsPath}/test/ldap`, directoryBody(params()));
    expect(body).toMatchObject({ success: true, message: 'The domain works' });
    const names = ['fields', 'params', 'addresses', 'account', 'kerberos', 'attributes'];
    expect(body.checks.map(({ name }: Json) => name)).toEqual([
      ...names,
      'connection',
      'bind',
      'identity',
      'users',
      'groups',
    ]);
    expect(body.checks.filter(({ status }: Json) => status === 'fail')).toEqual([]);
  });

  it('shows the groups of a user, and for a stored domain which of them are registered', async () => {
    const loose = await test({ params: params(), username: 'alice', password: 'secret of alice' });
    expect([statusOf(loose, 'user'), statusOf(loose, 'password')]).toEqual(['pass', 'pass']);
    expect(detailOf(loose, 'user')).toBe(personDn('alice'));
    expect(detailOf(loose, 'user_groups').split(', ').sort()).toEqual(['guests', 'staff']);
    const domain = await stand.domainFor('staff');
    const stored = await test({ id: domain.id, params: domain.params, username: 'alice' });
    expect(detailOf(stored, 'user_groups')).toBe('Registered: staff; not registered: guests');
    const bob = await test({ id: domain.id, params: domain.params, username: 'bob', password: 'x' });
    expect([bob.success, statusOf(bob, 'password'), statusOf(bob, 'user_groups')]).toEqual([
      false,
      'fail',
      'fail',
    ]);
    expect(statusOf(await test({ params: params(), username: '*' }), 'user')).toBe('fail');
  });

  it('reports the failed step and its cause', async () => {
    const failing = async (given: Json) =>
      (await test({ params: params(given) })).checks
        .filter(({ status }: Json) => status === 'fail')
        .map(({ name, detail }: Json) => [name, detail]);
    expect(await failing({ bind_password: 'wrong' })).toEqual([
      ['bind', 'The directory rejected the request: account'],
    ]);
    expect(await failing({ ca_certificate: null })).toEqual([
      ['connection', 'The TLS connection to the directory failed: unknown_ca'],
    ]);
    expect(await failing({ base_dn: 'dc=nowhere' })).toEqual([
      ['users', 'The directory could not be queried: no_such_base'],
    ]);
    expect(await failing({ user_class: 'device' })).toEqual([
      ['users', 'No users were found below the base'],
    ]);
    expect(await failing({ hosts: ['ldap://10.1.2.3'] })).toHaveLength(1);
  });

  it('uses a stored password only for the server it was stored for', async () => {
    const domain = await stand.domain();
    const before = await stand.slapd.bindsAs(reader.bind_dn);
    expect((await test({ id: domain.id, params: domain.params })).success).toBe(true);
    expect(await stand.slapd.bindsAs(reader.bind_dn)).toBe(before + 1);
    const elsewhere = { ...domain.params, hosts: [stand.slapd.url] };
    const body = { id: domain.id, params: elsewhere };
    const refused = await stand.world.admin(`POST ${domainsPath}/test/ldap`, body);
    expect([refused.status, refused.body.code]).toEqual([422, 'secret_required']);
    expect(await stand.slapd.bindsAs(reader.bind_dn)).toBe(before + 1);
  });

  it('does not distinguish a closed port from a silent one, by text or by time', async () => {
    const proxy = await startFreezableProxy(stand.slapd.url);
    proxy.freeze();
    const silent = await test({ params: params({ hosts: [proxy.url.replace(/\/$/, '')], timeout_s: 1 }) });
    await proxy.close();
    const closed = await test({ params: params({ hosts: [proxy.url.replace(/\/$/, '')], timeout_s: 1 }) });
    for (const result of [silent, closed]) {
      expect(detailOf(result, 'connection')).toBe('No server of the directory responds');
      expect(result.checks.at(-1).took_ms).toBeGreaterThanOrEqual(990);
    }
  });

  it('needs a permission, and is rate limited per caller', async () => {
    const stranger = await addMember(stand.world, ['authenticators.read']);
    expect((await stranger.ask(`POST ${domainsPath}/test/ldap`, {})).status).toBe(403);
    const tester = await addMember(stand.world, ['authenticators.test']);
    const statuses = [];
    for (let n = 0; n < 31; n++)
      statuses.push((await tester.ask(`POST ${domainsPath}/test/internal`, {})).status);
    expect(statuses).toEqual([...Array(30).fill(200), 429]);
    const { headers, body } = await tester.ask(`POST ${domainsPath}/test/internal`, {});
    expect([body.code, headers.get('ratelimit-policy')]).toEqual([
      'rate_limited',
      '"directory-test";q=30;w=60',
    ]);
    const another = await addMember(stand.world, ['authenticators.test']);
    expect((await another.ask(`POST ${domainsPath}/test/internal`, {})).status).toBe(200);
  });

  it('answers 504 for groups of a hanging directory, and answers for others as usual', async () => {
    const proxy = await startFreezableProxy(stand.slapd.url);
    const hanging = await stand.domain({ hosts: [proxy.url.replace(/\/$/, '')], timeout_s: 1 });
    const [path, other] = [hanging, await stand.domain()].map(
      ({ id }) => `GET ${domainsPath}/${id}/groups/external`,
    );
    proxy.freeze();
    const waiting = stand.world.admin(String(path));
    await proxy.held();
    expect((await stand.world.admin(String(other))).status).toBe(200);
    expect(await waiting).toMatchObject({ status: 504, body: { code: 'upstream_timeout' } });
    await proxy.close();
  });

  it('names the unavailable directory, and still lists registered users for sites', async () => {
    const proxy = await startFreezableProxy(stand.slapd.url);
    const hosts = [proxy.url.replace(/\/$/, '')];
    const domain = await stand.domain({ hosts, timeout_s: 1 });
    await addUser(stand.world.admin, domain, { name: 'bertha', password: null });
    const path = `GET ${base}/sites/users-groups-from-domains?authenticator=${domain.id}`;
    const listed = async () => (await stand.world.admin(path)).body;
    expect((await listed()).failures).toEqual([]);
    expect((await listed()).items.map(({ name }: Json) => name)).toContain('carol');
    proxy.freeze();
    const named = { authenticator_id: domain.id, authenticator_name: domain.name };
    const silent = await listed();
    expect(silent.items).toMatchObject([{ name: 'bertha', ...named }]);
    expect(silent.failures).toMatchObject([
      { ...named, code: 'upstream_timeout', reason: null, detail: 'The directory did not respond in time' },
    ]);
    await proxy.close();
    const closed = await listed();
    expect(closed.items).toMatchObject([{ name: 'bertha' }]);
    expect(closed.failures).toMatchObject([{ code: 'upstream_failed', reason: 'unreachable' }]);
    const login = await stand.logIn(domain, 'alice');
    expect(login.body).toMatchObject({ status: 502, detail: 'The directory could not be queried' });
    expect(login.body.title).not.toMatch(/dispatcher/i);
  });

  it('lists users known only to the directory for sites together with registered ones, page by page', async () => {
    const domain = await stand.domainFor('staff');
    await stand.logIn(domain, 'alice');
    await addUser(stand.world.admin, domain, { name: 'bertha', password: null });
    await addGroup(stand.world.admin, domain, { name: 'bystanders' });
    const seen: Json[] = [];
    let next: string | null = '';
    while (next !== null) {
      const cursor: string = next === '' ? '' : `&cursor=${next}`;
      const path = `${base}/sites/users-groups-from-domains?authenticator=${domain.id}&limit=2${cursor}`;
      const { body } = await stand.world.admin(`GET ${path}`);
      seen.push(...body.items);
      next = body.next;
    }
    expect(seen.map(({ type, name }) => `${type} ${name}`)).toEqual([
      ...['user alice', 'user bertha', 'user bob', 'group bystanders', 'user carol', 'group guests'],
      'group staff',
    ]);
    const idOf = (name: string) => seen.find((item) => item.name === name)?.id;
    expect([idOf('bob'), idOf('guests')]).toEqual([personDn('bob'), groupDn('guests')]);
    expect(idOf('staff')).toMatch(/^[0-9a-f-]{36}$/);
    const search = `${base}/sites/users-groups-from-domains?authenticator=${domain.id}&search=STAF`;
    expect((await stand.world.admin(`GET ${search}`)).body.items).toHaveLength(1);
    const all = await stand.world.admin(`GET ${base}/sites/users-groups-from-domains?search=carol`);
    expect(all.body.items).toEqual([]);
  });
});
