import { beforeEach, describe, expect, it } from 'vitest';
import { permissions } from '../../../shared/context/permissions.ts';
import {
  addMember,
  audited,
  goodPassword,
  type Member,
  startWorld,
  useWorld,
} from '../../support/factories.ts';
import type { Json } from '../../support/portal.ts';

const world = useWorld();
let member: Member;
const tconfig = '/api/webui/aggregator/tconfig';
const themes = '/api/userinfo/themes';
const cyrillic = /[а-яё]/i;
const html = { accept: 'text/html' };
/** An error that contains no value of the request. */
const refused = 'DELETE /api/webui/aggregator/sites/01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';

beforeEach(async () => {
  member = await addMember(world, ['roles.read', 'system_parameters.read', 'authenticators.read']);
  await setDefault('en');
});

const setDefault = async (value: string): Promise<void> => {
  const { status } = await world.admin(`PUT ${tconfig}`, { ui: { default_language: { value } } });
  expect(status).toBe(200);
};
const speak = async (language: string | null): Promise<void> => {
  expect((await member.ask('PATCH /api/userinfo', { language })).status).toBe(200);
};
const languageOf = (answer: { headers: Headers; body: Json }): unknown[] => [
  answer.headers.get('content-language'),
  answer.headers.get('vary'),
  cyrillic.test(answer.body.title) && cyrillic.test(answer.body.detail) ? 'ru' : 'en',
];
const ru = ['ru', 'accept-language', 'ru'];
const en = ['en', 'accept-language', 'en'];

describe('the language of an answer', () => {
  it('is that of the installation by default', async () => {
    expect(languageOf(await member.ask(refused))).toEqual(en);
    await setDefault('ru');
    expect(languageOf(await member.ask(refused))).toEqual(ru);
  });

  it('is the preferred one of Accept-Language over that of the installation', async () => {
    const asked = (accepted: string) => member.ask(refused, undefined, { 'accept-language': accepted });
    expect(languageOf(await asked('de, ru;q=0.8, en;q=0.3'))).toEqual(ru);
    expect(languageOf(await asked('ru;q=0, en-GB;q=0.1'))).toEqual(en);
  });

  it('is that of the user over Accept-Language', async () => {
    await speak('ru');
    expect(languageOf(await member.ask(refused, undefined, { 'accept-language': 'en' }))).toEqual(ru);
    await speak('en');
    expect(languageOf(await member.ask(refused, undefined, { 'accept-language': 'ru' }))).toEqual(en);
  });

  it('is that of the login over all others', async () => {
    await speak('en');
    const body = { username: member.user.name, password: goodPassword, authId: world.domain.id };
    const login = await world.portal.send('POST /api/auth/v7.0/login', {
      body: { ...body, locale: 'ru-RU' },
    });
    const { token } = login.body;
    expect(languageOf(await world.portal.send(refused, { token }))).toEqual(ru);
    const wrong = await world.portal.send('POST /api/auth/v7.0/login', {
      body: { ...body, password: 'wrong', locale: 'ru' },
    });
    expect([wrong.body.code, ...languageOf(wrong)]).toEqual(['invalid_credentials', ...ru]);
  });

  it('is the one that the user chooses in the session, over that of the login', async () => {
    const login = await world.portal.send('POST /api/auth/v7.0/login', {
      body: { username: member.user.name, password: goodPassword, authId: world.domain.id, locale: 'ru' },
    });
    const { token } = login.body;
    await world.portal.send('PATCH /api/userinfo', { token, body: { language: 'en' } });
    expect(languageOf(await world.portal.send(refused, { token }))).toEqual(en);
  });

  it('applies to requests without a session and to unknown paths', async () => {
    const headers = { 'accept-language': 'ru' };
    const ways = ['GET /api/webui/aggregator/sites', 'GET /api/webui/nothing', 'DELETE /api/userinfo'];
    for (const way of ways) expect(languageOf(await world.portal.send(way, { headers }))).toEqual(ru);
  });

  it('applies to every entry of `errors`, with its values', async () => {
    const body = { name: '', priority: 20_000, comments: 7, state: 'odd', extra: 1 };
    const headers = { 'accept-language': 'ru' };
    const answer = await world.admin('POST /api/webui/aggregator/sites', body, headers);
    expect(answer.status).toBe(422);
    for (const { pointer, detail } of answer.body.errors)
      expect([pointer, detail]).toEqual([pointer, expect.stringMatching(cyrillic)]);
    const english = await world.admin('POST /api/webui/aggregator/sites', body);
    expect(english.body.errors.map(({ pointer }: Json) => pointer)).toEqual(
      answer.body.errors.map(({ pointer }: Json) => pointer),
    );
    const over = ({ errors }: Json) => errors.find(({ pointer }: Json) => pointer === '/priority').detail;
    expect([over(answer.body), over(english.body)]).toEqual([
      'Должно быть не больше 10000',
      'Must be at most 10000',
    ]);
  });

  it('applies to the answers of modules in their result format', async () => {
    const answer = await world.portal.send('POST /api/ssa/v7.0/ping', {
      body: {},
      headers: { 'accept-language': 'ru' },
    });
    expect(answer.headers.get('content-language')).toBe('ru');
    expect(answer.body.error).toMatch(cyrillic);
  });

  it('is English in the audit, whatever the language of the caller', async () => {
    await speak('ru');
    const { events } = await audited(world.portal, () => member.ask(refused));
    expect(events).toMatchObject([{ event: 'portal.AccessRefused' }]);
    expect(JSON.stringify(events)).not.toMatch(cyrillic);
  });
});

