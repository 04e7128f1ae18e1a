import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { deleteExpired, expiredRows } from '../../../../db/repositories/settings/clean-up.ts';
import { findOverrides } from '../../../../db/repositories/settings/system-parameters.ts';
import { loginSessions } from '../../../../db/schema/identity/login-sessions.ts';
import { pageTokens } from '../../../../db/schema/identity/page-tokens.ts';
import { parametersFrom } from '../../../../shared/kernel/system-parameters.ts';
import { addUser, base, goodPassword, useWorld } from '../../../support/factories.ts';
import { type Answer, adminPassword, baseUrl } from '../../../support/portal.ts';

const world = useWorld();

const ownPage = { 'sec-fetch-site': 'same-origin' };
const html = { accept: 'text/html,*/*;q=0.8' };
const credentials = { username: 'admin', password: adminPassword, authSmallName: 'builtin' };

const signIn = (body: object = credentials, headers: Record<string, string> = ownPage) =>
  world.portal.send('POST /signin', { body, headers });
/** The cookie as a browser returns it. */
const cookieOf = ({ headers }: Answer): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
const signedIn = async (body?: object): Promise<string> => cookieOf(await signIn(body));
const ask = (route: string, cookie: string, headers: Record<string, string> = ownPage) =>
  world.portal.send(route, { headers: { cookie, ...headers } });
const pageToken = async (cookie: string): Promise<string> =>
  (await ask('POST /signin/token', cookie)).body.token;
const whoIs = (token: string) => world.portal.send('GET /api/userinfo', { token });

describe('a browser sign-in', () => {
  it('sets the token in a cookie that is HttpOnly, SameSite and Secure, and nowhere else', async () => {
    const answer = await signIn();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ result: 'ok', user: { name: 'admin', portal: 'admin' } });
    expect(answer.body).not.toHaveProperty('token');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-session=agbs_[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
  });

  it('is refused like a login, and sets no cookie', async () => {
    const answer = await signIn({ ...credentials, password: 'wrong wrong wrong' });
    expect(answer.body.code).toBe('invalid_credentials');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: baseUrl }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://portal.test.example.com' }],
    ['the same host by plain HTTP', { origin: 'http://portal.test' }],
    ['the same host at another port', { origin: 'https://portal.test:8443' }],
    [
      'another origin, by a name of this server',
      { 'sec-fetch-site': 'same-origin', origin: 'https://10.0.0.7' },
    ],
    ['a sandboxed frame', { origin: 'null' }],
    ['no stated origin', {}],
  ])('is refused to a page of %s', async (_, headers) => {
    const answer = await signIn(credentials, headers);
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('ends the session that the same browser had, and none of another browser', async () => {
    const [first, other] = [await signedIn(), await signedIn()];
    const token = await pageToken(first);
    const refused = await signIn(
      { ...credentials, password: 'wrong wrong wrong' },
      { ...ownPage, cookie: first },
    );
    expect([refused.status, (await whoIs(token)).status]).toEqual([401, 200]);
    const second = cookieOf(await signIn(credentials, { ...ownPage, cookie: first }));
    expect((await whoIs(token)).status).toBe(401);
    expect((await ask('POST /signin/token', first)).status).toBe(401);
    for (const cookie of [second, other]) expect((await whoIs(await pageToken(cookie))).status).toBe(200);
  });

  it('works in browsers that send only the Origin header', async () => {
    expect((await signIn(credentials, { origin: baseUrl })).status).toBe(200);
  });
});

describe('the session cookie', () => {
  it('does not authenticate an API call, and its token is refused in a header', async () => {
    const cookie = await signedIn();
    const byCookie = await ask('GET /api/userinfo', cookie);
    expect(byCookie.body.code).toBe('unauthenticated');
    const byHeader = await whoIs(cookie.replace('__Host-session=', ''));
    expect(byHeader.body.code).toBe('invalid_token');
  });

  it('is ignored for a write that another site caused the browser to send', async () => {
    const cookie = await signedIn();
    for (const route of ['POST /signin/token', 'POST /signout'])
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const answer = await ask(route, cookie, headers);
        expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
      }
    expect((await ask('POST /signin/token', cookie)).status).toBe(200);
  });

  it('does not accept an API token', async () => {
    const token = await world.portal.login();
    const answer = await ask('POST /signin/token', `__Host-session=${token}`);
    expect([answer.status, answer.body.code]).toEqual([401, 'invalid_token']);
  });
});

