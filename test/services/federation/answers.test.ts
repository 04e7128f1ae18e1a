import { describe, expect, it } from 'vitest';
import { audited, useStand } from '../../support/factories.ts';
import { staff, startFederationStand } from '../../support/federation/stand.ts';

describe('the answer of an identity provider', () => {
  const stand = useStand(() => startFederationStand());
  const isCallback = (url: string): boolean => url.includes('/oidc/callback');

  /** The address of the callback with the answer, not opened yet. */
  const answered = async (subject = 'anna', browser = stand.browser()) => {
    stand.provider.people.set(subject, { preferred_username: subject, groups: [staff] });
    stand.provider.atKeyboard = subject;
    const { url } = await browser.follow(stand.startOf(), isCallback);
    return { browser, url };
  };

  it('opens a session with a page that opens the next one, without a redirect', async () => {
    const { browser, url } = await answered();
    const page = await browser.open(url);
    expect([page.status, page.headers.get('refresh')]).toEqual([200, '0;url=/home/']);
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-oidc-[\w-]{16}=; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=0$/),
      expect.stringMatching(/^__Host-session=agbs_[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/),
      '__Host-by-provider=1; Path=/; Secure; SameSite=Strict',
    ]);
  });

  it('counts once', async () => {
    const { browser, url } = await answered();
    const kept = new Map(browser.cookies.get(stand.world.portal.deps.baseUrl));
    expect((await browser.open(url)).status).toBe(200);
    browser.cookies.set(stand.world.portal.deps.baseUrl, kept);
    const again = await browser.open(url);
    expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
    expect(again.body).toContain('/api/errors/login_expired');
    expect(again.body).toContain('<a href="/signin">Try again</a>');
  });

  it('is refused in another browser, with another state, and after ten minutes', async () => {
    const { browser, url } = await answered();
    expect((await stand.browser().open(url)).status).toBe(401);
    const foreign = new URL(url);
    foreign.searchParams.set('state', 'a'.repeat(43));
    expect((await browser.open(foreign.href)).status).toBe(401);
    stand.world.portal.advance(601);
    expect((await browser.open(url)).body).toContain('/api/errors/login_expired');
  });

  it('is refused with the state of another attempt of the same browser', async () => {
    const { browser, url } = await answered();
    const second = await answered('bella', browser);
    const mixed = new URL(url);
    mixed.searchParams.set('code', new URL(second.url).searchParams.get('code') ?? '');
    expect((await browser.open(mixed.href)).status).toBe(502);
    expect((await browser.open(second.url)).status).toBe(200);
  });

  it('is refused from another issuer, and without the issuer that the provider announces', async () => {
    const { browser, url } = await answered();
    const other = new URL(url);
    other.searchParams.set('iss', 'https://evil.example');
    const { result, events } = await audited(stand.world.portal, () => browser.open(other.href));
    expect(result.status).toBe(502);
    expect(events).toMatchObject([
      { event: 'portal.LoginFailed', details: { code: 'upstream_failed', reason: 'issuer_mismatch' } },
    ]);
    const { browser: next, url: without } = await answered();
    const bare = new URL(without);
    bare.searchParams.delete('iss');
    expect((await next.open(bare.href)).status).toBe(502);
  });

  it('may be a refusal, whose text is not shown', async () => {
    stand.provider.atKeyboard = null;
    const browser = stand.browser();
    browser.headers = { accept: 'text/html', 'accept-language': 'ru' };
    const { result, events } = await audited(stand.world.portal, () => browser.follow(stand.startOf()));
    expect(result.status).toBe(502);
    expect(result.body).toContain('Провайдер удостоверений отказал во входе');
    expect(result.body).not.toContain('cancelled');
    expect(events).toMatchObject([
      {
        event: 'portal.LoginFailed',
        domain: stand.domain.small_name,
        details: { code: 'upstream_refused', reason: 'refused', provider_code: 'access_denied' },
      },
    ]);
  });

  it('finds several attempts of one browser, but not any number of them', async () => {
    const browser = stand.browser();
    const first = await answered('anna', browser);
    for (let n = 0; n < 4; n++) await browser.open(stand.startOf());
    const names = () =>
      [...(browser.cookies.get(stand.world.portal.deps.baseUrl)?.keys() ?? [])].filter((name) =>
        name.startsWith('__Host-oidc-'),
      );
    expect(names()).toHaveLength(5);
    expect((await browser.open(first.url)).status).toBe(200);
    for (let n = 0; n < 4; n++) await browser.open(stand.startOf());
    expect(names()).toHaveLength(5);
  });

  it('leaves no code, state or token in the log and in the audit', async () => {
    const { browser, url } = await answered();
    const { events } = await audited(stand.world.portal, () => browser.open(url));
    const cookies = [...(browser.cookies.get(stand.world.portal.deps.baseUrl)?.values() ?? [])];
    const written = JSON.stringify([stand.world.portal.log, events]);
    const { searchParams } = new URL(url);
    for (const secret of [
      searchParams.get('code'),
      searchParams.get('state'),
      ...cookies.filter((v) => v.length > 8),
    ])
      expect(written).not.toContain(secret);
    expect(written).not.toMatch(/eyJ[\w-]+\.eyJ/);
  });

  it('needs a domain that is enabled and of this type', async () => {
    const { portal, admin, domain: internal } = stand.world;
    expect((await portal.send(`GET /api/auth/v7.0/oidc/${internal.id}/start`)).body.code).toBe('not_found');
    const { browser, url } = await answered();
    await admin(`PATCH /api/webui/aggregator/authenticators/${stand.domain.id}`, { state: 'disabled' });
    expect((await browser.open(url)).status).toBe(404);
    expect((await browser.open(stand.startOf())).status).toBe(404);
    await admin(`PATCH /api/webui/aggregator/authenticators/${stand.domain.id}`, { state: 'visible' });
  });

  it('cannot be given while the provider is down', async () => {
    const { browser, url } = await answered();
    await stand.set({ issuer: 'https://localhost:1', client_secret: 'x' });
    const page = await browser.open(url);
    expect([page.status, page.body]).toEqual([
      503,
      expect.stringContaining('The identity provider is unreachable'),
    ]);
    await stand.set({
      issuer: stand.provider.issuer,
      client_secret: 'a secret of the portal at the provider',
    });
  });
});
