import fc from 'fast-check';

type Entry = Record<string, unknown> & { name: string };
/** The content of a configuration file. */
export type Installation = Record<string, Entry[]>;

const few = <T>(values: readonly T[]) => fc.subarray([...values]);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** An entry in which each member besides the given ones may be absent. */
const entry = (
  given: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Entry> =>
  fc
    .record({
      ...given,
      ...Object.fromEntries(Object.entries(optional).map(([name, value]) => [name, maybe(value)])),
    })
    .map(
      (members) =>
        Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Entry,
    );

const siteNames = ['North', 'South', 'East: "the third"', 'Запад'];
const uris = ['north', 'south', 'east', 'west'];
const domainNames = ['Corporate', 'Partners # 2'];
const labels = ['corp', 'part'];
const farmNames = ['F1', 'F2', 'F3', '- F4', 'yes'];
const pools = ['01932b5e-7d8a-7c33-9d52-0a3f5f2f8a11', '01932b5e-7d8a-7c33-9d52-0a3f5f2f8a12'];
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !/[\0\p{Cs}]/u.test(value));
const priority = fc.integer({ min: 0, max: 10_000 });

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const circle =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciPjxjaXJjbGUgcj0iMyIvPjwvc3ZnPg==';

/**
 * Installations with a few names, so that two of them share records which differ: farms move, sites swap their addresses,
 * and records of one are missing in the other.
 */
export const installations: fc.Arbitrary<Installation> = fc
  .record({
    sites: few(siteNames),
    farms: few(farmNames),
    domains: few(domainNames),
    uris: fc.shuffledSubarray(uris, { minLength: uris.length }),
    labels: fc.shuffledSubarray(labels, { minLength: labels.length }),
    templates: few(['Weekend', 'Night']),
    tags: few(['office', 'lab:1']),
  })
  .chain(installationOf);

type Choice = {
  sites: string[];
  farms: string[];
  domains: string[];
  uris: string[];
  labels: string[];
  templates: string[];
  tags: string[];
};

function installationOf(chosen: Choice): fc.Arbitrary<Installation> {
  const farms = chosen.sites.length > 0 ? chosen.farms : [];
  return fc
    .tuple(
      fc.tuple(...farms.map(() => fc.constantFrom(...chosen.sites, ''))),
      fc.tuple(...chosen.domains.map(() => few(['Staff', 'Guests']))),
    )
    .chain(([sitesOfFarms, groupsOfDomains]) => {
      const placed = farms.map((name, at) => ({ name, site: sitesOfFarms[at] || (chosen.sites[0] ?? '') }));
      const groups = groupsOfDomains.map((names) => names);
      const refs = groups.flatMap((names, at) => names.map((name) => `${chosen.labels[at]}/${name}`));
      return fc.record({
        images: fc.constant([
          { name: 'pixel', image: pixel },
          { name: 'circle', image: circle },
        ]),
        tags: all(chosen.tags, (name) => entry({ name }, { color: fc.constant('#1f6feb'), comments: text })),
        maintenance_templates: all(chosen.templates, (name) =>
          entry(
            { name, message: fc.constant('Back soon') },
            { warn_minutes: fc.integer({ min: 0, max: 1440 }) },
          ),
        ),
        authenticators: all(chosen.domains, (name, at) => domainOf(name, chosen.labels[at] ?? '')),
        groups: fc
          .tuple(
            ...groups.flatMap((names, at) => names.map((name) => groupOf(name, chosen.domains[at] ?? ''))),
          )
          .map((list) => list as Entry[]),
        sites: all(chosen.sites, (name, at) => siteOf(name, chosen.uris[at] ?? '', chosen, refs)),
        roles: rolesOf(chosen.sites),
        farms: all(
          placed.map(({ name }) => name),
          (name, at) =>
            entry(
              { name, site_id: fc.constant(placed[at]?.site) },
              { weight: fc.integer({ min: 1, max: 100 }), enabled: fc.boolean() },
            ),
        ),
        dispatchers: nodesOf(farms),
        priority_groups: fc.tuple(
          entry({ name: fc.constant('Preferred') }, { groups: few(refs), farms: preferences(farms) }),
        ),
        rules: rulesOf(placed, refs),
        gateways: fc.tuple(
          entry(
            { name: fc.constant('gw1'), host: fc.constantFrom('gw1.example.com', '192.0.2.7') },
            { sites: few(chosen.sites), networks: few(['10.0.0.0/8', '10.1.0.0/16']), priority },
          ),
        ),
      });
    });
}

