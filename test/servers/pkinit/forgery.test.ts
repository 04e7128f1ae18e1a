import { afterAll, beforeAll, expect, it } from 'vitest';
import { oid } from '../../../shared/kernel/crypto/der.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { ask, frame, startProxy, startStand, type TcpStand } from '../../support/gateways/tcp-stand.ts';
import { type Disguise, impersonate, renamed } from '../../support/pkinit/attacker.ts';
import type { CardFiles } from '../../support/pkinit/cards.ts';
import { hasKdc } from '../../support/pkinit/kdc.ts';
import { addCardDomain, addCardUser, type Realm, signIn, startRealm } from '../../support/pkinit/pkinit.ts';
import { startPortal, type TestPortal } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

/** Before the content of this type. */
const keyInfoType = oid('1.3.6.1.5.2.3.2');
const isSigned = (message: Buffer): boolean => message.length > 1_000;

requireService('slapd and krb5kdc', hasSlapd && hasKdc)('a forged reply from the KDC', () => {
  let kdc: Realm;
  let portal: TestPortal;
  let alice: CardFiles;
  let bob: CardFiles;
  const stands: TcpStand[] = [];
  const victim = () => ({ type: 1, parts: ['alice'], realm: kdc.realm });

  beforeAll(async () => {
    [kdc, portal] = await Promise.all([startRealm(), startPortal()]);
    [alice, bob] = [await kdc.issue({ name: 'alice' }), await kdc.issue({ name: 'bob' })];
  });
  afterAll(async () => {
    for (const stand of stands) await stand.close();
    await portal?.close();
    await kdc?.stop();
  });

  async function domainBehind(stand: TcpStand, kerberos = {}) {
    stands.push(stand);
    const domain = await addCardDomain(portal, { ...kdc, address: stand.address }, kerberos);
    await addCardUser(portal, domain, 'alice');
    return domain;
  }

  /** The attacker signs in as alice with a forged card, and answers for the KDC. */
  async function attack(disguise: Disguise) {
    const made = await kdc.issue({ name: `made-${stands.length}`, client: 'alice', authority: 'other' });
    const stand = await startStand(async (message, socket) => {
      const reply = isSigned(message)
        ? await impersonate(kdc.address, message, bob, victim(), disguise)
        : await ask(kdc.address, message);
      socket.write(frame(reply));
    });
    return signIn(portal, await domainBehind(stand), made);
  }

  it('is accepted when it is unchanged', async () => {
    const stand = await startProxy(kdc.address, (_, reply) => reply);
    expect(await signIn(portal, await domainBehind(stand), alice)).toMatchObject({ status: 200 });
  });

  it.each([
    ['has no key binding', { derivations: false, checksum: false }, 'kdc_unbound'],
    ['has a key with the name of the attacker in it', { derivations: true, checksum: false }, 'kdc_key'],
    ['vouches for the request of the attacker', { derivations: false, checksum: true }, 'kdc_request'],
  ])('admits no user under another name when it %s', async (_, disguise, reason) => {
    const before = portal.log.length;
    const answer = await attack(disguise);
    expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_failed', reason } });
    expect(portal.log.slice(before).map(({ message }) => message)).toContain(
      'the reply of a KDC could not be verified',
    );
  });

  it('is rejected with the name of another user', async () => {
    const other = { type: 1, parts: ['bob'], realm: 'PKINIT.TEST' };
    const change = (message: Buffer, reply: Buffer) => (isSigned(message) ? renamed(reply, other) : reply);
    const answer = await signIn(portal, await domainBehind(await startProxy(kdc.address, change)), alice);
    expect(answer).toMatchObject({ status: 502, body: { reason: 'kdc_client' } });
  });

  it.each([
    ['the sealed part', (reply: Buffer) => reply.length - 30, 'kdc_key'],
    ['what the KDC signed', (reply: Buffer) => reply.indexOf(keyInfoType) + 40, 'kdc_signature'],
  ])('is rejected when %s was changed', async (_, placeIn, reason) => {
    const change = (message: Buffer, reply: Buffer) => {
      if (!isSigned(message)) return reply;
      const changed = Buffer.from(reply);
      changed[placeIn(reply)] = (changed[placeIn(reply)] ?? 0) ^ 1;
      return changed;
    };
    const answer = await signIn(portal, await domainBehind(await startProxy(kdc.address, change)), alice);
    expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_failed', reason } });
  });

  it('of an earlier login is rejected', async () => {
    let first: Buffer | undefined;
    const change = (message: Buffer, reply: Buffer) => {
      if (!isSigned(message)) return reply;
      first ??= reply;
      return first;
    };
    const domain = await domainBehind(await startProxy(kdc.address, change));
    expect(await signIn(portal, domain, alice)).toMatchObject({ status: 200 });
    expect(await signIn(portal, domain, alice)).toMatchObject({ status: 502, body: { reason: 'kdc_nonce' } });
  });

  it('from a KDC of another authority is rejected', async () => {
    const { issuer } = await kdc.issue({ name: 'unused', authority: 'other' });
    const stand = await startProxy(kdc.address, (_, reply) => reply);
    const answer = await signIn(portal, await domainBehind(stand, { anchors: issuer }), alice);
    expect(answer).toMatchObject({ status: 502, body: { reason: 'kdc_chain' } });
  });

  it('from a KDC with a server certificate is accepted only if the domain allows it', async () => {
    await kdc.issue({ name: 'host', section: 'kdc_host' });
    const files = ['pem', 'key'].map((kind) => `${kdc.folder}/host.${kind}`);
    const address = await kdc.another({ pkinit_identity: `FILE:${files.join(',')}` });
    const answers = [];
    const names = { kdc_hostnames: ['kdc.pkinit.test'] };
    for (const kerberos of [names, { eku: 'server_auth' }, { eku: 'server_auth', ...names }]) {
      const domain = await addCardDomain(portal, { ...kdc, address }, kerberos);
      await addCardUser(portal, domain, 'alice');
      const { status, body } = await signIn(portal, domain, alice);
      answers.push([status, body.reason]);
    }
    expect(answers).toEqual([
      [502, 'kdc_purpose'],
      [502, 'kdc_name'],
      [200, undefined],
    ]);
  });
});
