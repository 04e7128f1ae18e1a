import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiDocument, catalogueOf } from '../../../shared/client/catalogue/catalogue.ts';
import { formText } from '../../../shared/client/catalogue/form-text.ts';
import { localize } from '../../../shared/client/catalogue/localize.ts';
import type {
  Catalogue,
  Field,
  LocalizedCatalogue,
  LocalizedField,
  LocalizedKind,
  LocalizedVerb,
  RecordKind,
  Verb,
} from '../../../shared/client/catalogue/record-kinds.ts';
import { humanized, type RecordWords } from '../../../shared/client/catalogue/words.ts';
import { permissions } from '../../../shared/context/permissions.ts';
import { type Language, languages } from '../../../shared/messages/languages.ts';
import { recordWords } from '../../../shared/messages/records/records.ts';
import { resources } from '../../../shared/resources.ts';

const path = new URL('../../../shared/openapi/openapi.json', import.meta.url);
const nothing: RecordWords = {
  kinds: {},
  labels: {},
  choices: {},
  permissions: { phrases: {}, actions: {}, resources: {} },
  verbs: {},
  help: {},
};
let catalogue: Catalogue;
let texts: Record<Language | 'derived', Text[]>;
beforeAll(async () => {
  const document: ApiDocument = JSON.parse(await readFile(path, 'utf8'));
  catalogue = catalogueOf(document, resources, '/api/webui/');
  const textsWith = (words: RecordWords) => textsOf(localize(catalogue, words));
  texts = { en: textsWith(recordWords.en), ru: textsWith(recordWords.ru), derived: textsWith(nothing) };
});

/** A text of the catalogue, and the place where it is shown. */
type Text = { place: string; text: string };

const textsOf = ({ kinds }: LocalizedCatalogue): Text[] =>
  kinds.flatMap((kind) => [
    { place: `${kind.type} (one)`, text: kind.one },
    { place: `${kind.type} (many)`, text: kind.many },
    { place: `${kind.type} (object)`, text: kind.object },
    { place: `${kind.type} (search)`, text: kind.list.search ?? kind.many },
    ...kind.list.sorts.map(({ value, label }) => ({ place: `${kind.type} (sort) ${value}`, text: label })),
    ...[...kind.columns, ...kind.list.filters].flatMap((field) => textsOfField(field, kind.type)),
    ...verbsOf(kind).flatMap((verb) => [
      { place: `${verb.id} (verb)`, text: verb.label },
      ...(verb.fields ?? []).flatMap((field) => textsOfField(field, verb.id)),
    ]),
  ]);

const verbsOf = ({
  list,
  get,
  create,
  update,
  delete: deletion,
  bulkDestroy,
  actions,
}: LocalizedKind): LocalizedVerb[] =>
  [list, get, create, update, deletion, bulkDestroy, ...actions].filter((verb) => verb !== undefined);

function textsOfField({ name, label, help, choices = [], all, fields = [] }: LocalizedField, around: string) {
  const place = `${around}.${name}`;
  const values = [...choices, ...(all ? [all] : [])];
  const own: Text[] = [
    { place, text: label },
    ...(help ? [{ place: `${place} (help)`, text: help }] : []),
    ...values.map((choice) => ({ place: `${place} = ${choice.value}`, text: choice.label })),
  ];
  return [...own, ...fields.flatMap((field): Text[] => textsOfField(field, place))];
}

const shown = ({ place, text }: Text): string => `${place}: ${text}`;

/** Names and abbreviations that Russian texts contain as well. */
const names = new Set(
  `Active AWS CIDR Cloudflare Directory DN DNS FreeIPA HTTP IP JSON js Lambda LDAP MAC Node OpenUDS PEM PNG RDP SCIM SHA SPICE
  SVG TCP TLS URI URL WebP Workers data`.split(/\s+/),
);