const all = (
  names: readonly string[],
  build: (name: fc.Arbitrary<string>, at: number) => fc.Arbitrary<Entry>,
): fc.Arbitrary<Entry[]> => fc.tuple(...names.map((name, at) => build(fc.constant(name), at)));

const domainOf = (name: fc.Arbitrary<string>, label: string): fc.Arbitrary<Entry> =>
  entry(
    {
      name,
      small_name: fc.constant(label),
      // The type is set at creation only.
      type: name.map((text) => (text === 'Corporate' ? 'ldap' : 'internal')),
    },
    { comments: text, priority },
  ).map((domain) =>
    domain.type === 'ldap'
      ? {
          ...domain,
          params: {
            hosts: ['ldaps://directory.example.com'],
            base_dn: 'dc=example,dc=com',
            bind_dn: 'cn=portal,dc=example,dc=com',
            bind_password: ['$', '{env:PORTAL_SECRET_BIND}'].join(''),
          },
          attributes: [{ name: 'mail', source: 'mail', title: 'Mail' }],
        }
      : domain,
  );

const groupOf = (name: string, domain: string): fc.Arbitrary<Entry> =>
  entry(
    { name: fc.constant(name), authenticator_id: fc.constant(domain) },
    { comments: text, state: fc.constantFrom('active', 'inactive') },
  );

const siteOf = (
  name: fc.Arbitrary<string>,
  uri: string,
  chosen: Choice,
  refs: string[],
): fc.Arbitrary<Entry> =>
  entry(
    { name, uri: fc.constant(uri) },
    {
      comments: text,
      priority,
      authenticators: few(chosen.domains),
      groups: few(refs),
      users: fc.constant(['builtin/admin']),
      ...(chosen.templates[0] && { maintenance_template_id: fc.constantFrom(...chosen.templates) }),
      location: fc.constant({ latitude: 55.75, longitude: 37.6 }),
    },
  );

const rolesOf = (sites: string[]): fc.Arbitrary<Entry[]> =>
  fc.tuple(
    entry(
      { name: fc.constant('Helpers'), permissions: few(['sites.read', 'farms.read', 'users.read']) },
      { scope: fc.oneof(fc.constant({ sites: '*' }), fc.record({ sites: few(sites) })) },
    ),
  );

const nodesOf = (farms: string[]): fc.Arbitrary<Entry[]> =>
  farms.length === 0
    ? fc.constant([])
    : fc.tuple(
        entry(
          {
            name: fc.constant('d1'),
            farm_id: fc.constantFrom(...farms),
            url: fc.constantFrom('https://d1.example.com', 'https://d2.example.com'),
            health_key: fc.constant(['$', '{env:PORTAL_SECRET_HEALTH}'].join('')),
          },
          { priority, timeout_ms: fc.integer({ min: 500, max: 20_000 }) },
        ),
        entry(
          {
            name: fc.constant('d2'),
            farm_id: fc.constantFrom(...farms),
            url: fc.constant('https://x.example.com'),
          },
          { enabled: fc.boolean() },
        ),
      );

const preferences = (farms: string[]) =>
  few(farms).map((names) => names.map((farm_id, at) => ({ farm_id, priority: at })));

/** A rule has members of its own site, or else tags. */
function rulesOf(farms: readonly { name: string; site: string }[], refs: string[]): fc.Arbitrary<Entry[]> {
  const names = ['Office', 'Lab'];
  const [first] = farms;
  if (!first) return fc.constant([]);
  const rule = (name: string): fc.Arbitrary<Entry> =>
    fc.constantFrom(...farms).chain(({ site }) => {
      const own = farms.filter((farm) => farm.site === site).map((farm) => farm.name);
      const pairs = own.flatMap((farm_id) =>
        pools.map((servicepool_uuid) => ({ farm_id, servicepool_uuid })),
      );
      return entry(
        {
          name: fc.constant(name),
          site_id: fc.constant(site),
          members: fc
            .subarray(pairs)
            .map((some) => some.map((pair, priority) => ({ ...pair, priority, enabled: true }))),
        },
        {
          image_id: fc.constantFrom('pixel', 'circle'),
          display_name: fc.constant('Desktop'),
          groups: few(refs),
          policy: fc.constantFrom('priority', 'random'),
        },
      ).map(({ members, ...rest }) =>
        Array.isArray(members) && members.length > 0
          ? { ...rest, members }
          : { ...rest, match_tags: { any: ['office'], all: [] } },
      );
    });
  return fc.tuple(...names.map(rule));
}
