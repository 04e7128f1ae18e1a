import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasKdc, type Kdc, startKdc } from '../support/kdc.ts';
import type { CardFiles } from '../support/kdc-cards.ts';
import { addCardDomain, addCardUser, signIn } from '../support/pkinit.ts';
import { type Json, startPortal, type TestPortal } from '../support/portal.ts';
import { requireService } from '../support/services.ts';

requireService('krb5kdc', hasKdc)('a login by certificate', () => {
  let kdc: Kdc;
  let portal: TestPortal;
  let domain: Json;
  const cards: Record<string, CardFiles> = {};

  beforeAll(async () => {
    kdc = await startKdc();
    portal = await startPortal();
    domain = await addCardDomain(portal, kdc);
    cards.alice = await kdc.issue({ name: 'alice' });
    cards.bob = await kdc.issue({ name: 'bob', section: 'client_upn' });
    cards.carol = await kdc.issue({ name: 'carol', curve: true });
    for (const name of ['alice', 'bob', 'carol']) await addCardUser(portal, domain, name);
  });
  afterAll(async () => {
    await portal?.close();
    await kdc?.stop();
  });

  it.each(['alice', 'bob', 'carol'])('opens a session for %s', async (name) => {
    const answer = await signIn(portal, domain, cards[name] as CardFiles);
    expect(answer).toMatchObject({ status: 200, body: { result: 'ok', user: { name } } });
  });
});
