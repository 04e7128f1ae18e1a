import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cookieTokenOf, isFromOwnPage } from '../../../shared/http/pages/own-pages.ts';
import { fill } from '../../../shared/http/pages/template.ts';
import { contrasting, readableOn } from '../../../shared/kernel/pictures/colors.ts';
import { languageOf } from '../../../shared/messages/languages.ts';

/** Contrast as WCAG 2.2 defines it, computed independently of the source. */
function contrastOf(one: string, other: string): number {
  const light = (color: string) => {
    const [r, g, b] = (color.match(/[0-9a-f]{2}/g) ?? []).map((pair) => {
      const c = Number.parseInt(pair, 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  return Math.max(light(one) / light(other), light(other) / light(one));
}

describe('the colour of an installation', () => {
  const color = fc
    .integer({ min: 0, max: 0xffffff })
    .map((value) => `#${value.toString(16).padStart(6, '0')}`);

  it('has enough contrast on both backgrounds, and so has text on it', () => {
    fc.assert(
      fc.property(color, (chosen) => {
        for (const ground of ['#f5f6f8', '#191d24'])
          expect(contrastOf(readableOn(ground, chosen), ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(contrasting(chosen), chosen)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it('is unchanged where its contrast suffices', () => {
    expect(readableOn('#ffffff', '#1e3a8a')).toBe('#1e3a8a');
  });
});

describe('the texts of a page', () => {
  const folder = new URL('../../../shared/messages/', import.meta.url);
  const textsOf = (name: string): Record<string, string> =>
    JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
  const filledIn = (text = ''): string[] => (text.match(/\{[a-z]\w*\}/g) ?? []).sort();
  const namesIn = (place: string) =>
    readdirSync(new URL(place, folder))
      .filter((file) => file.endsWith('.en.json'))
      .map((file) => `${place}/${file.slice(0, -'.en.json'.length)}`);
  const ofConsole = namesIn('console');

  it.each([
    ...namesIn('pages'),
    ...ofConsole,
  ])('in %s have the same placeholders in Russian and in English', (name) => {
    const [english, russian] = [textsOf(`${name}.en`), textsOf(`${name}.ru`)];
    expect(Object.keys(russian).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(english))
      expect([key, filledIn(russian[key])]).toEqual([key, filledIn(text)]);
  });

  it('have names of their own in each area of the console', () => {
    const keys = ['pages/frame', 'pages/problems', 'pages/console', ...ofConsole].flatMap((name) =>
      Object.keys(textsOf(`${name}.en`)),
    );
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });
});

describe('a page template', () => {
  it('escapes texts, does not fill them again, and omits empty parts', () => {
    const template = '{{#a}}<b title="{{a}}">{{#b}}no{{/b}}{{&raw}}</b>{{/a}}{{#b}}no{{/b}}{{none}}';
    const filled = fill(template, { a: `<'"&{{&raw}}>`, b: '', '&raw': '<i>' });
    expect(filled).toBe('<b title="&lt;&#39;&quot;&amp;{{&amp;raw}}&gt;"><i></b>');
  });
});

describe('the headers of a page request', () => {
  it.each([
    ['ru-RU,ru;q=0.9,en;q=0.8', 'ru'],
    ['fr, en;q=0.2, ru;q=0.1', 'en'],
    ['en;q=0, RU', 'ru'],
    ['*', undefined],
    ['', undefined],
  ])('select a language: %s', (accepted, language) => expect(languageOf(accepted)).toBe(language));

  it('contain the cookie among others, by its full name', () => {
    const cookie = 'a=b; x__Host-session=no;  __Host-session=agbs_yes; c';
    const request = new Request('https://portal.test/status', { headers: { cookie } });
    expect(cookieTokenOf(request, 'https://portal.test')).toBe('agbs_yes');
  });

  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none', origin: 'https://portal.test' }, false],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://portal.test' }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'http://portal.test' }, false],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://portal.test' }, false],
    [{ origin: 'https://portal.test:8443' }, false],
    [{ origin: 'http://portal.test' }, false],
    [{ origin: 'https://portal.test.example.com' }, false],
    [{ origin: 'null' }, false],
    [{ origin: 'https://portal.test' }, true],
    [{}, false],
  ] as [Record<string, string>, boolean][])('identify the sending page: %j', (headers, isOwn) =>
    expect(isFromOwnPage(new Headers(headers), 'https://portal.test/below')).toBe(isOwn));
});
