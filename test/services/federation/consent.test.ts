import { describe, expect, it } from 'vitest';
import { audited, useStand } from '../../support/factories.ts';
import type { Browser } from '../../support/federation/browser.ts';
import { sendConsent, sendForm } from '../../support/federation/programs.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';
import { adminPassword } from '../../support/portal.ts';

const query = {
  redirect_uri: 'http://127.0.0.1:5000/back?a=1',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
  state: 'a state',
};

describe('the consent to a program', () => {
  const stand = useStand(() => startFederationStand());
  const begin = (subject: string, browser: Browser = stand.browser()) => {
    stand.provider.people.set(subject, { preferred_username: subject, groups: [staff] });
    stand.provider.atKeyboard = subject;
    return browser.follow(stand.startOf(query));
  };

  it('is asked for although the person is signed in, and the page cannot be framed', async () => {
    const browser = stand.browser();
    await begin('anna', browser);
    const page = await begin('anna', browser);
    expect(page.status).toBe(200);
    expect(page.body).toContain('A program asks for your account');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:5000;");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('cache-control')).toContain('no-store');
  });

  it('returns the browser with code, state and issuer, and keeps the query of the address', async () => {
    const browser = stand.browser();
    const sent = await sendConsent(browser, await begin('bob', browser), 'allow');
    const { searchParams, origin } = new URL(sent.headers.get('location') ?? '');
    expect([sent.status, origin]).toEqual([303, 'http://127.0.0.1:5000']);
    expect(Object.fromEntries(searchParams)).toEqual({
      a: '1',
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'a state',
      iss: `${stand.world.portal.deps.baseUrl}/api/auth/v7.0/oidc/${stand.domain.id}`,
    });
    const log = JSON.stringify(stand.world.portal.log);
    expect(log).not.toContain(searchParams.get('code'));
  });

  it('counts once', async () => {
    const browser = stand.browser();
    const page = await begin('carl', browser);
    const kept = new Map(browser.cookies.get(stand.world.portal.deps.baseUrl));
    expect((await sendConsent(browser, page, 'allow')).status).toBe(303);
    expect((await sendConsent(browser, page, 'allow')).status).toBe(401);
    browser.cookies.set(stand.world.portal.deps.baseUrl, kept);
    expect((await sendConsent(browser, page, 'allow')).status).toBe(401);
  });

  it('can be given in two tabs, each for its own request', async () => {
    const browser = stand.browser();
    const pages = [await begin('dora', browser), await begin('dora', browser)];
    for (const page of pages) expect((await sendConsent(browser, page, 'allow')).status).toBe(303);
  });

  it('of another browser, of another site and after 10 minutes is refused', async () => {
    const browser = stand.browser();
    const page = await begin('emma', browser);
    const other = stand.browser();
    await begin('fred', other);
    expect((await other.open(page.url)).status).toBe(401);
    expect((await sendConsent(other, page, 'allow')).status).toBe(401);
    const account = /name="account" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.portal.test' },
      { origin: 'null' },
    ]) {
      browser.originOfForms = headers as Record<string, string>;
      expect((await browser.open(page.url, { account, decision: 'allow' })).status).toBe(401);
    }
    stand.world.portal.advance(601);
    expect((await sendConsent(browser, page, 'allow')).status).toBe(401);
  });

  it('is refused if another account has signed in since, or one of another domain', async () => {
    const browser = stand.browser();
    const page = await begin('gina', browser);
    await stand.signIn('gina', browser);
    stand.provider.people.set('hans', { preferred_username: 'hans', groups: [staff] });
    const other = stand.browser();
    await begin('hans', other);
    const { baseUrl } = stand.world.portal.deps;
    const sessionOf = (one: Browser, token: string) => one.cookies.get(baseUrl)?.set('__Host-session', token);
    sessionOf(browser, other.cookies.get(baseUrl)?.get('__Host-session') ?? '');
    expect((await sendConsent(browser, page, 'allow')).status).toBe(409);
    const administrator = { authSmallName: 'builtin', username: 'admin', password: adminPassword };
    const signedIn = await other.send('POST /signin', administrator);
    const session = /__Host-session=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1];
    sessionOf(browser, session ?? '');
    const { result, events } = await audited(stand.world.portal, () => browser.open(page.url));
    expect(result.status).toBe(403);
    expect(events).toMatchObject([{ event: 'portal.AccessRefused' }]);
  });

  it('needs a sign-in first', async () => {
    const browser = stand.browser();
    await browser.open(stand.startOf(query));
    const [name = ''] = [...(browser.cookies.get(stand.world.portal.deps.baseUrl)?.keys() ?? [])];
    const path = `/consent/${name.replace('__Host-program-', '')}`;
    const { baseUrl } = stand.world.portal.deps;
    const answer = await browser.open(`${baseUrl}${path}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `/signin?next=${encodeURIComponent(path)}`,
    ]);
    expect((await sendForm(browser, `${baseUrl}${path}`, { decision: 'allow', account: name })).status).toBe(
      401,
    );
  });

  it('is asked for in Russian as well', async () => {
    const browser = stand.browser();
    browser.headers = { ...browser.headers, 'accept-language': 'ru' };
    const page = await begin('ivan', browser);
    expect(page.body).toContain('Программа запрашивает вашу учётную запись');
    expect(page.headers.get('content-language')).toBe('ru');
  });
});
