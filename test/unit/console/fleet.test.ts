import { describe, expect, it } from 'vitest';
import { continued, type Dashboard } from '../../../functions/console/app/overview/dashboard.ts';
import { matching, sitesOf } from '../../../functions/console/app/overview/fleet.ts';

type Site = Extract<Dashboard['sites'], unknown[]>[number];
type FleetNode = Extract<Dashboard['nodes'], unknown[]>[number];
type Gateway = Extract<Dashboard['gateways'], unknown[]>[number];

const site = (name: string, state: Site['state']): Site => ({
  id: name,
  uri: name.toLowerCase(),
  name,
  status: 'pass',
  state,
  farms: 1,
  dispatchers_up: 1,
  dispatchers: 1,
  pools: 0,
  workplaces: 0,
  in_use: 0,
  sessions: 0,
  fetched_at: null,
});
const node = (name: string, farm: string, given: Partial<FleetNode> = {}): FleetNode => ({
  id: name,
  farm_id: farm,
  name,
  state: 'pass',
  status: 'pass',
  circuit: 'closed',
  last_check_at: null,
  last_error: null,
  response_time_ms: null,
  version: null,
  certificate_days_left: null,
  ...given,
});
const farm = (name: string, of: string) =>
  ({ id: name, site_id: of, name, state: 'pass', fetched_at: null, last_sync_error: null }) as const;
const gateway = (name: string, given: Partial<Gateway>): Gateway => ({
  id: name,
  name,
  sites: [],
  enabled: true,
  maintenance: false,
  state: 'online',
  last_seen_at: null,
  connections: 0,
  ...given,
});
const counters = {
  sites: 0,
  farms: 0,
  dispatchers: 0,
  gateways: 0,
  domains: 0,
  users: 0,
  admin_sessions: 0,
  user_sessions: 0,
  workplaces: 10,
  workplaces_in_use: 3,
  sessions: 2,
};
const dashboard = (given: Partial<Dashboard>): Dashboard => ({
  generated_at: '2026-11-23T12:00:00.000Z',
  counters,
  sites: [],
  farms: [],
  nodes: [],
  gateways: [],
  maintenance: [],
  pools_near_full: [],
  recent_failures: [],
  failed_logins_24h: 0,
  certificates_expiring: [],
  ...given,
});
const fleet = dashboard({
  sites: [
    site('Off', 'disabled'),
    site('Site 10', 'pass'),
    site('Site 9', 'pass'),
    site('New', 'unknown'),
    site('Kept', 'maintenance'),
    site('Partly', 'pass'),
    site('Behind', 'pass'),
    site('Down', 'fail'),
  ],
  farms: [farm('Main', 'Partly'), farm('Spare', 'Partly'), farm('Tower', 'Behind')],
  nodes: [node('a-1', 'Main'), node('a-2', 'Main', { state: 'fail', status: 'fail' }), node('t-1', 'Tower')],
  gateways: [
    gateway('Lighthouse', { sites: ['Behind'], state: 'offline' }),
    gateway('Resting', { sites: ['Site 9'], state: 'offline', maintenance: true }),
  ],
});
const names = (views: ReturnType<typeof sitesOf>) => views.map(({ site }) => site.name);

describe('the sites of the overview', () => {
  it('are ordered by what needs attention, then by name', () => {
    const order = ['Down', 'Behind', 'Partly', 'Kept', 'New', 'Site 9', 'Site 10', 'Off'];
    expect(names(sitesOf(fleet))).toEqual(order);
  });

  it('have their failing nodes first, and farms without nodes', () => {
    const partly = sitesOf(fleet).find(({ site }) => site.name === 'Partly');
    expect(partly?.state).toBe('degraded');
    expect(partly?.rows.map(({ farm, node }) => [farm.name, node?.name])).toEqual([
      ['Main', 'a-2'],
      ['Main', 'a-1'],
      ['Spare', undefined],
    ]);
  });

  it.each([
    ['a failing probe', { status: 'fail' }],
    ['refused credentials', { status: 'unauthorized' }],
    ['an open circuit breaker', { circuit: 'open' }],
  ] as const)('are degraded by %s', (_, given) => {
    const one = dashboard({
      sites: [site('One', 'pass')],
      farms: [farm('Main', 'One')],
      nodes: [node('a-1', 'Main', given)],
    });
    expect(sitesOf(one).map(({ state }) => state)).toEqual(['degraded']);
  });

  it('are filtered by words in the names of sites, farms, nodes and gateways', () => {
    const views = sitesOf(fleet);
    const found = (text: string, onlyFailing = false) => names(matching(views, { text, onlyFailing }));
    expect(found('site')).toEqual(['Site 9', 'Site 10']);
    expect(found('TOWER')).toEqual(['Behind']);
    expect(found('lighthouse')).toEqual(['Behind']);
    expect(found('partly a-2')).toEqual(['Partly']);
    expect(found('', true)).toEqual(['Down', 'Behind', 'Partly']);
    expect(found('site', true)).toEqual([]);
    const [partly] = matching(views, { text: 'a-2', onlyFailing: false });
    expect(partly?.rows.map(({ key }) => key)).toEqual(['a-2']);
    expect(matching(views, { text: 'partly', onlyFailing: false })[0]?.rows).toHaveLength(3);
  });

  it('are shown without the parts that could not be read', () => {
    const partial = dashboard({ sites: [site('One', 'pass')], nodes: { error: 'internal' } });
    expect(sitesOf(partial)).toMatchObject([{ state: 'pass', rows: [] }]);
    expect(sitesOf(dashboard({ sites: { error: 'internal' } }))).toEqual([]);
  });
});

describe('the curves', () => {
  it('continue with each read, for half an hour, and skip parts that could not be read', () => {
    const first = continued(undefined, dashboard({}));
    expect(first).toEqual({ in_use: [3], sessions: [2], failed_logins: [0] });
    const second = continued(first, dashboard({ counters: { error: 'internal' }, failed_logins_24h: 4 }));
    expect(second).toEqual({ in_use: [3], sessions: [2], failed_logins: [0, 4] });
    let curves = first;
    for (let n = 0; n < 200; n++) curves = continued(curves, dashboard({}));
    expect(curves.sessions).toHaveLength(120);
  });
});