describe('the token of a page', () => {
  it('acts for the user for ten minutes, as the session of the browser', async () => {
    const cookie = await signedIn();
    const { body } = await ask('POST /signin/token', cookie);
    expect(body).toEqual({
      token: expect.stringMatching(/^agpg_[\w-]{43}$/),
      user_id: expect.any(String),
      expires_in: 600,
    });
    const { id } = (await world.portal.send('GET /api/userinfo', { token: body.token })).body;
    expect(body.user_id).toBe(id);
    const sessions = await world.portal.send('GET /api/userinfo/sessions', { token: body.token });
    expect(sessions.body.items.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    world.portal.advance(599);
    expect((await whoIs(body.token)).body.name).toBe('admin');
    world.portal.advance(2);
    expect((await whoIs(body.token)).body.code).toBe('invalid_token');
    expect((await whoIs(await pageToken(cookie))).status).toBe(200);
  });

  it('does not count as a session, and the oldest are ended above the maximum', async () => {
    const user = await addUser(world.admin, world.domain);
    const body = { username: user.name, password: goodPassword, authId: world.domain.id };
    const cookie = await signedIn(body);
    const first = await pageToken(cookie);
    for (let n = 0; n < 32; n++) {
      world.portal.advance(1);
      await pageToken(cookie);
    }
    const own = await world.portal.db.select().from(loginSessions).where(eq(loginSessions.user_id, user.id));
    expect(own).toHaveLength(1);
    const kept = await world.portal.db
      .select()
      .from(pageTokens)
      .where(eq(pageTokens.session_id, own[0]?.id ?? ''));
    expect(kept).toHaveLength(32);
    expect((await whoIs(first)).body.code).toBe('invalid_token');
  });

  it('ends with the session, whichever caller ends it', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const [mine, theirs] = [await pageToken(one), await pageToken(other)];
    const out = await ask('POST /signout', one);
    expect(out.body).toEqual({ result: 'ok' });
    expect(out.headers.get('set-cookie')).toMatch(/^__Host-session=; Path=\/; .*Max-Age=0$/);
    expect((await whoIs(mine)).body.code).toBe('invalid_token');
    expect((await ask('POST /signin/token', one)).body.code).toBe('invalid_token');
    expect((await world.portal.send('POST /api/auth/v7.0/logout', { token: theirs })).status).toBe(200);
    expect((await ask('POST /signin/token', other)).body.code).toBe('invalid_token');
  });

  it('is deleted when it has expired', async () => {
    const cookie = await signedIn();
    await pageToken(cookie);
    const { db, deps, advance } = world.portal;
    advance(601);
    const parameters = parametersFrom(await findOverrides(db));
    const mine = expiredRows(parameters, deps.clock()).find(({ table }) => table === pageTokens);
    expect(mine).toBeDefined();
    if (mine) await deleteExpired(db, mine, new AbortController().signal);
    expect(await db.select().from(pageTokens)).toEqual([]);
  });

  it('takes two round trips to issue, one of them for the session lookup', async () => {
    const cookie = await signedIn();
    await world.portal.settled();
    const before = world.portal.trips();
    await ask('POST /signin/token', cookie);
    expect(world.portal.trips() - before).toBe(2);
  });
});

