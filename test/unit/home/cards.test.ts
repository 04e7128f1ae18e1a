import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameIn } from '../../../functions/home/app/connect/file-name.ts';
import {
  cardsOf,
  type FarmState,
  gapsIn,
  matching,
  refusedAt,
  type Service,
  type SiteServices,
} from '../../../functions/home/app/services/cards.ts';

const north = { id: '1', uri: 'north', name: 'North' };
const west = { id: '2', uri: 'west', name: 'West' };

const service = (name: string, given: Partial<Service> = {}): Service => ({
  id: name,
  kind: 'pool',
  name,
  description: '',
  image_url: null,
  protocols: ['rdp'],
  in_use: false,
  maintenance: false,
  state: 'ready',
  sessions: [],
  favourite: false,
  last_used_at: null,
  launch: null,
  link: '/',
  ...given,
});
const listOf = (...services: Service[]): SiteServices => ({
  domains: [],
  services,
  sites: [],
  announced_maintenance: [],
});
const farm = (name: string, given: Partial<FarmState> = {}): FarmState => ({
  site_id: '1',
  site_uri: 'north',
  site_name: 'North',
  farm_id: name,
  farm_name: name,
  status: 'ok',
  fetched_at: null,
  age_ms: 0,
  refusal: null,
  ...given,
});
const session = { session_uuid: 's', state: 'active', farm_id: 'f' };
const namesOf = (cards: readonly { service: Service }[]) => cards.map(({ service: { name } }) => name);

describe('the cards of several sites', () => {
  it('have open workplaces first and unavailable ones last, each group by name', () => {
    const cards = cardsOf([
      [
        north,
        listOf(service('Zoo'), service('Bar', { state: 'unavailable' }), service('Ink', { state: 'busy' })),
      ],
      [west, listOf(service('Yak', { sessions: [session] }), service('Axe'))],
    ]);
    expect(namesOf(cards)).toEqual(['Yak', 'Axe', 'Ink', 'Zoo', 'Bar']);
  });

  it('have favourites before others, and the last used first', () => {
    const used = (hour: number) => ({ last_used_at: `2026-11-23T0${hour}:00:00Z` });
    const services = [
      service('Ant'),
      service('Bee', used(1)),
      service('Cat', used(2)),
      service('Dog', { favourite: true }),
      service('Elk', { favourite: true, ...used(1) }),
      service('Fox', { state: 'unavailable', ...used(3) }),
    ];
    const order = ['Elk', 'Dog', 'Cat', 'Bee', 'Ant', 'Fox'];
    expect(namesOf(cardsOf([[north, listOf(...services)]]))).toEqual(order);
  });

  it('are those of the sites that have answered', () => {
    expect(
      namesOf(
        cardsOf([
          [north, undefined],
          [west, listOf(service('Axe'))],
        ]),
      ),
    ).toEqual(['Axe']);
  });

  it('are found by words of name, description and site, in any order and letter case, without accents', () => {
    const cards = cardsOf([
      [north, listOf(service('Café Office', { description: 'ledgers' }), service('Lab'))],
    ]);
    for (const text of ['cafe', 'OFFICE ledg', 'north caf', ' '])
      expect(namesOf(matching(cards, { text, site: '' }))).toContain('Café Office');
    expect(matching(cards, { text: 'cafe lab', site: '' })).toEqual([]);
    expect(matching(cards, { text: '', site: 'west' })).toEqual([]);
  });

  it('are all found by an empty search, whatever their names', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (names) => {
        const cards = cardsOf([[north, listOf(...names.map((name) => service(name)))]]);
        expect(matching(cards, { text: '', site: '' })).toEqual(cards);
      }),
    );
  });
});

describe('what is missing in the list of a site', () => {
  it.each<[string, FarmState[], object[]]>([
    ['nothing', [farm('a'), farm('b', { status: 'maintenance' })], []],
    [
      'one of two farms',
      [farm('a', { status: 'stale', age_ms: 240_000 }), farm('b')],
      [{ name: 'North (a)', ageMs: 240_000, reason: 'old' }],
    ],
    [
      'the whole site',
      [farm('a', { status: 'stale', age_ms: 5 }), farm('b', { status: 'circuit_open', age_ms: 9 })],
      [{ name: 'North', ageMs: 9, reason: 'old' }],
    ],
    [
      'a site without data',
      [farm('a', { status: 'timeout', age_ms: null })],
      [{ name: 'North', ageMs: null, reason: 'missing' }],
    ],
    [
      'farms in different states',
      [farm('a', { status: 'error', age_ms: null }), farm('b', { status: 'stale', age_ms: 5 })],
      [
        { name: 'North (a)', ageMs: null, reason: 'missing' },
        { name: 'North (b)', ageMs: 5, reason: 'old' },
      ],
    ],
  ])('is %s', (_, farms, gaps) => expect(gapsIn(north, farms)).toEqual(gaps));
});

describe('the places where the account of the user is not known', () => {
  const refused = (name: string) => farm(name, { refusal: { reason: null } });
  it.each<[string, FarmState[], string[]]>([
    ['nowhere', [farm('a'), farm('b', { status: 'timeout', age_ms: null })], []],
    ['a site with one farm', [refused('a')], ['North']],
    ['one of two farms', [refused('a'), farm('b')], ['North (a)']],
    ['the whole site', [refused('a'), refused('b')], ['North']],
    ['a farm beside one that does not answer', [refused('a'), farm('b', { status: 'error' })], ['North (a)']],
  ])('are named: %s', (_, farms, names) => {
    expect(refusedAt(north, farms)).toEqual(names);
    expect(
      gapsIn(
        north,
        farms.filter(({ refusal }) => refusal !== null),
      ),
    ).toEqual([]);
  });
});

describe('the file name of a connection', () => {
  it.each([
    ['attachment; filename="workplace.rdp"', 'workplace.rdp'],
    [`attachment; filename="_.rdp"; filename*=UTF-8''%D0%91%D1%83%D1%85.rdp`, 'Бух.rdp'],
    [String.raw`attachment; filename="a \"b\".rdp"`, 'a "b".rdp'],
    [`attachment; filename="x.rdp"; filename*=UTF-8''%E0%A4%A`, 'x.rdp'],
    ['', 'workplace'],
  ])('is read from %s', (header, name) => expect(nameIn(header)).toBe(name));
});
