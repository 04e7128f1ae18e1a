import { describe, expect, it } from 'vitest';
import { announcementsOf } from '../../../functions/home/app/maintenance/announcements.ts';
import { stepOf } from '../../../functions/home/app/services/card-keys.ts';
import type { SiteServices } from '../../../functions/home/app/services/cards.ts';

const north = { id: '1', uri: 'north', name: 'North' };
const now = Date.parse('2026-11-23T12:00:00Z');
const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

type Announced = SiteServices['announced_maintenance'][number];
const announced = (given: Partial<Announced> = {}): Announced => ({
  ...{ farm_id: null, name: 'North', starts_at: null, ends_at: null },
  ...{ blocks_new_sessions: true, message: '', ...given },
});
const farmStates = (...names: string[]): SiteServices['sites'] =>
  names.map((name) => ({
    ...{ site_id: '1', site_uri: 'north', site_name: 'North', farm_id: name, farm_name: name },
    ...{ status: 'ok', fetched_at: null, age_ms: 0, refusal: null },
  }));
const shown = (all: Announced[], farms = ['a', 'b']) =>
  announcementsOf(
    north,
    { domains: [], services: [], sites: farmStates(...farms), announced_maintenance: all },
    now,
  );

describe('the maintenance that the page shows', () => {
  it.each<[string, Partial<Announced>, boolean[]]>([
    ['without times', {}, [true]],
    ['that has begun', { starts_at: at(-1), ends_at: at(1) }, [true]],
    ['that begins now', { starts_at: at(0) }, [true]],
    ['within a day', { starts_at: at(24), ends_at: at(26) }, [false]],
    ['after more than a day', { starts_at: at(24.1), ends_at: at(26) }, []],
    ['that is over', { starts_at: at(-2), ends_at: at(0) }, []],
  ])('is one %s', (_, given, begun) =>
    expect(shown([announced(given)]).map(({ hasBegun }) => hasBegun)).toEqual(begun));

  it('is named by the site, and by the farm if the site has several', () => {
    const farm = announced({ farm_id: 'a', name: 'a' });
    expect(shown([announced()])[0]?.name).toBe('North');
    expect(shown([farm])[0]?.name).toBe('North (a)');
    expect(shown([farm], ['a'])[0]?.name).toBe('North');
  });

  it('is not that of farms while the whole site is blocked', () => {
    const farm = announced({ farm_id: 'a', name: 'a' });
    const names = (site: Partial<Announced>) => shown([announced(site), farm]).map(({ name }) => name);
    expect(names({})).toEqual(['North']);
    expect(names({ starts_at: at(1) })).toEqual(['North', 'North (a)']);
    expect(names({ blocks_new_sessions: false })).toEqual(['North', 'North (a)']);
  });

  it('has another key when it is postponed', () => {
    const keys = [1, 2].map((hours) => shown([announced({ starts_at: at(hours) })])[0]?.key);
    expect(new Set(keys).size).toBe(2);
  });
});

describe('an arrow key', () => {
  it.each([
    ['ArrowRight', 1],
    ['ArrowLeft', -1],
    ['ArrowDown', 3],
    ['ArrowUp', -3],
    ['Enter', 0],
  ])('%s moves by %i of three cards in a row', (key, step) => expect(stepOf(key, 3)).toBe(step));
});