describe('a page', () => {
  it('of administrators redirects to the login and back; an API client gets 401', async () => {
    const user = await addUser(world.admin, world.domain);
    const stranger = await ask('GET /status', '', html);
    const ofUserPortal = await signedIn({
      username: user.name,
      password: goodPassword,
      authId: world.domain.id,
    });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([302, '/signin?next=%2Fstatus']);
    const token = await pageToken(ofUserPortal);
    await world.portal.send('PATCH /api/userinfo', { token, body: { language: 'ru' } });
    const refused = await ask('GET /status', ofUserPortal, html);
    expect(refused.body).toContain('Доступ запрещён');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect((await ask('GET /status', '', { accept: 'application/json' })).status).toBe(401);
    expect((await ask('GET /status', await signedIn(), html)).status).toBe(200);
  });

  it('runs only its own scripts, cannot be framed and is not cached', async () => {
    const { headers, body } = await ask('GET /signin', '', html);
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? 'none';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const ofPage = new RegExp(`nonce="${nonce}"|src="/signin/files/[\\w-]+\\.js"`);
    for (const [, attributes] of body.matchAll(/<script ?([^>]*)>/g)) expect(attributes).toMatch(ofPage);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect((await ask('GET /signin', '', html)).headers.get('content-security-policy')).not.toBe(policy);
  });

  it('shows branding texts as plain text, never as markup', async () => {
    const theme = {
      site_name: '<b>Über & "Co"</b>',
      login_text: '</script><script>alert(1)</script>{{nonce}}',
    };
    expect((await world.admin('PUT /api/userinfo/themes', theme)).status).toBe(200);
    const { body } = await ask('GET /signin', '', html);
    expect(body).toContain('&lt;b&gt;Über &amp; &quot;Co&quot;&lt;/b&gt;');
    expect(body).toContain('\\u003c/script>\\u003cscript>alert(1)\\u003c/script>{{nonce}}');
    expect(body).not.toMatch(/<script>alert|alert\(1\)<\/script>/);
  });

  it.each([
    ['the link', '/signin?language=ru', 'en', 'ru'],
    ['the browser', '/signin', 'de, ru;q=0.8, en;q=0.3', 'ru'],
    ['the browser that refuses one', '/signin', 'ru;q=0, en-GB;q=0.1', 'en'],
    ['the installation', '/signin', 'de', 'ru'],
  ])('uses the language of %s', async (_, path, accepted, language) => {
    await world.admin('PUT /api/userinfo/themes', { default_language: 'ru' });
    const { body } = await ask(`GET ${path}`, '', { ...html, 'accept-language': accepted });
    expect(body).toContain(`<html lang="${language}">`);
    expect(body).toContain(language === 'ru' ? '<title>Вход' : '<title>Sign in');
    expect(body).toMatch(new RegExp(`/signin/files/signin-${language}-\\w{8}\\.js`));
  });

  it('uses the language of the signed-in user', async () => {
    const cookie = await signedIn();
    const token = await pageToken(cookie);
    await world.portal.send('PATCH /api/userinfo', { token, body: { language: 'ru' } });
    for (const path of ['/status', '/signin'])
      expect((await ask(`GET ${path}`, cookie, { ...html, 'accept-language': 'en' })).body).toContain(
        'lang="ru"',
      );
  });

  it('redirects to pages of this portal only', async () => {
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)']) {
      const { body } = await ask(`GET /signin?next=${encodeURIComponent(next)}`, '', html);
      expect(body).not.toContain('evil.example');
      expect(body).not.toContain('javascript:');
    }
    expect((await ask('GET /signin?next=/api/docs/', '', html)).body).toContain('"next":"/api/docs/"');
  });

  it('has its texts in both languages, each with every placeholder filled', async () => {
    const { assets } = world.portal.deps;
    for (const name of ['signin', 'console']) {
      const [en, ru] = await Promise.all(
        ['en', 'ru'].map(async (language) =>
          Object.keys(JSON.parse(await assets.text(`${name}.${language}.json`))),
        ),
      );
      expect(ru).toEqual(en);
    }
  });

  it('allows a user with a mandatory password change to change it, and redirects them there', async () => {
    const user = await addUser(world.admin, world.domain, { must_change_password: true });
    const cookie = await signedIn({ username: user.name, password: goodPassword, authId: world.domain.id });
    const token = await pageToken(cookie);
    const change = { current: goodPassword, new: 'nine quiet harbours wait' };
    expect((await world.portal.send(`GET ${base}/sites`, { token })).body.code).toBe(
      'password_change_required',
    );
    expect((await world.portal.send('PUT /api/userinfo/password', { token, body: change })).status).toBe(204);
    expect((await ask('POST /signin/token', cookie)).status).toBe(200);
  });
});
