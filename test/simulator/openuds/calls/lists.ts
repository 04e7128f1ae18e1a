import { type Desktop, never, newId, type Pool, type Transport, type User } from '../state.ts';
import { type Ask, denied, fault, type Handler, missing, ok } from '../wire.ts';

/** Base64 of a picture of about 1.7 KiB, as in each row of a pool. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(72);

export const administrators =
  (handler: Handler, level: 'staff' | 'admin' = 'staff'): Handler =>
  (ask, ...ids) => {
    const { caller, state, address } = ask;
    const isTrusted = state.trustedAdmins === '*' || state.trustedAdmins.includes(address);
    const isEnough = level === 'admin' ? caller?.user.isAdmin : caller?.user.isStaff || caller?.user.isAdmin;
    return caller && isTrusted && isEnough ? handler(ask, ...ids) : denied(ask);
  };

/** A staff account without permissions on objects sees none of them. */
const visible = <T>({ caller }: Ask, rows: readonly T[]): readonly T[] => (caller?.user.isAdmin ? rows : []);
const detail =
  (handler: Handler): Handler =>
  (ask, ...ids) =>
    ask.caller?.user.isAdmin ? handler(ask, ...ids) : denied(ask, 'Access denied');

export const config = administrators(() => ok({ UDS: {} }), 'admin');
export const overview = detail(({ state }) =>
  ok({ users: state.users.length, service_pools: state.pools.length, user_services: state.desktops.length }),
);

export const pools = administrators((ask) =>
  ok(visible(ask, ask.state.pools).map((pool) => poolRow(ask, pool))),
);
export const pool = administrators(
  detail((ask, id) => {
    const found = ask.state.pools.find((one) => one.id === id);
    return found ? ok(poolRow(ask, found)) : missing(ask);
  }),
);

export function poolRow({ state, mode }: Ask, pool: Pool): object {
  const { fallbackAccess, custom_message, display_custom_message, ...members } = pool.members;
  const own = state.desktops.filter((one) => one.pool === pool.id && !['S', 'R'].includes(one.state));
  const isMaintained = state.providers.some(({ id, maintenance }) => id === pool.provider && maintenance);
  const max = Number(pool.members.max_srvs) || pool.maxDesktops;
  const assigned = own.filter(({ cacheLevel, state: is }) => cacheLevel === 0 && is !== 'E').length;
  return {
    ...{ id: pool.id, ...members, state: isMaintained ? 'Y' : pool.state, thumb: picture },
    ...{ pool_group_thumb: picture, provider_id: pool.provider, permission: 96 },
    meta_member: state.metaPools
      .filter((one) => one.pools.includes(pool.id))
      .map(({ id, name }) => ({ id, name })),
    ...(pool.osManager && { osmanager_id: pool.osManager }),
    ...(mode === '5.0' ? { fallback_access: fallbackAccess } : { fallbackAccess }),
    ...(mode !== '3.6' && { custom_message, display_custom_message }),
    user_services_count: own.length,
    user_services_in_preparation: own.filter((one) => one.state === 'P').length,
    restrained: pool.isRestrained,
    usage: `${max > 0 ? Math.floor((assigned * 100) / max) : 0}%`,
    info: { uses_cache: pool.usesCache, can_reset: pool.canReset, icon: picture },
  };
}

/** The time of this page of the list; version 5.0 has pages. */
function page<T>({ mode, query }: Ask, rows: readonly T[]): readonly T[] {
  if (mode !== '5.0') return rows;
  const [skip, top] = [Number(query.get('$skip') ?? 0), Number(query.get('$top') ?? rows.length)];
  return rows.slice(skip, skip + top);
}

const desktops = (part: 'services' | 'cache'): Handler =>
  administrators(
    detail((ask, id) => {
      if (!ask.state.pools.some((one) => one.id === id)) return missing(ask);
      const isCache = part === 'cache';
      const rows = ask.state.desktops.filter((one) => one.pool === id && one.cacheLevel > 0 === isCache);
      return ok(page(ask, rows).map((one) => desktopRow(ask, one, isCache)));
    }),
  );
export const services = desktops('services');
export const cache = desktops('cache');

function desktopRow({ state, mode }: Ask, one: Desktop, isCache: boolean): object {
  const owner = state.users.find(({ id }) => id === one.owner);
  const authenticator = state.authenticators.find(({ id }) => id === owner?.authenticator);
  const shared = {
    id: one.id,
    [mode === '5.0' ? 'pool_id' : 'id_deployed_service']: one.pool,
    ...{ unique_id: one.uniqueId, friendly_name: one.name, state: one.state, os_state: one.osState },
    ...{ state_date: one.createdAt, creation_date: one.createdAt, revision: '', ip: one.ip || 'unknown' },
    actor_version: one.actorVersion,
  };
  if (isCache) return { ...shared, cache_level: one.cacheLevel };
  return {
    ...shared,
    owner: owner ? `${owner.name}@${authenticator?.name}` : 'unknown',
    owner_info: { auth_id: owner?.authenticator ?? '', user_id: owner?.id ?? '' },
    ...{ in_use: one.inUse, in_use_date: one.inUse ? one.inUseAt : never },
    ...{ source_host: one.sourceHost, source_ip: one.source },
  };
}

