import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../../shared/kernel/errors.ts';
import { document } from '../../contract/generated/described.ts';
import { addMember, addSite, useWorld, type World } from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();

const { send } = { send: (...parts: Parameters<World['portal']['send']>) => world.portal.send(...parts) };

describe('the page of a problem code', () => {
  it.each(Object.entries(errorCodes))('%s describes it as JSON and as HTML', async (code, {
    status,
    title,
  }) => {
    const json = await send(`GET /api/errors/${code}`);
    expect([json.status, json.body]).toEqual([200, expect.objectContaining({ code, status, title })]);
    for (const text of ['meaning', 'cause', 'remedy']) expect(json.body[text].length).toBeGreaterThan(10);
    const page = await send(`GET /api/errors/${code}`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.body).toContain(`<code>${code}</code>`);
  });

  const codesIn = (text: string): string[] => (text.match(/`[^`]+`/g) ?? []).sort();

  it.each(Object.keys(errorCodes))('%s describes it in Russian, with the same names', async (code) => {
    const ask = (headers: Record<string, string>, query = '') =>
      send(`GET /api/errors/${code}${query}`, { headers });
    const [english, russian] = [await ask({}), await ask({ 'accept-language': 'ru-RU' })];
    expect(english.headers.get('content-language')).toBe('en');
    expect(russian.headers.get('content-language')).toBe('ru');
    expect(russian.headers.get('vary')).toContain('accept-language');
    for (const text of ['title', 'meaning', 'cause', 'remedy']) {
      expect([text, russian.body[text]]).toEqual([text, expect.stringMatching(/[а-яё]/i)]);
      expect([text, english.body[text]]).toEqual([text, expect.not.stringMatching(/[а-яё]/i)]);
      expect([text, codesIn(russian.body[text])]).toEqual([text, codesIn(english.body[text])]);
    }
    const page = await ask({ accept: 'text/html', 'accept-language': 'ru' });
    expect(page.body).toContain('<html lang="ru">');
    expect(page.body).toContain(`<h1>${russian.body.title}</h1>`);
    expect((await ask({ 'accept-language': 'ru' }, '?language=en')).body).toEqual(english.body);
  });

  it('formats the names in its texts as code', async () => {
    const { body } = await send('GET /api/errors/forbidden', { headers: { accept: 'text/html' } });
    expect(body).toContain('<code>required_permission</code>, the role');
    expect(body).not.toContain('`');
  });

  it('is 404 for unknown codes', async () => {
    for (const code of ['nonsense', '__proto__', '%3Cscript%3E'])
      expect((await send(`GET /api/errors/${code}`)).status).toBe(404);
  });

  it('is the type URI of a problem', async () => {
    const { body } = await send('GET /api/userinfo');
    expect((await send(`GET ${body.type}`)).body.code).toBe(body.code);
  });
});

describe('discover', () => {
  it('returns the sites that the caller may use or administer, and no others', async () => {
    const [used, administered, other] = [
      await addSite(world.admin, { authenticators: [world.domain.id] }),
      await addSite(world.admin),
      await addSite(world.admin),
    ];
    const uris = async (member: Awaited<ReturnType<typeof addMember>>) =>
      (await member.ask('GET /api/discover/')).body.sites.map(({ uri }: Json) => uri);
    const user = await uris(await addMember(world, []));
    expect(user).toContain(used.uri);
    expect(user).not.toContain(administered.uri);
    const staff = await uris(await addMember(world, ['sites.read'], [administered.id]));
    expect(staff).toEqual(expect.arrayContaining([used.uri, administered.uri]));
    expect(staff).not.toContain(other.uri);
  });
});

describe('livez', () => {
  it('returns the text ok without authentication, as documented', async () => {
    const answer = await send('GET /livez');
    expect(answer).toMatchObject({ status: 200, body: 'ok' });
    const { content } = document.paths['/livez'].get.responses['200'];
    expect(Object.keys(content)).toEqual([answer.headers.get('content-type')]);
  });
});
