import { type ResourceType, resources } from '../resources.ts';

/** The actions of each resource. A permission is `<resource>.<action>`. The list is closed. */
const actions = {
  audit: ['read', 'export'],
  authenticators: ['read', 'create', 'update', 'delete', 'test'],
  dashboard: ['read'],
  dispatchers: ['read', 'create', 'update', 'delete'],
  farms: ['read', 'create', 'update', 'delete'],
  gateways: ['read', 'create', 'update', 'delete'],
  groups: ['read', 'create', 'update', 'delete'],
  maintenance: ['read', 'create', 'update', 'delete'],
  monitoring: ['read', 'create', 'update', 'delete', 'export'],
  peers: ['read', 'create', 'update', 'delete'],
  pictures: ['read', 'create', 'update', 'delete'],
  portals: ['read', 'update', 'delete', 'export'],
  priority_groups: ['read', 'create', 'update', 'delete'],
  roles: ['read', 'create', 'update', 'delete'],
  rules: ['read', 'create', 'update', 'delete', 'explain'],
  scim: ['provision'],
  servicespools: ['read', 'update', 'maintenance'],
  sites: ['read', 'create', 'update', 'delete'],
  spsessions: ['read', 'disconnect', 'logoff', 'assist'],
  system_parameters: ['read', 'update'],
  tags: ['read', 'create', 'update', 'delete', 'export'],
  themes: ['update'],
  users: ['read', 'create', 'update', 'delete'],
  webhooks: ['read', 'create', 'update', 'delete'],
  workplaces: [
    'read',
    'update',
    'delete',
    'assign',
    'power',
    'maintenance',
    'message',
    'refresh',
    'tag',
    'force',
  ],
} as const;

type Actions = typeof actions;
/** The part of a permission before the dot. */
export type Resource = keyof Actions;
export type Permission = { [R in keyof Actions]: `${R}.${Actions[R][number]}` }[keyof Actions];

/** Every permission, ordered by resource. */
export const permissions: readonly Permission[] = Object.entries(actions).flatMap(([resource, verbs]) =>
  verbs.map((verb) => `${resource}.${verb}` as Permission),
);

const known: ReadonlySet<string> = new Set(permissions);
export const isPermission = (text: string): text is Permission => known.has(text);

/** The permission of a service token with which an identity provider maintains the users of a domain. */
export const provisioning: Permission = 'scim.provision';

/** True for the permissions of a token for provisioning: that one and no other. */
export const isForProvisioning = (granted: readonly string[]): boolean => granted.includes(provisioning);

/** The permission to read objects of a type. Undefined if no operation lists them. */
export function readPermissionOf(type: ResourceType): Permission | undefined {
  const resource: Resource | null = resources[type].permissions;
  const permission = `${resource}.read`;
  return isPermission(permission) ? permission : undefined;
}

/** The part of a permission after the dot. */
export type Action = { [R in Resource]: Actions[R][number] }[Resource];

export const resourceOf = (permission: Permission): Resource => permission.split('.')[0] as Resource;
export const actionOf = (permission: Permission): Action => permission.split('.')[1] as Action;

const all = (matches: (resource: string, action: string) => boolean): Permission[] =>
  permissions.filter((permission) => matches(resourceOf(permission), actionOf(permission)));

const reads = all((_, action) => action === 'read');
const of = (...resources: string[]): Permission[] => all((resource) => resources.includes(resource));

/** Permissions whose operations concern the whole installation. They grant nothing for some of the sites. */
export const permissionsForAllSites: ReadonlySet<Permission> = new Set([
  ...of('audit', 'scim'),
  ...[
    ...of('authenticators', 'groups', 'maintenance', 'monitoring', 'peers', 'pictures', 'portals', 'roles'),
    ...of('system_parameters', 'tags', 'themes', 'users', 'webhooks'),
  ].filter((permission) => !['read', 'test'].includes(actionOf(permission))),
]);

/** The built-in roles of every installation. Their permissions depend on the version of the portal. */
export const builtinRoles: readonly { name: string; comments: string; permissions: readonly Permission[] }[] =
  [
    { name: 'administrator', comments: 'Has all permissions', permissions },
    {
      name: 'operator',
      comments: 'Manages workplaces, sessions, pools and maintenance; can read everything',
      permissions: [
        ...new Set([...reads, ...of('workplaces', 'spsessions', 'servicespools', 'maintenance')]),
      ],
    },
    {
      name: 'auditor',
      comments: 'Can read and export everything',
      permissions: [...new Set([...reads, ...all((_, action) => action === 'export')])],
    },
    {
      name: 'support',
      comments: 'Supports users with sessions, messages and remote assistance; can read everything',
      permissions: [
        ...new Set<Permission>([...reads, ...of('spsessions'), 'workplaces.message', 'rules.explain']),
      ],
    },
  ];
