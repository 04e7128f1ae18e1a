import { afterEach, expect, it } from 'vitest';
import { addGroup, useStand } from '../../support/factories.ts';
import { isAlive } from '../../support/federation/browser.ts';
import { hasGlewlwyd, startGlewlwyd } from '../../support/federation/foreign/glewlwyd.ts';
import { ada } from '../../support/federation/foreign/process.ts';
import { startForeignStand } from '../../support/federation/foreign/stand.ts';
import { glewlwyd } from '../../support/federation/providers/glewlwyd.ts';
import { requireService } from '../../support/services.ts';

requireService('glewlwyd', hasGlewlwyd)('a sign-in at Glewlwyd', () => {
  const stand = useStand(async () => {
    const started = await startForeignStand(startGlewlwyd, { recheck: true });
    await started.provider.addPerson(ada);
    await started.provider.reportLogOutsTo(started.logOutsAt);
    return started;
  });
  afterEach(() => stand.signOutAll());

  /** Opens the portal, logs in at the provider and returns with its answer. */
  async function signIn() {
    const browser = stand.browser();
    const { headers } = await browser.open(stand.startAt);
    const visitor = await stand.provider.logIn(ada);
    const answer = await visitor.authorize(headers.get('location') ?? '');
    return { browser, visitor, answer, seen: await browser.follow(answer) };
  }

  it('begins with the configuration that its double has', async () => {
    const { live, profile } = await stand.announced(glewlwyd);
    expect(live).toEqual(profile);
  });

  it('creates the person with the groups of the provider, and finds them again', async () => {
    const { group, users } = stand;
    const first = await signIn();
    expect(new URL(first.seen.url).pathname).toBe('/home/');
    const person = { name: 'ada', real_name: 'Ada Lovelace', email: 'ada@example.com', groups: [group.id] };
    expect(await users()).toEqual([person]);
    expect(new URL((await signIn()).seen.url).pathname).toBe('/home/');
    expect(await users()).toHaveLength(1);
  });

  it('accepts each answer once', async () => {
    const { browser, answer } = await signIn();
    expect((await browser.open(answer)).status).toBeGreaterThanOrEqual(400);
  });

  it('is checked regularly: groups follow the provider, and without one the session ends', async () => {
    const { world, provider, domain, check, users } = stand;
    const other = await addGroup(world.admin, domain, { name: 'authors' });
    const { browser } = await signIn();
    await provider.setPerson({ ...ada, groups: ['authors'] });
    await check();
    expect(await users()).toMatchObject([{ groups: [other.id] }]);
    expect(await isAlive(browser)).toBe(true);
    await provider.setPerson({ ...ada, groups: ['visitors'] });
    await check();
    expect(await isAlive(browser)).toBe(false);
    expect(await users()).toMatchObject([{ groups: [] }]);
    await provider.setPerson(ada);
  });

  /** Glewlwyd renews the tokens of a disabled person, and reports nothing: such a session ends with its own duration. */
  it('of a disabled person is refused, but a session continues at the checks', async () => {
    const { provider, check } = stand;
    const { browser } = await signIn();
    await provider.setPerson(ada, false);
    await check();
    expect(await isAlive(browser)).toBe(true);
    await expect(provider.logIn(ada)).rejects.toThrow('401');
    await provider.setPerson(ada);
  });

  it('ends at the provider as well, which leads back to the sign-in page', async () => {
    const { browser, visitor } = await signIn();
    const { body } = await browser.send('POST /api/auth/v7.0/oidc/sign-out');
    expect(await isAlive(browser)).toBe(false);
    const back = await browser.follow(await visitor.logOut(body.location));
    expect(back.url).toMatch(/\/signin\?step=signed_out$/);
    await expect(visitor.authorize(await startOf())).rejects.toThrow('401');
  });

  it('ends when the person logs out at the provider, which reports it to the portal', async () => {
    const { browser, visitor } = await signIn();
    const other = await signIn();
    const { body } = await other.browser.send('POST /api/auth/v7.0/oidc/sign-out');
    await other.visitor.logOut(body.location);
    expect(await isAlive(browser)).toBe(true);
    // The page of the log-out needs an ID token, which only the portal has: that of a second session of the same visitor.
    const again = stand.browser();
    await again.follow(await visitor.authorize(await startOf(again)));
    const second = await again.send('POST /api/auth/v7.0/oidc/sign-out');
    await visitor.logOut(second.body.location);
    await expect.poll(() => isAlive(browser)).toBe(false);
  });

  async function startOf(browser = stand.browser()): Promise<string> {
    return (await browser.open(stand.startAt)).headers.get('location') ?? '';
  }
});
