import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { domainTypes } from '../../../shared/identity/domains/registry.ts';
import { inLanguage, isDetail, joined, message, term, verbatim } from '../../../shared/messages/message.ts';
import { details } from '../../../shared/messages/ru/details.ts';
import { parameters } from '../../../shared/messages/ru/parameters.ts';
import * as permissions from '../../../shared/messages/ru/permissions.ts';

const root = new URL('../../../', import.meta.url);
const places = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
/** Names of products and protocols, and sentences that consist of values. */
const typeNames = Object.values(domainTypes).map(({ about }) => about.name.en);
const alike = ['null', 'Kerberos', 'Kerberos KDC', 'StartTLS', ...typeNames];

const sources = ['db', 'functions', 'shared'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        path.endsWith('.ts') &&
        !path.startsWith('messages/ru/') &&
        !/^identity\/domains\/(?:.+\/)?form-texts\.ts$/.test(path) &&
        !path.startsWith('openapi/'),
    )
    .map((path) => readFileSync(new URL(`${folder}/${path}`, root), 'utf8')),
);
/** Texts of domain forms: those of every type, and those of one type. */
const lists: { russian?: Record<string, string> }[] = await Promise.all(
  readdirSync(new URL('shared/identity/domains/', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('form-texts.ts'))
    .map((path) => import(new URL(`shared/identity/domains/${path}`, root).href)),
);
const domainWords: Record<string, string> = Object.assign({}, ...lists.map(({ russian }) => russian));

/** Strings may be in single or double quotes, and quotes within them escaped. */
const text = sources.join('\n').replaceAll("\\'", "'");

describe('the message catalogue', () => {
  it('has the texts of the domain types', () =>
    expect(Object.keys(domainWords)).toEqual(expect.arrayContaining(['Name', 'LDAP', 'Internal', 'Realm'])));

  it.each(Object.entries({ ...details, ...domainWords }))('has %j in Russian', (english, russian) => {
    expect(places(russian)).toEqual(places(english));
    if (!alike.includes(english)) expect(russian).toMatch(/[а-яё]/i);
  });

  it('has the texts of faults in shapes, which no type holds to it', () => {
    const faults = [...text.matchAll(/'(Must [a-z][^'\n]*)'/g)].map(([, fault = '']) => fault);
    expect(faults.length).toBeGreaterThan(20);
    expect([...new Set(faults)].filter((fault) => !isDetail(fault))).toEqual([]);
  });

  it.each([
    ['refusals and reports', Object.keys(details)],
    ['forms of domains', Object.keys(domainWords)],
  ])('has no unused text of %s', (_, keys) => {
    expect(keys.filter((key) => !text.includes(`'${key}'`) && !text.includes(`"${key}"`))).toEqual([]);
  });

  it('has every parameter, resource and action in Russian', () => {
    for (const part of [parameters, permissions.resources, permissions.actions])
      for (const [key, russian] of Object.entries(part))
        expect([key, russian]).toEqual([key, expect.stringMatching(/[а-яё]/i)]);
  });
});

describe('a message', () => {
  const inner = message('Referenced by {referrer}', { referrer: term('a farm') });

  it('is formatted in the language of its reader', () => {
    expect([inner.in('en'), inner.in('ru')]).toEqual(['Referenced by a farm', 'На объект ссылается ферма']);
  });

  it('is English wherever it is used as a string', () => {
    expect([`${inner}`, JSON.stringify({ inner })]).toEqual([
      'Referenced by a farm',
      '{"inner":"Referenced by a farm"}',
    ]);
  });

  it('never translates values or fills placeholders in them', () => {
    const value = message('Reading {attribute} is not allowed', { attribute: 'a key {attribute} $& None' });
    expect(value.in('ru')).toBe('Читать a key {attribute} $& None не разрешено');
    expect(inLanguage(joined([verbatim('None'), 'None'], ' '), 'ru')).toBe('None Нет');
    expect(inLanguage('a sentence of a directory', 'ru')).toBe('a sentence of a directory');
  });
});
