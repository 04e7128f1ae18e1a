import { addDesktop } from '../seed.ts';
import {
  type Desktop,
  type MetaPool,
  nowOf,
  type Pool,
  secondsOf,
  secret,
  type Transport,
} from '../state.ts';
import {
  type Ask,
  crashed,
  denied,
  type Handler,
  missing,
  ok,
  type Reply,
  refusal,
  result,
} from '../wire.ts';

const linkLifeMs = 60_000;

/** The system of the client decides which transports are listed. */
function systemOf({ headers }: Ask): string {
  const agent = headers['user-agent'] ?? '';
  if (/windows/i.test(agent)) return 'windows';
  if (/mac ?os/i.test(agent)) return 'macos';
  return /linux/i.test(agent) ? 'linux' : 'unknown';
}

const transportsOf = (ask: Ask, pool: Pool): Transport[] =>
  ask.state.transports
    .filter(({ pools, systems }) => pools.has(pool.id) && systems.includes(systemOf(ask)))
    .filter(({ networks }) => networks.length === 0 || networks.includes(ask.address))
    .sort((a, b) => a.priority - b.priority);

const isOffered = ({ caller }: Ask, { groups }: Pick<Pool, 'groups'>): boolean =>
  [...groups].some((group) => caller?.user.groups.has(group));

const ownedBy = ({ state, caller }: Ask, pool: Pool): Desktop | undefined =>
  state.desktops.find(
    (one) => one.pool === pool.id && one.owner === caller?.user.id && !['S', 'R', 'E'].includes(one.state),
  );

const isClosed = (pool: Pool): boolean => pool.members.fallbackAccess === 'DENY';
const isMaintained = ({ state }: Ask, pool: Pool): boolean =>
  state.providers.some(({ id, maintenance }) => id === pool.provider && maintenance);

/** Version 5.0 answers with the names of the members instead of the values. */
export const services: Handler = (ask) => {
  if (!ask.caller) return denied(ask);
  const listed = servicesOf(ask);
  return result(ask, ask.mode === '5.0' ? Object.keys(listed) : listed);
};

/** The list that the broker's own page reads. Without a session it leads to the login. */
export function servicesPage(ask: Ask): Reply {
  if (ask.caller) return ok(servicesOf(ask));
  return { status: 302, body: '', type: 'text/html', headers: { location: '/uds/page/login' } };
}

function servicesOf(ask: Ask): object {
  const { metaPools, pools } = ask.state;
  const metas = metaPools.filter((meta) => isOffered(ask, meta)).map((meta) => metaRow(ask, meta));
  const rows = pools
    .filter(({ id }) => !metaPools.some((meta) => meta.pools.includes(id)))
    .filter((pool) => isOffered(ask, pool) && transportsOf(ask, pool).length > 0)
    .map((pool) => serviceRow(ask, pool));
  return { services: [...metas, ...rows], ip: ask.address, nets: '', transports: '', autorun: false };
}

function metaRow(ask: Ask, { id, name, grouping, pools }: MetaPool): object {
  const row = `M${id}`;
  const offered = pools.flatMap((pool) => ask.state.pools.filter((one) => one.id === pool));
  const each = offered.map((pool) => transportsOf(ask, pool));
  const isCommon = (way: Transport) => each.every((ways) => ways.includes(way));
  const isLabelled = ({ label }: Transport) =>
    label !== '' && each.every((ways) => ways.some((way) => way.label === label));
  const all = [...new Set(each.flat())].sort((a, b) => a.priority - b.priority);
  const ways = {
    none: [{ id: 'meta', name: 'meta', priority: 0 }],
    common: all.filter(isCommon).map((way) => ({ id: way.id, name: way.name, priority: way.priority })),
    label: [...new Set(all.filter(isLabelled).map(({ label }) => label))].map((label, priority) => ({
      ...{ id: `LABEL:${label}`, name: label, priority },
    })),
  };
  return {
    ...{ id: row, is_meta: true, name, visual_name: name, description: '', imageId: 'x' },
    transports: ways[grouping].map((way) => ({ ...way, link: `udsa://${row}/${way.id}` })),
    ...{ show_transports: false, maintenance: false, not_accesible: false },
    in_use: offered.some((pool) => ownedBy(ask, pool)?.inUse),
    ...{ to_be_replaced: null, to_be_replaced_text: '', custom_calendar_text: '' },
  };
}

function serviceRow(ask: Ask, pool: Pool): object {
  const id = `F${pool.id}`;
  return {
    ...{ id, is_meta: false, name: pool.members.name, visual_name: pool.members.name },
    ...{ description: pool.members.comments, group: { id: null, name: 'General' }, imageId: 'x' },
    transports: transportsOf(ask, pool).map((way) => ({
      ...{ id: way.id, name: way.name, priority: way.priority },
      link: way.type.startsWith('HTML5') ? `/uds/webapi/trans/${id}/${way.id}` : `udsa://${id}/${way.id}`,
    })),
    ...{ show_transports: true, allow_users_remove: false, allow_users_reset: false },
    ...{ maintenance: isMaintained(ask, pool), not_accesible: isClosed(pool) },
    in_use: ownedBy(ask, pool)?.inUse ?? false,
    ...{ to_be_replaced: null, to_be_replaced_text: '' },
    custom_calendar_text: pool.members.calendar_message,
  };
}

