import { verify } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { readAll, readOne } from '../../../shared/kernel/crypto/der.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import type { CardFiles } from '../../support/pkinit/cards.ts';
import { hasKdc } from '../../support/pkinit/kdc.ts';
import {
  addCardDomain,
  addCardUser,
  begin,
  finalize,
  path,
  type Realm,
  signIn,
  startRealm,
} from '../../support/pkinit/pkinit.ts';
import { type Answer, type Json, startPortal, type TestPortal } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

requireService('slapd and krb5kdc', hasSlapd && hasKdc)('a login by certificate', () => {
  let kdc: Realm;
  let portal: TestPortal;
  let domain: Json;
  let alice: CardFiles;
  let bob: CardFiles;
  let carol: CardFiles;

  beforeAll(async () => {
    [kdc, portal] = await Promise.all([startRealm(), startPortal()]);
    domain = await addCardDomain(portal, kdc);
    alice = await kdc.issue({ name: 'alice' });
    bob = await kdc.issue({ name: 'bob', section: 'client_upn' });
    carol = await kdc.issue({ name: 'carol', curve: true });
    for (const name of ['alice', 'bob', 'carol']) await addCardUser(portal, domain, name);
  });
  afterAll(async () => {
    await portal?.close();
    await kdc?.stop();
  });

  const refused = (status: number, code: string) => ({ status, body: { code } });

  it.each([
    ['an RSA key and a principal', () => alice, 'RSASSA-PKCS1-v1_5', 'alice'],
    ['an RSA key and a UPN', () => bob, 'RSASSA-PKCS1-v1_5', 'bob'],
    ['a key on a curve', () => carol, 'ECDSA', 'carol'],
  ])('opens a session for a card with %s, with freshness required', async (_, card, algorithm, name) => {
    const begun = await begin(portal, domain, card());
    expect(begun).toMatchObject({
      status: 200,
      body: {
        realm: 'PKINIT.TEST',
        principal: `${name}@PKINIT.TEST`,
        digest_algorithm: 'sha256',
        signature_algorithm: algorithm,
        expires_in: 240,
      },
    });
    const { challenge_id, data_to_sign } = begun.body;
    const answer = await finalize(portal, domain, {
      challenge_id,
      signature: await card().sign(data_to_sign),
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { result: 'ok', version: '7.0', user: { name, domain: domain.name, portal: 'user' } },
    });
    const me = await portal.send('GET /api/userinfo', { token: answer.body.token });
    expect(me).toMatchObject({ status: 200, body: { name } });
  });

  it('is audited, and recorded with the user', async () => {
    const id = await addCardUser(portal, await addCardDomain(portal, kdc), 'nobody');
    const events = await portal.db.select().from(auditEvents).where(eq(auditEvents.user_name, 'alice'));
    expect(events.map(({ event, domain: label }) => [event, label])).toContainEqual([
      'portal.UserLogin',
      domain.name,
    ]);
    const seen = await portal.db.select().from(users).where(eq(users.authenticator_id, domain.id));
    expect(seen.map(({ last_login_at }) => last_login_at instanceof Date)).toEqual([true, true, true]);
    const [other] = await portal.db.select().from(users).where(eq(users.id, id));
    expect(other?.last_login_at).toBeNull();
  });

  it('accepts the signature of a curve as two halves, which cards return', async () => {
    const { body } = await begin(portal, domain, carol);
    const signature = Buffer.from(await carol.sign(body.data_to_sign), 'base64');
    const halves = readAll(readOne(signature).content).map(({ content }) =>
      Buffer.from(content).toString('hex').padStart(64, '0').slice(-64),
    );
    const form = { key: carol.certificate, dsaEncoding: 'ieee-p1363' } as const;
    const text = Buffer.from(body.data_to_sign, 'base64');
    expect(verify('sha256', text, form, Buffer.from(halves.join(''), 'hex'))).toBe(true);
    const given = { challenge_id: body.challenge_id, signature: Buffer.from(halves.join(''), 'hex') };
    const answer = await finalize(portal, domain, {
      ...given,
      signature: given.signature.toString('base64'),
    });
    expect(answer.status).toBe(200);
  });

  it('may call the KDC first by raw, and finalize uses its answer', async () => {
    const { body } = await begin(portal, domain, alice);
    const { challenge_id } = body;
    const signed = { challenge_id, signature: await alice.sign(body.data_to_sign) };
    const raw = await portal.send(path(domain, 'raw'), { body: signed });
    expect(raw.status).toBe(200);
    expect(Buffer.from(raw.body.response, 'base64')[0]).toBe(0x6b);
    const again = await portal.send(path(domain, 'raw'), { body: signed });
    expect(again.body).toEqual(raw.body);
    expect(await finalize(portal, domain, { challenge_id })).toMatchObject({ status: 200 });
    expect(await finalize(portal, domain, { challenge_id })).toMatchObject(refused(401, 'login_expired'));
  });

  it('is refused without a login, a second time, in another domain, and when it has expired', async () => {
    const gone = refused(401, 'login_expired');
    const signature = Buffer.alloc(256, 1).toString('base64');
    expect(await finalize(portal, domain, { challenge_id: 'none', signature })).toMatchObject(gone);
    const { body } = await begin(portal, domain, alice);
    const signed = { challenge_id: body.challenge_id, signature: await alice.sign(body.data_to_sign) };
    expect(await finalize(portal, await addCardDomain(portal, kdc), signed)).toMatchObject(gone);
    expect((await finalize(portal, domain, signed)).status).toBe(200);
    expect(await finalize(portal, domain, signed)).toMatchObject(gone);
    const late = (await begin(portal, domain, alice)).body;
    portal.advance(240);
    const given = { challenge_id: late.challenge_id, signature: await alice.sign(late.data_to_sign) };
    expect(await finalize(portal, domain, given)).toMatchObject(gone);
    portal.advance(-240);
  });

  it("is refused with another card's signature, and then spent", async () => {
    const { body } = await begin(portal, domain, alice);
    const { challenge_id, data_to_sign } = body;
    const wrong = await finalize(portal, domain, { challenge_id, signature: await bob.sign(data_to_sign) });
    expect(wrong).toMatchObject(refused(401, 'invalid_signature'));
    const right = await finalize(portal, domain, { challenge_id, signature: await alice.sign(data_to_sign) });
    expect(right).toMatchObject(refused(401, 'login_expired'));
  });

  it('opens one session in concurrent finalize calls to several isolates', async () => {
    const { body } = await begin(portal, domain, alice);
    const signed = { challenge_id: body.challenge_id, signature: await alice.sign(body.data_to_sign) };
    const isolates = [portal.send, portal.isolate(), portal.isolate(), portal.isolate()];
    const answers = await Promise.all(isolates.map((send) => finalize({ send }, domain, signed)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('satisfies the second factor of its domain', async () => {
    const strict = await addCardDomain(portal, kdc, {}, { two_factor: true });
    await addCardUser(portal, strict, 'alice');
    expect((await signIn(portal, strict, alice)).status).toBe(200);
  });

  it.each([['alice'], ['ALICE'], ['alice@PKINIT.TEST']])('may name the user as %s', async (username) => {
    expect((await begin(portal, domain, alice, { username })).status).toBe(200);
  });

  it.each([['bob'], ['alice@OTHER.TEST'], ['alice/admin']])('cannot name the user %s', async (username) => {
    const answer = await begin(portal, domain, alice, { username });
    expect(answer).toMatchObject(refused(401, 'certificate_mismatch'));
  });

  it('accepts a chain of certificates that the KDC does not have', async () => {
    const card = await kdc.issue({ name: 'below', client: 'alice', authority: 'department' });
    const alone = await signIn(portal, domain, card);
    expect(alone).toMatchObject(refused(401, 'invalid_credentials'));
    expect((await signIn(portal, domain, card, { chain: [card.issuer] })).status).toBe(200);
  });

  it('accepts a certificate as base64 of DER too, and no other format', async () => {
    const base64 = alice.certificate.replace(/-----[^-]+-----|\s/g, '');
    expect((await begin(portal, domain, alice, { certificate: base64 })).status).toBe(200);
    for (const certificate of ['none', base64.slice(0, -8), `${base64}${base64}`]) {
      const { status, body } = await begin(portal, domain, alice, { certificate });
      expect([status, body.errors]).toMatchObject([422, [{ pointer: '/certificate' }]]);
    }
    const { body } = await begin(portal, domain, alice, { chain: ['none'] });
    expect(body.errors).toMatchObject([{ pointer: '/chain/0' }]);
  });

  it.each([
    ['without Kerberos parameters', { params: {} }, refused(409, 'invalid_state')],
    ['that is disabled', { state: 'disabled' }, refused(404, 'not_found')],
  ] as const)('is refused by a domain %s', async (_, given, answer) => {
    const other = await addCardDomain(portal, kdc, {}, given);
    expect(await begin(portal, other, alice)).toMatchObject(answer);
    expect(await finalize(portal, other, { challenge_id: 'none' })).toMatchObject(answer);
  });

  it('is announced in the list of domains', async () => {
    const plain = await addCardDomain(portal, kdc, {}, { params: { kerberos: null } });
    const { body } = await portal.send('GET /api/auth/v7.0/authenticators');
    const isPkinitOf = (id: string) => body.find(({ authUuid }: Json) => authUuid === id)?.isPkinit;
    expect([isPkinitOf(domain.id), isPkinitOf(plain.id)]).toEqual([true, false]);
  });

  it('takes two database round trips to begin and four to finish', async () => {
    const tripsOf = async (work: () => Promise<Answer>) => {
      await portal.settled();
      const before = portal.trips();
      const answer = await work();
      return { answer, trips: portal.trips() - before };
    };
    const begun = await tripsOf(() => begin(portal, domain, alice));
    const { challenge_id, data_to_sign } = begun.answer.body;
    const signature = await alice.sign(data_to_sign);
    const ended = await tripsOf(() => finalize(portal, domain, { challenge_id, signature }));
    expect([begun.answer.status, ended.answer.status]).toEqual([200, 200]);
    // One more when the limits are read again.
    expect(begun.trips).toBeLessThanOrEqual(3);
    expect(ended.trips).toBeLessThanOrEqual(5);
  });
});
