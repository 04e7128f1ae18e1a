export type PortalType = 'admin' | 'user' | 'universal';
export type ModuleName =
  | 'discover'
  | 'agent'
  | 'aggregator'
  | 'ssa'
  | 'auth'
  | 'client'
  | 'console'
  | 'federation'
  | 'health'
  | 'home'
  | 'webui'
  | 'wsproxy'
  | 'userinfo';

export type ModuleFacts = {
  name: ModuleName;
  purpose: string;
  /** Where its endpoints start; `discover` returns the first one. */
  paths: readonly [string, ...string[]];
  /** Versions in its paths; none where paths carry no version segment. */
  versions: readonly string[];
  portals: readonly PortalType[];
  /** Its answers are `{ result, stamp, version, error? }`, refusals included; those of others are problem documents. */
  answers?: 'result';
};

const everywhere: readonly PortalType[] = ['admin', 'user', 'universal'];

/** The modules of the specification, by path and portal type. */
export const modules: readonly ModuleFacts[] = [
  {
    name: 'discover',
    purpose: 'list of the API modules of the portal',
    paths: [
      '/api/discover',
      '/livez',
      '/readyz',
      '/api/errors',
      '/api/docs',
      '/api/openapi.json',
      '/api/openapi.yaml',
    ],
    versions: [],
    portals: everywhere,
  },
  {
    name: 'agent',
    purpose: 'calls of workplace agents',
    paths: ['/api/agent'],
    versions: ['v7.0'],
    portals: everywhere,
    answers: 'result',
  },
  {
    name: 'aggregator',
    purpose: 'calls of other portals and peer aggregators',
    paths: ['/api/aggregator'],
    versions: ['v7.0'],
    portals: everywhere,
  },
  {
    name: 'ssa',
    purpose: 'calls of session agents',
    paths: ['/api/ssa'],
    versions: ['v7.0'],
    portals: everywhere,
    answers: 'result',
  },
  {
    name: 'auth',
    purpose: 'authentication of users and portals',
    paths: ['/api/auth', '/signin', '/signout'],
    versions: ['v7.0'],
    portals: everywhere,
  },
  {
    name: 'client',
    purpose: 'services and connections for client programs',
    paths: ['/aggregator/api/client'],
    versions: ['v7.0'],
    portals: ['user', 'universal'],
  },
  {
    name: 'console',
    purpose: 'pages of administrators',
    paths: ['/console', '/status'],
    versions: [],
    portals: ['admin', 'universal'],
  },
  {
    name: 'federation',
    purpose: 'identity providers, passkeys and provisioning',
    paths: [
      '/api/auth/v7.0/oidc',
      '/api/auth/v7.0/passkeys',
      '/scim',
      '/consent',
      '/device',
      '/.well-known/oauth-authorization-server',
    ],
    versions: [],
    portals: everywhere,
  },
  {
    name: 'health',
    purpose: 'health checks',
    paths: ['/aggregator/health'],
    versions: [],
    portals: everywhere,
  },
  {
    name: 'home',
    purpose: 'page of the user',
    paths: ['/home'],
    versions: [],
    portals: ['user', 'universal'],
  },
  {
    name: 'webui',
    purpose: 'administration',
    paths: ['/api/webui/aggregator'],
    versions: [],
    portals: ['admin', 'universal'],
  },
  {
    name: 'wsproxy',
    purpose: 'calls of gateways',
    paths: ['/api/wsproxy'],
    versions: ['v7.0'],
    portals: ['user', 'universal'],
  },
  {
    name: 'userinfo',
    purpose: 'profile and settings of the user',
    paths: ['/api/userinfo'],
    versions: [],
    portals: everywhere,
  },
];

/** @returns the module that serves a path, whatever the portal type: that with the longest matching start. */
export function moduleOf(path: string): ModuleFacts | undefined {
  const matching = starts.filter(({ start }) => path === start || path.startsWith(`${start}/`));
  return matching.toSorted((one, other) => other.start.length - one.start.length)[0]?.module;
}

const starts = modules.flatMap((module) => module.paths.map((start) => ({ start, module })));

/** Whether administrators have a portal of this type to work on. */
export const hasAdministration = (type: PortalType): boolean => type !== 'user';
