import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority } from '../../simulator/authority.ts';
import { startFreezableProxy } from '../../support/database/freezable-proxy.ts';
import { passwordOf, person, posixGroup } from '../../support/directories/entries.ts';
import { hasSlapd, reader, type Slapd, startSlapd, suffix } from '../../support/directories/slapd.ts';
import { requireService } from '../../support/services.ts';
import { type GuardedWorkers, startGuardedWorkers } from '../../support/workers/guarded-workers.ts';
import type { Answer, Json } from '../../support/workers/local-workers.ts';

const webui = '/api/webui/aggregator/authenticators';
const password = 'correct horse battery staple';
const ldif = [person('alice'), person('bob'), posixGroup('staff', ['alice'])].join('');

requireService('slapd', hasSlapd)('a directory called by Workers', () => {
  let workers: GuardedWorkers;
  let slapd: Slapd;
  let admin: string;
  let count = 0;
  beforeAll(async () => {
    workers = await startGuardedWorkers(password);
    slapd = await startSlapd(await workers.authority.issue(), ldif);
    admin = await workers.login('admin', password, 'builtin');
  });
  afterAll(async () => {
    await workers?.stop();
    await slapd?.stop();
  });

  async function create(path: string, body: object): Promise<Json> {
    const answer = await workers.send(`POST ${webui}${path}`, { token: admin, body });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }
  async function domain(params: object): Promise<Json> {
    const name = `directory-${++count}`;
    const given = { base_dn: suffix, ...reader, ...params };
    const made = await create('', { name, small_name: name, type: 'ldap', params: given });
    await create(`/${made.id}/groups`, { name: 'staff' });
    return made;
  }
  const logIn = ({ id }: Json, username: string, word = passwordOf(username)): Promise<Answer> =>
    workers.send('POST /api/auth/v7.0/login', { body: { username, password: word, authId: id } });
  const codeOf = ({ status, body }: Answer) => [status, body.code, body.reason];

  it('admits logins by ldap:// and by ldaps:// with an authority that the runtime trusts', async () => {
    for (const url of [slapd.url, slapd.secureUrl.replace('127.0.0.1', 'localhost')]) {
      const made = await domain({ hosts: [url] });
      for (let again = 0; again < 2; again++)
        expect(await logIn(made, 'alice')).toMatchObject({ status: 200, body: { user: { name: 'alice' } } });
      expect(codeOf(await logIn(made, 'alice', 'wrong'))).toEqual([401, 'invalid_credentials', undefined]);
      expect(codeOf(await logIn(made, 'bob'))).toEqual([403, 'no_registered_group', undefined]);
      const path = `GET ${webui}/${made.id}/groups/external`;
      expect((await workers.send(path, { token: admin })).body).toEqual([
        { id: `cn=staff,ou=groups,${suffix}`, name: 'staff', registered: true },
      ]);
    }
  });

  it('returns the error code of features that the runtime lacks: a private authority and StartTLS', async () => {
    const unsupported = [502, 'upstream_tls', 'unsupported_on_this_runtime'];
    const { caPem } = await createAuthority();
    const before = await slapd.bindsAs(reader.bind_dn);
    const own = await domain({ hosts: [slapd.secureUrl], ca_certificate: caPem });
    expect(codeOf(await logIn(own, 'alice'))).toEqual(unsupported);
    const later = await domain({ hosts: [slapd.url], start_tls: true });
    expect(codeOf(await logIn(later, 'alice'))).toEqual(unsupported);
    expect(await slapd.bindsAs(reader.bind_dn)).toBe(before);
  });

  it('needs a certificate that the runtime accepts', async () => {
    const strange = await startSlapd(await (await createAuthority('Somebody')).issue(), ldif);
    const made = await domain({ hosts: [strange.secureUrl.replace('127.0.0.1', 'localhost')] });
    expect(codeOf(await logIn(made, 'alice'))).toEqual([502, 'upstream_tls', 'unknown']);
    expect(await strange.bindsAs(reader.bind_dn)).toBe(0);
    await strange.stop();
    const gone = await domain({ hosts: [strange.url] });
    expect(codeOf(await logIn(gone, 'alice'))).toEqual([502, 'upstream_failed', 'unreachable']);
  });

  it('that hangs ends with 504 within its time limit', async () => {
    const proxy = await startFreezableProxy(slapd.url);
    const made = await domain({ hosts: [proxy.url.replace(/\/$/, '')], timeout_s: 1 });
    proxy.freeze();
    expect(codeOf(await logIn(made, 'alice'))).toEqual([504, 'upstream_timeout', undefined]);
    await proxy.close();
  });
});
