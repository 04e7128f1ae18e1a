import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFailedServers } from '../../../shared/remotes/directory/failed-servers.ts';
import { nameTypes } from '../../../shared/remotes/kerberos/names.ts';
import { createTcp } from '../../../shared/remotes/kerberos/node.ts';
import { preflight } from '../../../shared/remotes/kerberos/request.ts';
import { createKdcRemote } from '../../../shared/remotes/kerberos/transport.ts';
import { freePorts } from '../../e2e/support/portal-process.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { ask, frame, startStand, type TcpStand } from '../../support/gateways/tcp-stand.ts';
import type { CardFiles } from '../../support/pkinit/cards.ts';
import { hasKdc } from '../../support/pkinit/kdc.ts';
import {
  addCardDomain,
  addCardUser,
  begin,
  finalize,
  type Realm,
  signIn,
  startRealm,
} from '../../support/pkinit/pkinit.ts';
import { type Json, startPortal, type TestPortal } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

type Fault = Parameters<typeof startStand>[0];
const faults: Record<string, Fault> = {
  'says nothing': () => undefined,
  resets: (_, socket) => socket.resetAndDestroy(),
  closes: (_, socket) => socket.end(),
  'stops in the middle': (_, socket) => socket.end(frame(Buffer.alloc(500, 0x6b)).subarray(0, 100)),
  'talks of 2 GB': (_, socket) => socket.write(Buffer.from('7fffffff6b', 'hex')),
  'answers nothing at all': (_, socket) => socket.write(Buffer.alloc(4)),
  'speaks another language': (_, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
};
/** A valid first byte, followed by invalid content. */
const nonsense: Fault = (_, socket) => socket.write(frame(Buffer.from('6b0a30080201013103020102', 'hex')));

requireService('slapd and krb5kdc', hasSlapd && hasKdc)('the KDCs of a domain', () => {
  let kdc: Realm;
  let portal: TestPortal;
  let alice: CardFiles;
  const stands: TcpStand[] = [];

  beforeAll(async () => {
    [kdc, portal] = await Promise.all([startRealm(), startPortal()]);
    alice = await kdc.issue({ name: 'alice' });
  });
  afterAll(async () => {
    for (const stand of stands) await stand.close();
    await portal?.close();
    await kdc?.stop();
  });

  async function stand(fault: Fault): Promise<TcpStand> {
    const started = await startStand(fault);
    stands.push(started);
    return started;
  }

  async function domainOf(
    addresses: readonly string[],
    timeoutS = 5,
    given: TestPortal = portal,
    more: Json = {},
  ): Promise<Json> {
    const kerberos = { realm: kdc.realm, kdc: addresses, anchors: kdc.anchors, ...more };
    const params = { ...kdc.directory, timeout_s: timeoutS, kerberos };
    const domain = await addCardDomain(given, kdc, {}, { params });
    await addCardUser(given, domain, 'alice');
    return domain;
  }

  it.each([
    ['says nothing', 504, 'upstream_timeout', 'timeout'],
    ['resets', 503, 'upstream_unavailable', 'unreachable'],
    ['closes', 503, 'upstream_unavailable', 'unreachable'],
    ['stops in the middle', 503, 'upstream_unavailable', 'unreachable'],
    ['talks of 2 GB', 502, 'upstream_failed', 'too_large'],
    ['answers nothing at all', 502, 'upstream_failed', 'malformed'],
    ['speaks another language', 502, 'upstream_failed', 'too_large'],
  ])('are reported as unavailable when the only one %s', async (fault, status, code, reason) => {
    const { address } = await stand(faults[fault] as Fault);
    const answer = await begin(portal, await domainOf([address], 1), alice);
    expect([answer.status, answer.body.code, answer.body.reason]).toEqual([status, code, reason]);
  });

  it('are reported as unavailable when one answers with garbage', async () => {
    const { address } = await stand(nonsense);
    const answer = await begin(portal, await domainOf([address]), alice);
    expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_failed', reason: 'malformed' } });
  });

  it.each(Object.keys(faults))('one that %s is called once, and the others for 30 s', async (fault) => {
    const { address, connections } = await stand(faults[fault] as Fault);
    const domain = await domainOf([address, kdc.address], 2);
    expect((await signIn(portal, domain, alice)).status).toBe(200);
    expect((await signIn(portal, domain, alice)).status).toBe(200);
    expect(connections()).toBe(1);
  });

  it('one that failed is called again after 30 s, or when no other one answers', async () => {
    let now = 0;
    const open = createTcp({ allowedNetworks: ['127.0.0.0/8'] });
    const remote = createKdcRemote(
      open,
      createFailedServers(undefined, () => now),
    );
    const failing = await stand((_, socket) => socket.resetAndDestroy());
    const other = await stand((message, socket) => forward(message, socket));
    const forward: Fault = async (message, socket) => socket.write(frame(await ask(kdc.address, message)));
    const message = preflight({ type: nameTypes.principal, parts: ['alice'], realm: kdc.realm }, new Date());
    const kdcs = [failing.address, other.address];
    const asked = async (): Promise<number> => {
      await remote.ask({ kdcs, deadlineMs: 5_000 }, message);
      return failing.connections();
    };
    expect([await asked(), await asked()]).toEqual([1, 1]);
    now = 29_999;
    expect(await asked()).toBe(1);
    now = 30_000;
    expect([await asked(), await asked()]).toEqual([2, 2]);
    await other.close();
    await expect(asked()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(failing.connections()).toBe(3);
  });

  it('a realm in lower case equals that in upper case', async () => {
    const domain = await domainOf([kdc.address], 5, portal, { realm: kdc.realm.toLowerCase() });
    expect((await signIn(portal, domain, alice)).status).toBe(200);
  });

  const testOf = async (addresses: readonly string[], given: Json = {}, username?: string): Promise<Json> => {
    const token = await portal.login();
    const kerberos = { realm: kdc.realm, kdc: addresses, anchors: kdc.anchors, ...given };
    const params = { ...kdc.directory, timeout_s: 1, kerberos };
    const { body } = await portal.send('POST /api/webui/aggregator/authenticators/test/ldap', {
      token,
      body: { params, ...(username !== undefined && { username }) },
    });
    const { status, detail } = body.checks.find(({ name }: Json) => name === 'kdc') ?? {};
    return { success: body.success, status, detail };
  };

  it('a test calls each KDC', async () => {
    const good = { success: true, status: 'pass', detail: `${kdc.address}: responds` };
    expect(await testOf([kdc.address])).toEqual(good);
    expect(await testOf([kdc.address], { realm: kdc.realm.toLowerCase() }, 'alice')).toEqual(good);
    const [port] = await freePorts(1);
    const closed = `127.0.0.1:${port}`;
    const silent = await stand(() => undefined);
    const odd = await stand(nonsense);
    for (const address of [closed, silent.address, odd.address])
      expect(await testOf([kdc.address, address])).toEqual({
        success: false,
        status: 'fail',
        detail: `${kdc.address}: responds; ${address}: no KDC responds`,
      });
  });

  it('a test reports a KDC that does not accept certificates', async () => {
    const address = await kdc.another({ pkinit_identity: 'FILE:/nonexistent' });
    expect(await testOf([address], {}, 'alice')).toEqual({
      success: false,
      status: 'fail',
      detail: `${address}: does not accept certificates`,
    });
  });

  it('replace unavailable ones, and receive the same bytes', async () => {
    const [port] = await freePorts(1);
    const messages: Buffer[] = [];
    const record: Fault = (message, socket) => {
      messages.push(message);
      socket.resetAndDestroy();
    };
    const forward: Fault = async (message, socket) => {
      messages.push(message);
      socket.write(frame(await ask(kdc.address, message)));
    };
    const [first, second] = [await stand(record), await stand(forward)];
    const domain = await domainOf([`127.0.0.1:${port}`, first.address, second.address]);
    expect((await signIn(portal, domain, alice)).status).toBe(200);
    // The second message is sent to the KDC that answered the first.
    expect(messages).toHaveLength(3);
    expect(messages[1]).toEqual(messages[0]);
    expect(messages[2]).not.toEqual(messages[1]);
  });

  it('are called by finalize only with a valid signature', async () => {
    const counting = await stand(async (message, socket) =>
      socket.write(frame(await ask(kdc.address, message))),
    );
    const domain = await domainOf([counting.address]);
    const { challenge_id } = (await begin(portal, domain, alice)).body;
    const signature = Buffer.alloc(256).toString('base64');
    expect((await finalize(portal, domain, { challenge_id, signature })).status).toBe(401);
    expect(counting.connections()).toBe(1);
  });

  it('are called without success at most 50 times a minute by one address, and by others as usual', async () => {
    const { address, connections } = await stand((_, socket) => socket.resetAndDestroy());
    const domain = await domainOf([address]);
    const from = (ip: string) =>
      begin({ send: (route, options) => portal.send(route, { ...options, ip }) }, domain, alice);
    const answers = [];
    for (let at = 0; at < 52; at++) answers.push((await from('203.0.113.7')).body.code);
    expect(answers.filter((code) => code === 'upstream_unavailable')).toHaveLength(50);
    expect(answers.slice(50)).toEqual(['rate_limited', 'rate_limited']);
    expect(connections()).toBe(50);
    expect((await from('203.0.113.8')).body.code).toBe('upstream_unavailable');
  });

  it('do not count successful logins against the limit of an address', async () => {
    const domain = await domainOf([kdc.address]);
    const send: TestPortal['send'] = (route, options) =>
      portal.send(route, { ...options, ip: '203.0.113.9' });
    for (let at = 0; at < 30; at++) expect((await signIn({ send }, domain, alice)).status).toBe(200);
  });

  describe('a KDC in a disallowed private network', () => {
    let strict: TestPortal;
    beforeAll(async () => {
      strict = await startPortal({ allowedNetworks: [] });
    });
    afterAll(() => strict?.close());

    it.each(['127.0.0.1', 'localhost', '[::1]', '0x7f.1'])('is not connected to at %s', async (host) => {
      const { address, connections } = await stand(() => undefined);
      const port = address.split(':')[1];
      const answer = await begin(strict, await domainOf([`${host}:${port}`], 5, strict), alice);
      expect([answer.status, answer.body.code, answer.body.reason]).toEqual([
        502,
        'upstream_refused',
        'address_not_allowed',
      ]);
      expect(connections()).toBe(0);
    });
  });
});