/** Every question assigns a desktop; what forbids the connection is checked afterwards. */
export const connect: Handler = (ask, service = '', transport = '', what?: string) => {
  if (!ask.caller) return denied(ask);
  const target = targetOf(ask, service, transport);
  if (!target) return refusal(ask, 'Service not found');
  const way = wayOf(ask, target.pool, transport);
  const desktop = target.desktop ?? assigned(ask, target.pool);
  if (!desktop) return isFull(ask, what);
  desktop.inUse = true;
  desktop.inUseAt = secondsOf(ask.state);
  desktop.source = ask.address;
  if (what === 'udslink') return link(ask, way, desktop);
  if (!way || isMaintained(ask, target.pool) || isClosed(target.pool)) return refusal(ask, '');
  const code = desktop.state === 'P' ? 1 : target.pool.missing;
  if (code > 0) return refusal(ask, `Preparing service (code 000${code})`, { retryable: '1' });
  return result(ask, {
    ...{ username: ask.caller.user.name, password: 'UNKNOWN', domain: '', protocol: way.protocol },
    ip: desktop.ip,
    ...(ask.mode !== '3.6' && { service_type: 'vdi', host: '' }),
  });
};

/** The answer of a full pool is that of a desktop in preparation, without a code. For a link, version 3.6 also denies a retry. */
const isFull = (ask: Ask, what: string | undefined): Reply =>
  what === 'udslink' && ask.mode === '3.6'
    ? refusal(ask, 'Your service is being created. Please, wait (0 %)', { retryable: '0' })
    : refusal(ask, 'Preparing service', { retryable: '1' });

/** The transport; a meta pool lets the broker choose, also among those with a label. */
function wayOf(ask: Ask, pool: Pool, transport: string): Transport | undefined {
  const offered = transportsOf(ask, pool);
  if (transport === 'meta') return offered[0];
  const label = transport.startsWith('LABEL:') ? transport.slice(6) : undefined;
  return offered.find((way) => (label === undefined ? way.id === transport : way.label === label));
}

/**
 * `A` and the id of a desktop of the user, `F` and the id of a pool, or `M` and the id of a meta pool: then the pool
 * that has a desktop of the user, or the first with this transport and a free desktop.
 */
function targetOf(
  ask: Ask,
  service: string,
  transport: string,
): { pool: Pool; desktop?: Desktop } | undefined {
  const { state, caller } = ask;
  const id = service.slice(1);
  if (service.startsWith('A')) {
    const desktop = state.desktops.find((one) => one.id === id && one.owner === caller?.user.id);
    const pool = state.pools.find((one) => one.id === desktop?.pool);
    return desktop && pool && { pool, desktop };
  }
  if (service.startsWith('M')) {
    const meta = state.metaPools.find((one) => one.id === id);
    if (!meta || !isOffered(ask, meta)) return undefined;
    const pools = meta.pools.flatMap((member) => state.pools.filter((one) => one.id === member));
    const fitting = pools.filter((one) => wayOf(ask, one, transport));
    const pool =
      fitting.find((one) => ownedBy(ask, one)) ?? fitting.find((one) => hasRoom(ask, one)) ?? fitting[0];
    return pool && { pool };
  }
  const pool = service.startsWith('F') ? state.pools.find((one) => one.id === id) : undefined;
  return pool && isOffered(ask, pool) ? { pool } : undefined;
}

function assigned(ask: Ask, pool: Pool): Desktop | undefined {
  const { state, caller } = ask;
  const found = ownedBy(ask, pool);
  if (found) return found;
  if (pool.isRestrained) return undefined;
  const free = freeIn(ask, pool);
  if (free) return Object.assign(free, { owner: caller?.user.id ?? null, cacheLevel: 0 });
  return hasRoom(ask, pool) ? addDesktop(state, pool, { owner: caller?.user.id ?? null }) : undefined;
}

const freeIn = ({ state }: Ask, pool: Pool): Desktop | undefined =>
  state.desktops.find((one) => one.pool === pool.id && one.cacheLevel > 0 && one.state === 'U');

const hasRoom = (ask: Ask, pool: Pool): boolean => {
  const count = ask.state.desktops.filter((one) => one.pool === pool.id && one.state !== 'S').length;
  const most = Math.min(pool.maxDesktops, Number(pool.members.max_srvs) || pool.maxDesktops);
  return !pool.isRestrained && (freeIn(ask, pool) !== undefined || count < most);
};

/** The address in the link is that of the request. */
function link(ask: Ask, way: Transport | undefined, desktop: Desktop): Reply {
  const { scrambler } = ask.headers;
  if (typeof scrambler !== 'string') return crashed(ask, 'Unexcepected error');
  if (!way) return refusal(ask, '');
  if (way.type.startsWith('HTML5')) return result(ask, `/uds/webapi/trans/A${desktop.id}/${way.id}`);
  const id = secret(40);
  ask.state.links.set(id, { scrambler, desktop: desktop.id, endsAt: nowOf(ask.state) + linkLifeMs });
  const scheme = ask.mode === '5.0' ? 'udssv2' : 'udss';
  return ok({ result: `${scheme}://${ask.host}/${id}/${scrambler}`, date: 0, retryable: '0' });
}

/** What the client program asks with the parts of a link. The first answer uses the link up. */
export const fetchLink: Handler = (ask, id = '', scrambler = '') => {
  const found = ask.state.links.get(id);
  ask.state.links.delete(id);
  if (!found || found.scrambler !== scrambler || found.endsAt < nowOf(ask.state))
    return refusal(ask, 'Access denied');
  const desktop = ask.state.desktops.find((one) => one.id === found.desktop);
  return desktop ? result(ask, { script: 'none', params: desktop.ip }) : missing(ask);
};