describe.each(['ru'] as const)('the words for records in %s', (language) => {
  it('exist for each kind, member, choice, verb and description', () => {
    const isOfNames = (text: string) => (text.match(/[A-Za-z]+/g) ?? []).every((word) => names.has(word));
    const missing = texts[language].filter(({ text }) => !/[а-яё]/i.test(text) && !isOfNames(text));
    expect(missing.map(shown)).toEqual([]);
  });

  it('contain English only in names and code', () => {
    const leftovers = texts[language].filter(({ text }) =>
      (text.replace(/`[^`]+`/g, '').match(/[A-Za-z]+/g) ?? []).some((word) => !names.has(word)),
    );
    expect(leftovers.map(shown)).toEqual([]);
  });

  it('quote labels of members, choices and permissions as they are shown', () => {
    const labels = new Set(texts[language].map(({ text }) => text));
    const unknown = texts[language].filter(({ text }) =>
      [...text.matchAll(/«([^»]+)»/g)].some(([, quoted = '']) => !labels.has(quoted)),
    );
    expect(unknown.map(shown)).toEqual([]);
  });
});

/** The words, with a record of those that are read. */
function observed(words: RecordWords): { words: RecordWords; unread: () => string[] } {
  const read = new Set<string>();
  const observe = <T extends object>(value: T, around: string): T =>
    new Proxy(value, {
      get(target, key) {
        const inner: unknown = Reflect.get(target, key);
        const place = `${around} ${String(key)}`;
        read.add(place);
        return typeof inner === 'object' && inner !== null ? observe(inner, place) : inner;
      },
    });
  const places = (value: object, around: string): string[] =>
    Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'string' ? [`${around} ${key}`] : places(inner, `${around} ${key}`),
    );
  return { words: observe(words, ''), unread: () => places(words, '').filter((place) => !read.has(place)) };
}

describe.each(languages)('the words for records in %s', (language) => {
  it('are all used', () => {
    const { words, unread } = observed(recordWords[language]);
    localize(catalogue, words);
    expect(unread()).toEqual([]);
  });

  it('differ between the members of a form', () => {
    const { kinds } = localize(catalogue, recordWords[language]);
    const repeated = kinds.flatMap(verbsOf).flatMap(({ id, fields = [] }) => {
      const labels = fields.map(({ label }) => label);
      return labels.filter((label, at) => labels.indexOf(label) < at).map((label) => `${id}: ${label}`);
    });
    expect(repeated).toEqual([]);
  });

  it('have a phrase for each permission', () => {
    const { kinds } = localize(catalogue, recordWords[language]);
    const role = kinds.find(({ type }) => type === 'role');
    const choices = role?.create?.fields?.find(({ name }) => name === 'permissions')?.choices ?? [];
    expect(choices.map(({ value }) => value)).toEqual(permissions);
    expect(new Set(choices.map(({ label }) => label)).size).toBe(permissions.length);
    expect(choices.filter(({ value, label }) => label === humanized(value))).toEqual([]);
  });
});

describe('the English words for records', () => {
  it('are exceptions from the derived ones', () => {
    const labels: Readonly<Record<string, string>> = recordWords.en.labels;
    const choices: RecordWords['choices'] = recordWords.en.choices;
    const general = (place: string) => (place.includes('.') ? place.slice(place.lastIndexOf('.') + 1) : '');
    const derived = Object.entries(labels).filter(
      ([place, label]) => label === (labels[general(place)] ?? humanized(general(place) || place)),
    );
    expect(derived).toEqual([]);
    const values = Object.entries(choices).flatMap(([place, words]) =>
      Object.entries(words)
        .filter(([value, label]) => label === (choices[general(place)]?.[value] ?? humanized(value)))
        .map(([value]) => `${place} ${value}`),
    );
    expect(values).toEqual([]);
  });

  it('describe forms, not JSON', () => {
    const helps = texts.en.filter(({ place }) => place.endsWith('(help)'));
    expect(helps.length).toBeGreaterThan(400);
    expect(helps.filter(({ text }) => /\b(?:null|true|false)\b/i.test(text)).map(shown)).toEqual([]);
    const { help } = recordWords.en;
    const derived = Object.entries(help).filter(
      ([description, text]) => text === formText({ description, type: 'text' }),
    );
    expect(derived).toEqual([]);
  });

  it.each([
    ['Message. Null: none. Default null: none.', 'text', 'Message. If empty: none. Default empty: none.'],
    [
      'If true, it is shown; if false, hidden. Default true.',
      'flag',
      'If on, it is shown; if off, hidden. Default on.',
    ],
    ['True while it is used. Null if unknown.', 'flag', 'Yes while it is used. Empty if unknown.'],
    ['Identifiers of the sites of the farm.', 'reference', 'Sites of the farm.'],
    ['Only nodes of the farm with this identifier.', 'reference', 'Only nodes of this farm.'],
    ['Identifier of the farm. Nullable.', 'text', 'Identifier of the farm. Nullable.'],
  ] as const)('make a text for forms of %j', (description, type, text) => {
    expect(formText({ description, type })).toBe(text);
  });

  it('have the labels of members and values in descriptions', () => {
    const helpAt = (wanted: string) => texts.en.find(({ place }) => place === `${wanted} (help)`)?.text;
    expect(helpAt('farm.create.maintenance')).toBe(
      'If on, the farm is in maintenance according to “Maintenance template”. Default off.',
    );
    expect(helpAt('farm.create.balancing')).toContain('“Round robin” (in turn)');
    expect(helpAt('dispatcher.create.url')).toBe('Base URL of the node, `https` only.');
  });
});

describe('a kind without words', () => {
  const field = (name: string, more: Partial<Field> = {}): Field => ({
    name,
    type: 'text',
    description: `The ${name}.`,
    ...more,
  });
  const verb = (id: string, summary: string, fields?: Field[]): Verb => {
    const path = '/api/webui/aggregator/announcements';
    return { id, method: 'POST', path, summary, permissions: [], ...(fields && { fields }) };
  };
  const announcement: RecordKind = {
    type: 'loginBanner',
    one: 'a login banner',
    many: 'login banners',
    path: '/api/webui/aggregator/announcements',
    parents: [],
    columns: [
      field('shown_until_at', { pattern: '^x$' }),
      field('tone', { type: 'choice', choices: ['very_loud'], description: '' }),
    ],
    list: {
      ...verb('loginBanner.list', 'List login banners'),
      sorts: ['shown_until_at'],
      defaultSort: 'shown_until_at',
      filters: [],
      search: 'Part of the text.',
    },
    create: verb('loginBanner.create', 'Create a login banner', [field('shown_until_at')]),
    actions: [verb('loginBanner.send', 'Send a login banner')],
  };

  it.each(languages)('is shown in English in %s', (language) => {
    const { kinds } = localize({ kinds: [announcement] }, recordWords[language]);
    expect(kinds[0]).toMatchObject({ one: 'Login banner', many: 'Login banners', object: 'login banner' });
    expect(kinds[0]?.columns).toEqual([
      { name: 'shown_until_at', type: 'text', label: 'Shown until' },
      {
        name: 'tone',
        type: 'choice',
        label: 'Tone',
        choices: [{ value: 'very_loud', label: 'Very loud' }],
      },
    ]);
    expect(kinds[0]?.list).toMatchObject({
      label: 'Login banners',
      search: 'Part of the text.',
      sorts: [{ value: 'shown_until_at', label: 'Shown until' }],
    });
    expect(kinds[0]?.create).toMatchObject({
      label: language === 'en' ? 'Create login banner' : 'Создать login banner',
      fields: [{ label: 'Shown until', help: 'The shown_until_at.' }],
    });
    expect(kinds[0]?.actions).toMatchObject([{ label: 'Send a login banner' }]);
  });

  it('is shown without any words as well', () => {
    const { kinds } = localize(
      { kinds: [{ ...announcement, one: 'loginBanner', many: 'loginBanner' }] },
      nothing,
    );
    expect(kinds[0]).toMatchObject({
      one: 'Login banner',
      many: 'Login banner',
      create: { label: 'Create a login banner' },
    });
  });

  it('name each resource and action of a permission on the pages of access', async () => {
    const rights = await readFile(
      new URL('../../../functions/console/app/access/parts/rights.ts', import.meta.url),
      'utf8',
    );
    const named = permissions.flatMap((permission) => {
      const [resource, action] = permission.split('.');
      return [`resource_${resource}`, `action_${action}`];
    });
    for (const language of languages) {
      const words = JSON.parse(
        await readFile(
          new URL(`../../../shared/messages/console/access.${language}.json`, import.meta.url),
          'utf8',
        ),
      );
      expect([...new Set(named)].filter((name) => !(`access_${name}` in words))).toEqual([]);
    }
    const isListed = (name: string) => rights.includes(`'${name.replace(/^(resource|action)_/, '')}'`);
    expect(named.filter((name) => !isListed(name))).toEqual([]);
  });
});
