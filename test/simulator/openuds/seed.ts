import {
  type BrokerState,
  type Desktop,
  emptyBroker,
  type MetaPool,
  never,
  newId,
  type Pool,
  secondsOf,
  type Transport,
  type User,
} from './state.ts';

export type UserSeed = {
  name: string;
  password?: string;
  groups?: string[];
  isStaff?: boolean;
  isAdmin?: boolean;
  state?: 'A' | 'I';
};
export type PoolSeed = {
  name: string;
  groups: string[];
  transports?: ('rdp' | 'spice' | 'tunnel' | 'html5')[];
  desktops?: number;
  cached?: number;
  missing?: Pool['missing'];
  tags?: string[];
  usesCache?: boolean;
  canReset?: boolean;
  maxDesktops?: number;
  hasOsManager?: boolean;
};
export type BrokerSeed = { label?: string; users: UserSeed[]; pools: PoolSeed[] };

/** The account of the portal in every seeded broker. */
export const portalAccount = { name: 'portal-svc', password: 'svc-secret-1' };

/** A broker with these users and pools, and the account of the portal. */
export function seededBroker({ label, users, pools }: BrokerSeed): BrokerState {
  const state = emptyBroker();
  const [authenticator] = state.authenticators;
  if (!authenticator) throw new Error('a broker has an authenticator');
  if (label !== undefined) authenticator.label = label;
  const wanted = [...users, { ...portalAccount, isStaff: true, isAdmin: true }];
  for (const name of new Set([...users, ...pools].flatMap(({ groups = [] }) => groups)))
    state.groups.push({ id: newId(), authenticator: authenticator.id, name, isMeta: false });
  for (const user of wanted) addUser(state, user);
  for (const pool of pools) addPool(state, pool);
  return state;
}

export function addUser(state: BrokerState, seed: UserSeed): User {
  const { name, password = 'secret-1', groups = [], isStaff = false, isAdmin = false } = seed;
  const ids = state.groups.filter((group) => groups.includes(group.name)).map(({ id }) => id);
  const user: User = {
    ...{ id: newId(), authenticator: state.authenticators[0]?.id ?? '', name, realName: name, password },
    ...{ state: seed.state ?? 'A', isStaff, isAdmin, groups: new Set(ids) },
  };
  state.users.push(user);
  return user;
}

const kinds = {
  rdp: { type: 'RDPTransport', protocol: 'rdp', settings: { rdpPort: '3389', rdp_port: 3389 } },
  spice: { type: 'SPICETransport', protocol: 'spice', settings: {} },
  tunnel: { type: 'TSRDPTransport', protocol: 'rdp', settings: {} },
  html5: { type: 'HTML5RDPTransport', protocol: 'rdp', settings: { guacamoleServer: 'https://web' } },
} as const;

function transportFor(state: BrokerState, kind: keyof typeof kinds): Transport {
  const name = `way ${kind}`;
  const found = state.transports.find((one) => one.name === name);
  if (found) return found;
  const made: Transport = {
    ...{ id: newId(), name, type: kinds[kind].type, protocol: kinds[kind].protocol },
    ...{ priority: state.transports.length + 1, pools: new Set(), systems: ['windows', 'linux', 'macos'] },
    networks: [],
    label: '',
    settings: { ...kinds[kind].settings, allowClipboard: true, fixedPassword: 'do not show' },
  };
  state.transports.push(made);
  return made;
}

export function addPool(state: BrokerState, seed: PoolSeed): Pool {
  const { name, desktops = 0, cached = 0, tags = [], transports = ['rdp'] } = seed;
  const ids = state.groups.filter((group) => seed.groups.includes(group.name)).map(({ id }) => id);
  const osManager = seed.hasOsManager ? addOsManager(state) : null;
  const pool: Pool = {
    ...{ id: newId(), name, state: 'A', provider: state.providers[0]?.id ?? '', osManager },
    ...{ usesCache: seed.usesCache ?? cached > 0, canReset: seed.canReset ?? false },
    ...{ maxDesktops: seed.maxDesktops ?? 100_000, groups: new Set(ids), access: [] },
    ...{ missing: seed.missing ?? 0, isRestrained: false },
    members: {
      ...{ name, short_name: name.slice(0, 32), comments: '', tags, service_id: newId(), image_id: null },
      ...{ pool_group_id: null, account_id: null, initial_srvs: 0, cache_l1_srvs: 0, cache_l2_srvs: 0 },
      ...{ max_srvs: 0, show_transports: true, visible: true, allow_users_remove: false },
      ...{ allow_users_reset: false, ignores_unused: false, calendar_message: '', fallbackAccess: 'ALLOW' },
      ...{ custom_message: '', display_custom_message: false },
    },
  };
  state.pools.push(pool);
  for (const kind of transports) transportFor(state, kind).pools.add(pool.id);
  for (let n = 0; n < desktops; n++) addDesktop(state, pool, { name: `${name}-${n}` });
  for (let n = 0; n < cached; n++) addDesktop(state, pool, { name: `${name}-c${n}`, cacheLevel: 1 });
  return pool;
}

function addOsManager(state: BrokerState): string {
  const made = { id: newId(), name: 'Linux', settings: { onLogout: 'keep', idle: 300, deadLine: true } };
  state.osManagers.push(made);
  return made.id;
}

/** A locally administered address. */
const macOf = (at: number): string =>
  `0200${at.toString(16).padStart(8, '0')}`.toUpperCase().replace(/..(?!$)/g, '$&:');

/** A desktop of an owner who is not a user of the broker, unless one is given; in the cache with a level. */
export function addDesktop(state: BrokerState, pool: Pool, given: Partial<Desktop> = {}): Desktop {
  const at = state.desktops.length;
  const made: Desktop = {
    ...{ id: newId(), pool: pool.id, name: `desktop-${at}`, uniqueId: macOf(at) },
    ...{ owner: null, cacheLevel: 0, state: 'U', osState: 'U', ip: `10.0.${(at >> 8) % 256}.${at % 256}` },
    ...{ actorVersion: 'unknown', createdAt: secondsOf(state), inUse: false, inUseAt: never },
    ...{ source: '', sourceHost: '', ...given },
  };
  state.desktops.push(made);
  return made;
}

/** Hides the pools with these names behind one service. */
export function addMetaPool(
  state: BrokerState,
  { name, pools, grouping = 'none' }: { name: string; pools: string[]; grouping?: MetaPool['grouping'] },
): MetaPool {
  const members = state.pools.filter((one) => pools.includes(one.name));
  const groups = new Set(members.flatMap((one) => [...one.groups]));
  const made: MetaPool = { id: newId(), name, groups, pools: members.map(({ id }) => id), grouping };
  state.metaPools.push(made);
  return made;
}
