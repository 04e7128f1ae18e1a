import { beforeAll, describe, expect, it } from 'vitest';
import { base, useStand } from '../../support/factories.ts';
import type { Browser } from '../../support/federation/browser.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';
import { codeOf } from '../../support/identity/totp-device.ts';
import type { Answer } from '../../support/portal.ts';

describe('the presence of a person of a provider', () => {
  const stand = useStand(() => startFederationStand());
  const fresh = { fresh_sign_in: true };

  beforeAll(async () => {
    await stand.world.admin(`PUT ${base}/tconfig`, { service_tokens: { own: { value: true } } });
    stand.provider.people.set('anna', { preferred_username: 'anna', groups: [staff] });
  });

  const ask = async (browser: Browser, route: string, body: unknown): Promise<Answer> => {
    const { token } = (await browser.send('POST /signin/token')).body;
    return stand.world.portal.send(route, { token, body });
  };
  const mint = (browser: Browser, name: string): Promise<Answer> =>
    ask(browser, 'POST /api/userinfo/service_tokens', {
      ...{ name, permissions: [], proof: fresh },
      expires_at: new Date(stand.world.portal.deps.clock().getTime() + 3_600_000).toISOString(),
    });
  /** Signs in again, as the account page asks for. */
  const again = async (browser: Browser): Promise<void> => {
    await browser.follow(stand.startOf({ fresh: 'true', next: '/home/#account' }));
  };

  it('is proved by a sign-in there that is at most ten minutes old, and not by an older session', async () => {
    const browser = await stand.signIn('anna');
    expect((await mint(browser, 'early')).body).toMatchObject({ status: 409, reason: 'no_fresh_sign_in' });
    await again(browser);
    expect((await mint(browser, 'fresh')).status).toBe(201);
    expect((await mint(browser, 'twice')).body).toMatchObject({ status: 409, reason: 'no_fresh_sign_in' });
    await again(browser);
    stand.world.portal.advance(601);
    expect((await mint(browser, 'late')).body).toMatchObject({ status: 409, reason: 'no_fresh_sign_in' });
    stand.world.portal.advance(-601);
  });

  it('comes back to the page that has asked for it', async () => {
    const browser = await stand.signIn('anna');
    const { url } = await browser.follow(stand.startOf({ fresh: 'true', next: '/home/#account' }), (to) =>
      to.includes('/home/'),
    );
    expect(url).toMatch(/\/home\/#account$/);
  });

  it('lets the person set up and remove an own second factor, each after a sign-in of its own', async () => {
    const browser = await stand.signIn('anna');
    const enrol = (body: unknown) => ask(browser, 'POST /api/userinfo/two_factor', body);
    expect((await enrol(fresh)).body).toMatchObject({ status: 409, reason: 'no_fresh_sign_in' });
    expect((await ask(browser, 'DELETE /api/userinfo/two_factor', fresh)).status).toBe(409);
    await again(browser);
    const started = await enrol(fresh);
    const code = codeOf(started.body.secret, stand.world.portal.deps.clock());
    expect((await enrol({ code })).body.recovery_codes).toHaveLength(10);
    expect((await ask(browser, 'DELETE /api/userinfo/two_factor', fresh)).status).toBe(409);
    expect((await ask(browser, 'GET /api/userinfo', undefined)).body.two_factor.enrolled).toBe(true);
    // The sign-in there continues with the code of the device, which counts once.
    await again(browser);
    stand.world.portal.advance(30);
    const confirm = (body: unknown) => browser.send('POST /api/auth/v7.0/oidc/second-factor', body);
    const { challenge_id } = (await confirm({})).body;
    const second = codeOf(started.body.secret, stand.world.portal.deps.clock());
    expect((await confirm({ code: second, challenge_id })).status).toBe(200);
    expect((await ask(browser, 'DELETE /api/userinfo/two_factor', fresh)).status).toBe(204);
  });
});
