import type { ModuleName, PortalType } from '../../../shared/modules.ts';

export const portalTypes: readonly PortalType[] = ['admin', 'user', 'universal'];

/** The modules that the specification lists for each type of portal, except that of the health port. */
export const listedModules: Readonly<Record<PortalType, readonly ModuleName[]>> = {
  admin: ['agent', 'aggregator', 'ssa', 'auth', 'console', 'discover', 'federation', 'userinfo', 'webui'],
  user: [
    'agent',
    'aggregator',
    'ssa',
    'auth',
    'discover',
    'federation',
    'client',
    'home',
    'userinfo',
    'wsproxy',
  ],
  universal: [
    'agent',
    'aggregator',
    'ssa',
    'auth',
    'discover',
    'client',
    'console',
    'federation',
    'home',
    'userinfo',
    'webui',
    'wsproxy',
  ],
};

/** It needs a session of the administrator portal, so it is available where that is. */
const reference = /^\/api\/(docs|openapi\.\w+)(\/|$)/;

/** Whether a portal of the type has what the module serves at the path. */
export const isListed = ({ module, path }: { module: ModuleName; path: string }, type: PortalType): boolean =>
  listedModules[type].includes(module) && (type !== 'user' || !reference.test(path));
