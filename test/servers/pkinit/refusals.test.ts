import { and, eq, like } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEvents } from '../../../db/schema/audit/events.ts';
import { loginLocks } from '../../../db/schema/identity/login-locks.ts';
import { users } from '../../../db/schema/identity/users.ts';
import { explicit, integer, kerberosTime, octets, sequence, tlv } from '../../../shared/kernel/crypto/der.ts';
import { hasSlapd } from '../../support/directories/slapd.ts';
import { asker, domainsPath } from '../../support/factories.ts';
import { frame, startProxy, startStand, type TcpStand } from '../../support/gateways/tcp-stand.ts';
import type { CardFiles } from '../../support/pkinit/cards.ts';
import { hasKdc } from '../../support/pkinit/kdc.ts';
import {
  addCardDomain,
  addCardUser,
  begin,
  finalize,
  path as pkinitPath,
  type Realm,
  signIn,
  startRealm,
} from '../../support/pkinit/pkinit.ts';
import { type Json, startPortal, type TestPortal } from '../../support/portal.ts';
import { requireService } from '../../support/services.ts';

requireService('slapd and krb5kdc', hasSlapd && hasKdc)('a login by certificate is refused', () => {
  let kdc: Realm;
  let portal: TestPortal;
  let domain: Json;
  let alice: CardFiles;
  const stands: TcpStand[] = [];

  beforeAll(async () => {
    [kdc, portal] = await Promise.all([startRealm(), startPortal()]);
    domain = await addCardDomain(portal, kdc);
    alice = await kdc.issue({ name: 'alice' });
    for (const name of ['alice', 'bob', 'carol', 'dave']) await addCardUser(portal, domain, name);
  });
  afterAll(async () => {
    for (const stand of stands) await stand.close();
    await portal?.close();
    await kdc?.stop();
  });

  const refused = (status: number, code: string) => ({ status, body: { code } });
  /** A separate address: failed requests of one are limited per minute. */
  const from = (ip: string): Pick<TestPortal, 'send'> => ({
    send: (route, options) => portal.send(route, { ...options, ip }),
  });
  const failuresOf = (name: string) =>
    portal.db
      .select({ details: auditEvents.details })
      .from(auditEvents)
      .where(and(eq(auditEvents.event, 'portal.LoginFailed'), eq(auditEvents.user_name, name)));
  /** A KDC that answers everything with one KRB-ERROR. */
  async function refusing(code: number, status?: number) {
    const fields = [
      explicit(4, kerberosTime(new Date())),
      explicit(6, integer(code)),
      ...(status === undefined ? [] : [explicit(12, octets(extendedError(status)))]),
    ];
    const error = tlv(0x7e, sequence(explicit(0, integer(5)), explicit(1, integer(30)), ...fields));
    const stand = await startStand((_, socket) => socket.write(frame(error)));
    stands.push(stand);
    return addCardDomain(portal, { ...kdc, address: stand.address });
  }

  it.each([
    ['that has expired', { days: -1 }, 'certificate_invalid'],
    ['for another purpose', { section: 'no_purpose' }, 'certificate_wrong_purpose'],
    ['of an unknown authority', { authority: 'other' }, 'invalid_credentials'],
    ['of an account that the realm does not have', { client: 'dave' }, 'invalid_credentials'],
  ] as const)('for a card %s', async (name, order, code) => {
    const card = await kdc.issue({ client: 'alice', ...order, name: name.replaceAll(' ', '-') });
    expect(await signIn(portal, domain, card)).toMatchObject(refused(401, code));
  });

  it.each([
    'user',
    'domain',
  ] as const)('when it began before the %s was disabled, also after being enabled again', async (what) => {
    const own = await addCardDomain(portal, kdc);
    const user = await addCardUser(portal, own, 'alice');
    const admin = asker(portal, await portal.login());
    const [path, off, on] =
      what === 'user'
        ? [`${domainsPath}/${own.id}/users/${user}`, 'inactive', 'active']
        : [`${domainsPath}/${own.id}`, 'disabled', 'visible'];
    const sign = async () => {
      const { challenge_id, data_to_sign } = (await begin(portal, own, alice)).body;
      return { challenge_id, signature: await alice.sign(data_to_sign) };
    };
    const [signed, asked] = [await sign(), await sign()];
    expect((await portal.send(pkinitPath(own, 'raw'), { body: asked })).status).toBe(200);
    expect((await admin(`PATCH ${path}`, { state: off })).status).toBe(200);
    expect((await admin(`PATCH ${path}`, { state: on })).status).toBe(200);
    const { challenge_id } = asked;
    expect(await finalize(portal, own, signed)).toMatchObject(refused(401, 'login_expired'));
    expect(await finalize(portal, own, { challenge_id })).toMatchObject(refused(401, 'login_expired'));
    expect((await signIn(portal, own, alice)).status).toBe(200);
  });

  it('for a card that was revoked', async () => {
    const card = await kdc.issue({ name: 'lost', client: 'alice' });
    await kdc.revoke(card);
    const knowing = await addCardDomain(portal, { ...kdc, address: await kdc.another({}) });
    expect(await signIn(portal, knowing, card)).toMatchObject(refused(401, 'certificate_revoked'));
  });

  it('for a card without a name of the realm', async () => {
    const card = await kdc.issue({ name: 'nameless', section: 'kdc_host' });
    expect(await begin(portal, domain, card)).toMatchObject(refused(401, 'certificate_mismatch'));
    const service = await kdc.issue({ name: 'service', section: 'kdc' });
    expect(await begin(portal, domain, service)).toMatchObject(refused(401, 'certificate_mismatch'));
  });

  it('when the account is locked in its realm, with the reason only for a card of the realm', async () => {
    await kdc.admin('modprinc', '-allow_tix', 'carol');
    const card = await kdc.issue({ name: 'carol' });
    expect(await signIn(portal, domain, card)).toMatchObject(refused(403, 'account_disabled'));
    const made = await kdc.issue({ name: 'made', client: 'carol', authority: 'other' });
    expect(await signIn(portal, domain, made)).toMatchObject(refused(401, 'invalid_credentials'));
  });

  it('with the same error for forged cards of existing and unknown accounts', async () => {
    const answers: Json[] = [];
    for (const client of ['alice', 'carol', 'nobody']) {
      const card = await kdc.issue({ name: `own-${client}`, client, authority: 'other' });
      const begun = await begin(portal, domain, card);
      expect(begun.status).toBe(200);
      const { challenge_id, data_to_sign } = begun.body;
      const { body } = await finalize(portal, domain, {
        challenge_id,
        signature: await card.sign(data_to_sign),
      });
      answers.push({ ...body, instance: '' });
    }
    expect(answers[0].code).toBe('invalid_credentials');
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('when the freshness token is missing although the realm asks for it', async () => {
    // METHOD-DATA with PKINIT offered, and nothing else.
    const offer = sequence(sequence(explicit(1, integer(16)), explicit(2, octets(new Uint8Array()))));
    const fields = [
      explicit(4, kerberosTime(new Date())),
      explicit(6, integer(25)),
      explicit(12, octets(offer)),
    ];
    const hint = tlv(0x7e, sequence(explicit(0, integer(5)), explicit(1, integer(30)), ...fields));
    const stand = await startProxy(kdc.address, (message, reply) => (message.length < 1_000 ? hint : reply));
    stands.push(stand);
    const other = await addCardDomain(portal, { ...kdc, address: stand.address });
    expect(await signIn(portal, other, alice)).toMatchObject(refused(401, 'invalid_credentials'));
  });

  it('for a user that an administrator has deactivated', async () => {
    const empty = await addCardDomain(portal, kdc);
    const id = await addCardUser(portal, empty, 'alice', { state: 'inactive' });
    expect(await signIn(portal, empty, alice)).toMatchObject(refused(401, 'invalid_credentials'));
    await portal.db.update(users).set({ state: 'active', kind: 'service' }).where(eq(users.id, id));
    expect(await signIn(portal, empty, alice)).toMatchObject(refused(401, 'invalid_credentials'));
    await portal.db.update(users).set({ kind: 'person' }).where(eq(users.id, id));
    expect((await signIn(portal, empty, alice)).status).toBe(200);
  });

  it.each([
    [1, 403, 'account_expired', undefined],
    [23, 403, 'password_expired', undefined],
    [64, 401, 'invalid_signature', undefined],
    [66, 401, 'certificate_mismatch', undefined],
    [70, 401, 'certificate_not_trusted', undefined],
    [37, 502, 'upstream_refused', 'clock_skew'],
    [65, 502, 'upstream_refused', 'algorithms'],
    [73, 502, 'upstream_refused', 'revocation_unknown'],
    [60, 502, 'upstream_refused', 'refused'],
  ])('with the meaning of the error %i of a KDC', async (error, status, code, reason) => {
    const { body, ...rest } = await signIn(portal, await refusing(error), alice);
    expect([rest.status, body.code, body.reason]).toEqual([status, code, reason]);
  });

  it.each([
    [0xc0000072, 'account_disabled'],
    [0xc0000193, 'account_expired'],
    [0xc0000234, 'account_locked'],
    [0xc000006f, 'account_restricted'],
    [0xc0000070, 'account_restricted'],
    [0xc0000071, 'password_expired'],
    [0xc0000001, 'account_disabled'],
  ])('with the meaning of the additional status %i of Active Directory', async (status, code) => {
    const near = from(`198.51.100.${100 + (status % 97)}`);
    expect(await signIn(near, await refusing(18, status), alice)).toMatchObject(refused(403, code));
    const made = await kdc.issue({ name: `made-${status}`, client: 'alice', authority: 'other' });
    expect(await signIn(near, await refusing(18, status), made)).toMatchObject(
      refused(401, 'invalid_credentials'),
    );
  });

  it('with an event each, and after five by the KDC the card is locked, and no other', async () => {
    const near = from('198.51.100.8');
    const card = await kdc.issue({ name: 'tries', client: 'bob', authority: 'other' });
    for (let at = 0; at < 5; at++)
      expect(await signIn(near, domain, card)).toMatchObject(refused(401, 'invalid_credentials'));
    const details = (await failuresOf('bob')).map((event) => event.details);
    expect(details).toHaveLength(5);
    expect(details[0]).toMatchObject({ factor: 'certificate', code: 'invalid_credentials', krb_error: 70 });
    expect(await signIn(near, domain, card)).toMatchObject(refused(429, 'locked_out'));
    const own = await kdc.issue({ name: 'bob' });
    expect((await signIn(near, domain, own)).status).toBe(200);
    const rows = await portal.db.select().from(loginLocks).where(like(loginLocks.account, '%/bob'));
    expect(rows).toEqual([]);
  });

  it('for a malformed signature, which locks no account', async () => {
    const near = from('198.51.100.9');
    for (let at = 0; at < 8; at++) {
      const { challenge_id } = (await begin(near, domain, alice)).body;
      const signature = Buffer.alloc(256, at).toString('base64');
      const answer = await finalize(near, domain, { challenge_id, signature });
      expect(answer).toMatchObject(refused(401, 'invalid_signature'));
    }
    const answer = await signIn(near, domain, alice);
    expect(answer.status).toBe(200);
    expect((await failuresOf('alice')).map(({ details }) => details)).toContainEqual(
      expect.objectContaining({ code: 'invalid_signature' }),
    );
  });
});

/** KERB-ERROR-DATA with a KERB-EXT-ERROR (MS-KILE, 2.2.1 and 2.2.2). */
function extendedError(status: number): Uint8Array {
  const value = Buffer.alloc(12);
  value.writeUInt32LE(status, 0);
  value.writeUInt32LE(1, 8);
  return sequence(explicit(1, integer(3)), explicit(2, octets(value)));
}
