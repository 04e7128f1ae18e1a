import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachment, fileNameOf } from '../../../functions/client/connections/file-names.ts';

/** Reads the header by the grammar of RFC 6266, RFC 8187 and RFC 9110. @throws Error for any other text */
function namesIn(header: string): { fallback: string; name: string } {
  const grammar =
    /^attachment; filename="((?:[\t !#-[\]-~]|\\[\t -~])*)"; filename\*=UTF-8''((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})*)$/;
  const [, quoted, encoded] = grammar.exec(header) ?? [];
  if (quoted === undefined || encoded === undefined) throw new Error(`not in the grammar: ${header}`);
  return { fallback: quoted.replace(/\\(.)/g, '$1'), name: decodeURIComponent(encoded) };
}

/** Characters with a meaning in paths, headers, percent-encoding or the display of text. */
const nasty = fc.string({
  unit: fc.constantFrom(
    ...['/', '\\', '"', "'", '%', ';', '*', '(', ':', '<', '|', '?', '.', ' ', '-', '\r', '\n', '\0', '\t'],
    ...['\u0085', '\u2028', '\u202e', '\u2066', '\u061c', '\u200b', '\ufeff', '\ud800', '\udc00', '\u00a0'],
    ...['é', 'e\u0301', 'Ж', '😀', '\u{e0041}', '\uff0f', '\uff02', '\uffff', 'A', 'com1', 'nul', '１'],
  ),
  maxLength: 120,
});
const anyName = fc.oneof(
  nasty,
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme' }),
);

const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>:"/\\|?*\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

function expectSafe(name: string): void {
  expect(name).not.toMatch(forbidden);
  expect(name).not.toMatch(/^[\s.]|[\s.]$/);
  expect([...name].length).toBeGreaterThan(0);
  expect([...name].length).toBeLessThanOrEqual(80);
  expect(name.split('.')[0]?.trim()).not.toMatch(device);
}

describe('the file of a connection', () => {
  it.each([
    ['Office', 'Office'],
    ['Рабочий стол', 'Рабочий стол'],
    ['Cafe\u0301 1', 'Café 1'],
    ['A/B\\C:D', 'A-B-C-D'],
    ['../../etc/passwd', 'etc-passwd'],
    ['.profile', 'profile'],
    ['-rf', 'rf'],
    ['a. . ', 'a'],
    ['two\r\nlines', 'two lines'],
    ['evil\u202egpj.exe', 'evilgpj.exe'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['Aux .x', '_Aux .x'],
    ['LPT¹', '_LPT¹'],
    ['com1\u00a0', '_com1'],
    ['Console', 'Console'],
    ['', 'workplace'],
    [' .. ', 'workplace'],
    ['///', 'workplace'],
    ['\u200b\u2060', 'workplace'],
    ['\u3164', 'workplace'],
    ['x'.repeat(200), 'x'.repeat(80)],
    ['😀'.repeat(81), '😀'.repeat(60)],
    [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
  ])('of a service %j is called %j', (name, expected) => {
    expect(fileNameOf(name)).toBe(expected);
    expect(namesIn(attachment(name, 'rdp')).name).toBe(`${expected}.rdp`);
  });

  it.each([
    ['Office 1', 'Office 1.rdp'],
    ['Café', 'Cafe.rdp'],
    ['Офис 1', '_ 1.rdp'],
    ['Рабочий стол', 'workplace.rdp'],
    ['100% "new"', '100_ -new-.rdp'],
    ['CÖN', '_CON.rdp'],
    ['a\uff0fb\uff02', 'a-b-.rdp'],
  ])('of a service %j has the fallback %j', (name, expected) => {
    expect(namesIn(attachment(name, 'rdp')).fallback).toBe(expected);
  });

  it('has a name that all systems accept, in a header that clients read back', () => {
    fc.assert(
      fc.property(anyName, fc.constantFrom('rdp', 'vv'), (name, extension) => {
        const header = attachment(name, extension);
        validateHeaderValue('content-disposition', header);
        expect(new Headers({ 'content-disposition': header }).get('content-disposition')).toBe(header);
        const read = namesIn(header);
        expect(read.name).toBe(`${fileNameOf(name)}.${extension}`);
        for (const whole of [read.name, read.fallback]) {
          expect(whole.endsWith(`.${extension}`)).toBe(true);
          expectSafe(whole.slice(0, -extension.length - 1));
        }
        expect(read.fallback).toMatch(/^[\x20-\x7e]+$/);
        expect(read.fallback).not.toMatch(/["%\\]/);
        expect(Buffer.byteLength(read.name)).toBeLessThanOrEqual(244);
        expect(fileNameOf(fileNameOf(name))).toBe(fileNameOf(name));
      }),
      { numRuns: 2_000 },
    );
  });
});