export const userDesktops = administrators(
  detail((ask, _authenticator, user) => {
    const rows = ask.state.desktops.filter((one) => one.owner === user && one.state === 'U');
    return ok(
      rows.map((one) => {
        const found = ask.state.pools.find(({ id }) => id === one.pool);
        return { ...desktopRow(ask, one, false), pool: found?.name, pool_id: one.pool };
      }),
    );
  }),
);

export const metaPoolMembers = administrators(
  detail((ask, id) => {
    const { state } = ask;
    const found = state.metaPools.find((one) => one.id === id);
    if (!found) return missing(ask);
    return ok(
      found.pools.map((pool, priority) => ({
        ...{ id: newId(), pool_id: pool, name: state.pools.find((one) => one.id === pool)?.name },
        ...{ comments: '', priority, enabled: true, user_services_count: 0, user_services_in_preparation: 0 },
      })),
    );
  }),
);

/** Version 3.6 has objects where later versions have ids. */
function transportRow({ mode }: Ask, transport: Transport): object {
  const { systems: _, networks: _networks, pools: offered, settings: _settings, ...row } = transport;
  const pools = mode === '3.6' ? [...offered].map((id) => ({ id })) : [...offered];
  return {
    ...{ ...row, tags: [], comments: '', networks: [], pools },
    ...{ pools_count: offered.size, permission: 96 },
  };
}

export const transports = administrators((ask) =>
  ok(visible(ask, ask.state.transports).map((one) => transportRow(ask, one))),
);
export const transport = administrators(
  detail((ask, id) => {
    const found = ask.state.transports.find((one) => one.id === id);
    if (!found) return missing(ask);
    const { rdpPort, rdp_port, ...settings } = found.settings;
    const port = ask.mode === '3.6' ? { rdpPort } : { rdp_port };
    const all = { ...settings, ...(rdpPort !== undefined && port) };
    return ok({ ...transportRow(ask, found), ...(ask.mode === '5.0' ? { instance: all } : all) });
  }),
);

export const osManager = administrators(
  detail((ask, id) => {
    const found = ask.state.osManagers.find((one) => one.id === id);
    return found
      ? ok({ id: found.id, name: found.name, type: 'LinuxManager', ...found.settings })
      : missing(ask);
  }),
);

const userRow = (user: User): object => ({
  ...{ id: user.id, name: user.name, real_name: user.realName, comments: '', state: user.state },
  ...{ staff_member: user.isStaff, is_admin: user.isAdmin, last_access: never, parent: null },
  role: user.isAdmin ? 'Admin' : user.isStaff ? 'Staff member' : 'User',
});

/** Filters ignore case: a pattern in version 3.6, none in 4.0, and OData in 5.0, where a quote is not escaped. */
export const users = administrators(
  detail((ask, authenticator) => {
    const { query, mode } = ask;
    const rows = ask.state.users.filter((one) => one.authenticator === authenticator);
    const [, pattern] = /^name=(.*)$/s.exec(query.get('filter') ?? '') ?? [];
    if (mode === '3.6' && pattern !== undefined) {
      const test = globOf(pattern);
      return ok(rows.filter(({ name }) => test.test(name)).map(userRow));
    }
    const odata = mode === '5.0' ? query.get('$filter') : null;
    if (odata === null) return ok(rows.map(userRow));
    const [, wanted] = /^name eq '([^']*)'$/.exec(odata) ?? [];
    if (wanted === undefined) return fault(ask, 400, 'Request error: Invalid odata');
    return ok(rows.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase()).map(userRow));
  }),
);

const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'is',
  );

export const user = administrators(
  detail((ask, authenticator, id) => {
    const found = ask.state.users.find((one) => one.id === id && one.authenticator === authenticator);
    return found ? ok({ ...userRow(found), groups: [...found.groups] }) : missing(ask);
  }),
);

export const groups = administrators(
  detail(({ state }, authenticator) =>
    ok(
      state.groups
        .filter((group) => group.authenticator === authenticator)
        .map(({ id, name, isMeta }) => ({
          ...{ id, name, comments: '', state: 'A', type: isMeta ? 'meta' : 'group', meta_if_any: false },
        })),
    ),
  ),
);

export const accessRules = administrators(
  detail((ask, id) => {
    const found = ask.state.pools.find((one) => one.id === id);
    return found ? ok(found.access) : missing(ask);
  }),
);
