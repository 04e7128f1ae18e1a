import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addGroup, useStand } from '../../support/factories.ts';
import { isAlive } from '../../support/federation/browser.ts';
import { hasLemonldap, startLemonldap } from '../../support/federation/foreign/lemonldap.ts';
import { ada } from '../../support/federation/foreign/process.ts';
import { startForeignStand } from '../../support/federation/foreign/stand.ts';
import { lemonldap } from '../../support/federation/providers/lemonldap.ts';
import { requireService } from '../../support/services.ts';

const scopes = ['openid', 'profile', 'email', 'groups'];

requireService('lemonldap-ng', hasLemonldap)('a sign-in at LemonLDAP::NG', () => {
  const stand = useStand(async () => {
    const started = await startForeignStand(startLemonldap, { scopes, recheck: true });
    started.provider.people.set(ada.username, ada);
    return started;
  });
  afterEach(() => stand.signOutAll());

  async function signIn(browser = stand.browser()) {
    const { headers } = await browser.open(stand.startAt);
    const answer = await stand.provider.signIn(browser, headers.get('location') ?? '', ada);
    return { browser, answer, seen: await browser.follow(answer) };
  }

  it('begins with the configuration that its double has', async () => {
    const { live, profile } = await stand.announced(lemonldap);
    expect(live).toEqual(profile);
  });

  it('creates the person with the groups of the provider, and finds them again', async () => {
    const { group, users } = stand;
    const first = await signIn();
    expect(new URL(first.seen.url).pathname).toBe('/home/');
    // LemonLDAP::NG does not say whether it has verified an address.
    const person = { name: 'ada', real_name: 'Ada Lovelace', email: 'ada@example.com', groups: [group.id] };
    expect(await users()).toEqual([person]);
    expect(new URL((await signIn()).seen.url).pathname).toBe('/home/');
    expect(await users()).toHaveLength(1);
  });

  it('accepts each answer once', async () => {
    const { browser, answer } = await signIn();
    expect((await browser.open(answer)).status).toBeGreaterThanOrEqual(400);
  });

  it('ends at the provider as well, which leads back to the sign-in page', async () => {
    const { provider, startAt } = stand;
    const { browser } = await signIn();
    const { body } = await browser.send('POST /api/auth/v7.0/oidc/sign-out');
    expect(await isAlive(browser)).toBe(false);
    const back = await browser.follow(await provider.confirmLogOut(browser, body.location));
    expect(back.url).toMatch(/\/signin\?step=signed_out$/);
    const page = await browser.follow(startAt);
    expect([new URL(page.url).origin, page.body]).toEqual([
      new URL(provider.issuer).origin,
      expect.stringContaining('name="password"'),
    ]);
  });

  /** LemonLDAP::NG 2.16 reports log-outs by frames of its page alone. Its refresh tokens end with the session of the provider. */
  it('ends at the next check after the person has logged out at the provider', async () => {
    const { provider, check } = stand;
    const { browser } = await signIn();
    const other = await signIn();
    await check();
    expect(await isAlive(browser)).toBe(true);
    await provider.logOut(browser);
    await check();
    expect([await isAlive(browser), await isAlive(other.browser)]).toEqual([false, true]);
  });

  describe('with refresh tokens that outlive the session of the provider', () => {
    beforeAll(() => stand.set({ scopes: [...scopes, 'offline_access'] }));

    it('is checked regularly: groups follow the provider, and without one the session ends', async () => {
      const { world, provider, domain, check, users } = stand;
      const other = await addGroup(world.admin, domain, { name: 'authors' });
      const { browser } = await signIn();
      provider.people.set(ada.username, { ...ada, groups: ['authors'] });
      await check();
      expect(await users()).toMatchObject([{ groups: [other.id] }]);
      expect(await isAlive(browser)).toBe(true);
      provider.people.set(ada.username, { ...ada, groups: ['visitors'] });
      await check();
      expect(await isAlive(browser)).toBe(false);
      expect(await users()).toMatchObject([{ groups: [] }]);
      provider.people.set(ada.username, ada);
    });

    it('ends when the account of the person is deleted', async () => {
      const { provider, check } = stand;
      const { browser } = await signIn();
      provider.people.delete(ada.username);
      await check();
      expect(await isAlive(browser)).toBe(false);
      provider.people.set(ada.username, ada);
    });
  });
});