describe('texts that describe the API to administrators', () => {
  const texts = async (language: string) => {
    await speak(language);
    const [parameters, entries, types, form] = await Promise.all([
      member.ask(`GET ${tconfig}`),
      member.ask('GET /api/webui/aggregator/rbac/permissions'),
      member.ask('GET /api/webui/aggregator/authenticators/types'),
      member.ask('GET /api/webui/aggregator/authenticators/gui/active_directory'),
    ]);
    for (const answer of [parameters, entries, types, form])
      expect([answer.status, answer.headers.get('content-language')]).toEqual([200, language]);
    return {
      help: Object.values<Json>(parameters.body).flatMap((section) =>
        Object.values<Json>(section).map(({ help }) => help),
      ),
      permissions: entries.body.flatMap(({ name, description }: Json) => [name, description]),
      types: types.body.flatMap(({ description, label_username }: Json) => [description, label_username]),
      form: form.body.flatMap(({ gui }: Json) => [gui.label, gui.tooltip]),
    };
  };

  it('are in Russian for a reader of Russian, every one of them', async () => {
    const russian = await texts('ru');
    expect(russian.permissions).toHaveLength(permissions.length * 2);
    // Names of products and protocols are not translated.
    for (const [kind, list] of Object.entries(russian))
      for (const text of list)
        if (!/^(?:StartTLS|Kerberos)$/.test(text))
          expect([kind, text]).toEqual([kind, expect.stringMatching(cyrillic)]);
  });

  it('are in English otherwise', async () => {
    expect(JSON.stringify(await texts('en'))).not.toMatch(cyrillic);
  });

  it('the result of a test of a domain is in the language of its reader', async () => {
    const body = { name: 'x', small_name: 'x', params: {} };
    const { body: result } = await world.admin(
      'POST /api/webui/aggregator/authenticators/test_params/ldap',
      body,
      { 'accept-language': 'ru' },
    );
    expect(result.message).toBe('Некоторые параметры некорректны');
    for (const { name, status, detail } of result.checks)
      if (status !== 'pass') expect([name, detail]).toEqual([name, expect.stringMatching(cyrillic)]);
  });

  it('the reasons of a bulk deletion are in the language of the reader', async () => {
    const absent = '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11';
    const { body } = await world.admin(
      'POST /api/webui/aggregator/sites/bulk_destroy',
      { ids: [absent] },
      { 'accept-language': 'ru' },
    );
    expect(body.failed).toEqual([{ id: absent, code: 'not_found', detail: 'Объект не найден' }]);
  });
});

describe('the language and the name of the installation', () => {
  it('have one value under each of their names', async () => {
    await setDefault('ru');
    expect((await world.admin(`GET ${themes}`)).body.default_language).toBe('ru');
    expect((await world.admin('GET /api/auth/v7.0/settings')).body.default_language).toBe('ru');
    const page = () => world.portal.send('GET /signin', { headers: html });
    expect((await page()).body).toContain('<html lang="ru">');
    await world.admin(`PUT ${themes}`, { default_language: 'en' });
    expect((await world.admin(`GET ${tconfig}`)).body.ui.default_language.value).toBe('en');
    expect((await page()).body).toContain('<html lang="en">');
  });

  it('return the same name in settings and branding before the first write', async () => {
    const fresh = await startWorld();
    const names = [
      (await fresh.admin(`GET ${themes}`)).body.site_name,
      (await fresh.admin('GET /api/auth/v7.0/settings')).body.site_name,
    ];
    expect(names).toEqual(['Aggregator portal', 'Aggregator portal']);
    await fresh.portal.close();
  });
});
