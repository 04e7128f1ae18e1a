import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNodeSockets } from '../../../../shared/remotes/directory/node.ts';
import { createDirectoryRemote } from '../../../../shared/remotes/directory/remote.ts';
import type { Lookup } from '../../../../shared/remotes/tls/node.ts';
import { createAuthority } from '../../../simulator/authority.ts';
import { type FreezableProxy, startFreezableProxy } from '../../../support/database/freezable-proxy.ts';
import { person, posixGroup } from '../../../support/directories/entries.ts';
import { hasSlapd, reader, startSlapd, suffix } from '../../../support/directories/slapd.ts';
import { startDirectoryStand } from '../../../support/directories/stand.ts';
import { addMember, logIn, useStand } from '../../../support/factories.ts';
import type { Json } from '../../../support/portal.ts';
import { requireService } from '../../../support/services.ts';

const codeOf = ({ status, body }: Json): unknown => [status, body.code, body.reason];
const ldif = [person('alice'), posixGroup('staff', ['alice'])].join('');

requireService('slapd', hasSlapd)('the servers of a directory', () => {
  const stand = useStand(() => startDirectoryStand(ldif));
  let proxy: FreezableProxy;
  beforeAll(async () => {
    proxy = await startFreezableProxy(stand.slapd.url);
  });
  afterAll(async () => {
    await proxy.close();
  });
  const proxied = (): string => proxy.url.replace(/\/$/, '');

  it('are reached by TLS, StartTLS, and in plain text inside allowed networks', async () => {
    const { url, secureUrl } = stand.slapd;
    for (const params of [
      { hosts: [secureUrl] },
      { hosts: [url], start_tls: true },
      { hosts: [url], ca_certificate: null },
      { hosts: [secureUrl.replace('127.0.0.1', 'localhost')] },
    ]) {
      const domain = await stand.domainFor('staff', params);
      expect([params, (await stand.logIn(domain, 'alice')).status]).toEqual([params, 200]);
    }
    expect((await stand.slapd.logged()).some((line) => line.includes('STARTTLS'))).toBe(true);
  });

  it('need a certificate of the right authority and name before a secret is sent', async () => {
    const { caPem } = await createAuthority('Another');
    const before = await stand.slapd.bindsAs(reader.bind_dn);
    for (const params of [
      { ca_certificate: caPem },
      { ca_certificate: null },
      { ca_certificate: caPem, hosts: [stand.slapd.url], start_tls: true },
    ]) {
      const domain = await stand.domainFor('staff', params);
      expect(codeOf(await stand.logIn(domain, 'alice'))).toEqual([502, 'upstream_tls', 'unknown_ca']);
    }
    expect(await stand.slapd.bindsAs(reader.bind_dn)).toBe(before);
    const other = await startSlapd(await stand.authority.issue('wrong_name'), ldif);
    for (const params of [{ hosts: [other.secureUrl] }, { hosts: [other.url], start_tls: true }]) {
      const domain = await stand.domainFor('staff', params);
      expect(codeOf(await stand.logIn(domain, 'alice'))).toEqual([502, 'upstream_tls', 'wrong_name']);
    }
    await other.stop();
  });

  it('that hang end a login with 504 within its time limit, and do not affect other domains', async () => {
    const domain = await stand.domainFor('staff', { hosts: [proxied()], timeout_s: 1 });
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    const { user } = await addMember(stand.world, []);
    proxy.freeze();
    const held = proxy.held();
    const hanging = [stand.logIn(domain, 'alice'), stand.logIn(domain, 'alice')];
    await held;
    expect((await logIn(stand.world.portal, stand.world.domain, user)).status).toBe(200);
    for (const answer of await Promise.all(hanging)) {
      expect(codeOf(answer)).toEqual([504, 'upstream_timeout', undefined]);
      expect(answer.headers.get('retry-after')).not.toBeNull();
    }
    proxy.thaw();
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
  });

  it('that hang, refuse or are not directories are skipped, and tried last for a while', async () => {
    const silent = await listen(createServer());
    const closed = await listen(createServer());
    await closed.close();
    const hosts = [silent.url, closed.url, stand.slapd.secureUrl];
    const domain = await stand.domainFor('staff', { hosts, timeout_s: 3 });
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    expect(silent.count()).toBe(1);
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    expect(silent.count()).toBe(1);
    await silent.close();
  });

  it('that hang after their first answer leave a share of the time to each of the others', async () => {
    const proxies = await Promise.all([1, 2].map(() => startFreezableProxy(stand.slapd.url)));
    const hanging = proxies.map(({ url }) => url.replace(/\/$/, ''));
    const { directories } = stand.world.portal.deps;
    const directory = {
      hosts: [...hanging, stand.slapd.url],
      startTls: false,
      ca: undefined,
      account: { dn: reader.bind_dn, password: reader.bind_password },
      timeoutMs: 3_000,
      pageSize: 100,
    };
    const asked: number[] = [];
    const found = await directories.within(directory, async ({ search }) => {
      // The search account is bound; the next request gets no answer.
      proxies[asked.length]?.freeze();
      asked.push(performance.now());
      return search({ base: suffix, filter: { equals: ['uid', 'alice'] }, attributes: ['uid'], most: 1 });
    });
    expect(found).toMatchObject([{ values: { uid: ['alice'] } }]);
    const waits = asked.slice(1).map((at, index) => Math.round((at - (asked[index] ?? 0)) / 1_000));
    expect(waits).toEqual([1, 1]);
    await Promise.all(proxies.map((one) => one.close()));
  });

  it('that hang in a pooled connection are followed by another one within the time of the login', async () => {
    const first = await startFreezableProxy(stand.slapd.url);
    const hosts = [first.url.replace(/\/$/, ''), stand.slapd.url];
    const domain = await stand.domainFor('staff', { hosts, timeout_s: 2 });
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    first.freeze();
    const held = first.held();
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    await held;
    await first.close();
  });

  it('that hang after they received a password are not followed by another one', async () => {
    const domain = await stand.domainFor('staff', { hosts: [proxied(), stand.slapd.url], timeout_s: 1 });
    const { directories } = stand.world.portal.deps;
    const before = await stand.slapd.bindsAs('uid=alice,ou=people,dc=example,dc=com');
    const directory = {
      hosts: [proxied(), stand.slapd.url],
      startTls: false,
      ca: undefined,
      account: { dn: reader.bind_dn, password: reader.bind_password },
      timeoutMs: 1_000,
      pageSize: 100,
    };
    const work = directories.within(directory, (session) => {
      proxy.freeze();
      return session.checkPassword('uid=alice,ou=people,dc=example,dc=com', 'secret of alice');
    });
    await expect(work).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(await stand.slapd.bindsAs('uid=alice,ou=people,dc=example,dc=com')).toBe(before);
    expect((await stand.logIn(domain, 'alice')).status).toBe(200);
    proxy.thaw();
  });

  it('are unavailable when all refuse, and the search account must be right', async () => {
    const closed = await listen(createServer());
    await closed.close();
    const gone = await stand.domainFor('staff', { hosts: [closed.url] });
    expect(codeOf(await stand.logIn(gone, 'alice'))).toEqual([502, 'upstream_failed', 'unreachable']);
    const stranger = await stand.domainFor('staff', { bind_password: 'another' });
    expect(codeOf(await stand.logIn(stranger, 'alice'))).toEqual([502, 'upstream_refused', 'account']);
    const nameless = await stand.domainFor('staff', { bind_password: null });
    expect(codeOf(await stand.logIn(nameless, 'alice'))).toEqual([502, 'upstream_refused', 'account']);
    const baseless = await stand.domainFor('staff', { base_dn: 'ou=nowhere,dc=example,dc=com' });
    expect(codeOf(await stand.logIn(baseless, 'alice'))).toEqual([502, 'upstream_failed', 'no_such_base']);
    const garbled = await stand.domainFor('staff', { user_filter: '(&(uid=a)x)' });
    expect(codeOf(await stand.logIn(garbled, 'alice'))).toEqual([502, 'upstream_failed', 'bad_filter']);
  });

  it('are connected to at checked addresses only, whatever a name resolved to when it was saved', async () => {
    const port = new URL(stand.slapd.url).port;
    const answers: Record<string, string> = { 'moving.example': '127.0.0.1', 'public.example': '192.0.2.1' };
    const lookup: Lookup = (name, _, done) => done(null, [{ address: answers[name] ?? '', family: 4 }]);
    const within = (allowedNetworks: string[], host: string, startTls = false) => {
      const policy = { allowedNetworks, allowInsecure: false };
      const remote = createDirectoryRemote(createNodeSockets(policy, lookup), policy);
      const directory = { hosts: [host], startTls, ca: stand.authority.caPem, account: undefined };
      return remote.within({ ...directory, timeoutMs: 2_000, pageSize: 10 }, async () => 'connected');
    };
    const refused = { code: 'upstream_refused', members: { reason: 'address_not_allowed' } };
    for (const host of ['moving.example', '127.0.0.1', '0x7f.1', 'localhost', '[::ffff:127.0.0.1]'])
      await expect(within([], `ldap://${host}:${port}`, true)).rejects.toMatchObject(refused);
    // A public address in plain text: always rejected.
    await expect(within(['127.0.0.0/8'], `ldap://public.example:${port}`)).rejects.toMatchObject(refused);
    expect(await within(['127.0.0.0/8'], `ldap://moving.example:${port}`)).toBe('connected');
  });

  it('get a limited number of concurrent calls; others wait, and the excess is reported', async () => {
    const policy = { allowedNetworks: ['127.0.0.0/8'], allowInsecure: false };
    const remote = createDirectoryRemote(createNodeSockets(policy), policy, { width: 2, maxWaiting: 1 });
    const directory = {
      hosts: [stand.slapd.url],
      startTls: false,
      ca: undefined,
      account: undefined,
      timeoutMs: 5_000,
      pageSize: 10,
    };
    const gate = Promise.withResolvers<void>();
    const both = Promise.withResolvers<void>();
    let running = 0;
    const work = async () => {
      running += 1;
      if (running === 2) both.resolve();
      await gate.promise;
      return running;
    };
    const three = [1, 2, 3].map(() => remote.within(directory, work));
    await both.promise;
    await expect(remote.within(directory, work)).rejects.toMatchObject({ code: 'overloaded' });
    expect(running).toBe(2);
    gate.resolve();
    expect(await Promise.all(three)).toEqual([2, 2, 3]);
  });
});

/** A server that accepts connections and sends nothing. */
async function listen(server: Server) {
  let count = 0;
  server.on('connection', (socket) => {
    count += 1;
    socket.on('error', () => undefined).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `ldap://127.0.0.1:${port}`,
    count: () => count,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
