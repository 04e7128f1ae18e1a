import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPortal, type TestPortal } from '../../../support/portal.ts';

let portal: TestPortal;
/** A picture whose path has this number of lines. */
const svg = (lines: number): string => {
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0${'h1v1'.repeat(lines)}"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(drawn).toString('base64')}`;
};

beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.close());

const open = (path: string, headers: Record<string, string> = {}) =>
  portal.send(`GET ${path}`, { headers: { accept: 'text/html', ...headers } });
const brand = async (body: object): Promise<void> => {
  const token = await portal.login();
  expect((await portal.send('PUT /api/userinfo/themes', { token, body })).status).toBe(200);
  await open('/signin');
};

describe('a page about a refusal', () => {
  it('has the name of the portal, the next step and the request identifier', async () => {
    const { status, headers, body } = await open('/nowhere');
    expect(status).toBe(404);
    expect(body).toContain('<h1>The page does not exist</h1>');
    expect(body).toContain('>Aggregator portal</span></a>');
    expect(body).toContain('<a href="/">Go to the start page</a>');
    expect(body).toContain('<a href="/api/errors/not_found">not_found</a>');
    expect(body).toContain(`<code>${headers.get('x-request-id')}</code>`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'nonce-/);
    expect(body).not.toMatch(/<(?:link|script)[^>]+(?:src|href)="(?!data:)/);
  });

  it('is in the language of the browser', async () => {
    const { headers, body } = await open('/nowhere', { 'accept-language': 'ru' });
    expect(headers.get('content-language')).toBe('ru');
    expect(body).toContain('<h1>Такой страницы нет</h1>');
    expect(body).toContain('Идентификатор запроса');
  });

  it('has the branding that the process has read last, and reads none', async () => {
    const theme = {
      site_name: 'Desks <b>',
      primary_color: '#fbbf24',
      footer_text: 'Example Ltd',
      copyright: '© 2026',
      copyright_link: 'https://example.com/',
      support_link: 'https://support.example.com/',
    };
    await brand({ ...theme, logo: svg(10) });
    const { body } = await open('/nowhere');
    expect(body).toContain('Desks &lt;b&gt;</span>');
    expect(body).toContain('--accent:#fbbf24');
    expect(body).toMatch(/<img src="data:image[/]svg[^"]+" alt="">/);
    for (const text of [theme.footer_text, theme.copyright, theme.copyright_link, theme.support_link])
      expect(body).toContain(text);
    expect((await open('/api/errors/in_use')).body).toContain('Desks &lt;b&gt;</span>');
    const token = await portal.login();
    await portal.send('PUT /api/userinfo/themes', { token, body: { site_name: 'Unread' } });
    expect((await open('/nowhere')).body).not.toContain('Unread');
  });

  it('has the branding in a process that has shown no other page, by one read', async () => {
    await brand({ site_name: 'Elsewhere' });
    const isolated = portal.isolate();
    const visit = (path: string) => isolated(`GET ${path}`, { headers: { accept: 'text/html' } });
    await portal.settled();
    const before = portal.trips();
    for (const path of ['/nowhere', '/nowhere', '/api/errors/in_use'])
      expect((await visit(path)).body).toContain('Elsewhere</span>');
    await portal.settled();
    expect(portal.trips() - before).toBeLessThanOrEqual(2);
    // A program causes no read.
    const other = portal.isolate();
    const start = portal.trips();
    expect((await other('GET /api/nowhere')).status).toBe(404);
    expect(portal.trips()).toBe(start);
    await brand({});
  });

  it('leaves out a large logo', async () => {
    await brand({ logo: svg(10_000) });
    const { body } = await open('/nowhere');
    expect(body).not.toContain('<img');
    expect(body.length).toBeLessThan(8_000);
    await brand({});
  });
});
