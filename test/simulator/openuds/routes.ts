import { connect, fetchLink, services as userServices } from './calls/connection.ts';
import * as lists from './calls/lists.ts';
import { authenticators, type Delays, login, logout, version } from './calls/login.ts';
import { createTicket } from './calls/tickets.ts';
import * as writing from './calls/writing.ts';
import type { Mode } from './state.ts';
import { type Ask, fault, type Handler, type Reply } from './wire.ts';

type Route = { method: string; path: string; handler: Handler; modes?: readonly Mode[] };

const before5: readonly Mode[] = ['3.6', '4.0'];
const from5: readonly Mode[] = ['5.0'];

/** Every call of the broker that the portal could make. `*` is one segment. */
const routesWith = (delays: Delays): readonly Route[] => [
  { method: 'GET', path: 'version', handler: version },
  { method: 'POST', path: 'auth/login', handler: login(delays) },
  { method: 'GET', path: 'auth/logout', handler: logout },
  { method: 'GET', path: 'auth/auths', handler: authenticators },
  { method: 'PUT', path: 'tickets/create', handler: lists.administrators(createTicket, 'admin') },
  { method: 'GET', path: 'connection', handler: userServices },
  { method: 'GET', path: 'connection/*/*', handler: connect },
  { method: 'GET', path: 'connection/*/*/*', handler: connect },
  { method: 'GET', path: 'client/*/*', handler: fetchLink },
  { method: 'GET', path: 'config', handler: lists.config },
  { method: 'GET', path: 'system/overview', handler: lists.overview },
  { method: 'GET', path: 'servicespools', handler: lists.pools },
  { method: 'GET', path: 'servicespools/*', handler: lists.pool },
  { method: 'PUT', path: 'servicespools/*', handler: writing.savePool },
  { method: 'GET', path: 'servicespools/*/access', handler: lists.accessRules },
  { method: 'GET', path: 'servicespools/*/services', handler: lists.services },
  { method: 'GET', path: 'servicespools/*/cache', handler: lists.cache },
  { method: 'GET', path: 'servicespools/*/setFallbackAccess', handler: writing.setAccess, modes: before5 },
  { method: 'POST', path: 'servicespools/*/fallback_access', handler: writing.setAccess, modes: from5 },
  ...['services', 'cache'].flatMap((part): Route[] => [
    { method: 'GET', path: `servicespools/*/${part}/*`, handler: writing.oneDesktop },
    { method: 'DELETE', path: `servicespools/*/${part}/*`, handler: writing.remove },
  ]),
  { method: 'GET', path: 'servicespools/*/services/*/reset', handler: writing.reset, modes: before5 },
  { method: 'POST', path: 'servicespools/*/services/*/reset', handler: writing.reset, modes: from5 },
  { method: 'GET', path: 'servicespools/*/cache/*/reset', handler: writing.noReset, modes: before5 },
  { method: 'POST', path: 'servicespools/*/cache/*/reset', handler: writing.noReset, modes: from5 },
  { method: 'PUT', path: 'servicespools/*/services/*', handler: writing.assign },
  { method: 'GET', path: 'metapools/*/pools', handler: lists.metaPoolMembers },
  { method: 'GET', path: 'transports', handler: lists.transports },
  { method: 'GET', path: 'transports/*', handler: lists.transport },
  { method: 'GET', path: 'osmanagers/*', handler: lists.osManager },
  { method: 'GET', path: 'authenticators/*/users', handler: lists.users },
  { method: 'GET', path: 'authenticators/*/users/*', handler: lists.user },
  {
    method: 'GET',
    path: 'authenticators/*/users/*/userServices',
    handler: lists.userDesktops,
    modes: before5,
  },
  {
    method: 'GET',
    path: 'authenticators/*/users/*/user_services',
    handler: lists.userDesktops,
    modes: from5,
  },
  { method: 'GET', path: 'authenticators/*/groups', handler: lists.groups },
  { method: 'GET', path: 'providers/*/maintenance', handler: writing.toggleProvider, modes: before5 },
  { method: 'POST', path: 'providers/*/maintenance', handler: writing.toggleProvider, modes: from5 },
];

export type Router = (ask: Ask) => Reply | Promise<Reply>;

/** An unknown path is 404, another method of a known path 405 with `Allow`. */
export function createRouter(delays: Delays): Router {
  const routes = routesWith(delays);
  return (ask) => {
    const fitting = routes.filter(
      ({ path, modes = [ask.mode] }) => modes.includes(ask.mode) && idsIn(path, ask.path) !== undefined,
    );
    const route = fitting.find(({ method }) => method === ask.method);
    if (route) return route.handler(ask, ...(idsIn(route.path, ask.path) ?? []));
    if (fitting.length === 0) return fault(ask, 404, 'Method not found');
    const allow = fitting.map(({ method }) => method).join(', ');
    return { ...fault(ask, 405, `Method not allowed, use ${allow}`), headers: { allow } };
  };
}

/** @returns the segments for `*`; undefined if the path is another one */
function idsIn(pattern: string, path: readonly string[]): string[] | undefined {
  const parts = pattern.split('/');
  if (parts.length !== path.length) return undefined;
  const isFitting = parts.every((part, at) => part === '*' || part === path[at]);
  return isFitting ? path.filter((_, at) => parts[at] === '*') : undefined;
}
