/**
 * Every kind of object that the portal speaks of, by its type, as it stands in operation ids, references, the audit and the
 * journal. `one` and `many` are the words of documents, `permissions` the first half of the permissions to read and write
 * it, null where an operation of another kind shows it. `lies` says where:
 * - `in_sites`: in one site, or in several; a caller sees it who has one of them in scope (`db/repositories/records/placement.ts`)
 * - `nowhere`: in no site; a caller sees it who has the permission, with any scope
 * - `everywhere`: about the whole installation; only the scope `*` sees it
 */
export const resources = {
  agent: { one: 'a session agent', many: 'session agents', permissions: null, lies: 'everywhere' },
  audit: {
    one: 'an audit event',
    many: 'audit events',
    permissions: 'audit',
    lies: 'everywhere',
  },
  audit_checkpoint: {
    one: 'an audit checkpoint',
    many: 'audit checkpoints',
    permissions: 'audit',
    lies: 'everywhere',
  },
  authenticator: {
    one: 'an authentication domain',
    many: 'authentication domains',
    permissions: 'authenticators',
    lies: 'nowhere',
  },
  dispatcher: {
    one: 'a dispatcher node',
    many: 'dispatcher nodes',
    permissions: 'dispatchers',
    lies: 'in_sites',
  },
  export: { one: 'an export', many: 'exports', permissions: null, lies: 'everywhere' },
  farm: {
    one: 'a farm',
    many: 'farms',
    permissions: 'farms',
    lies: 'in_sites',
  },
  gateway: { one: 'a gateway', many: 'gateways', permissions: 'gateways', lies: 'in_sites' },
  group: { one: 'a domain group', many: 'domain groups', permissions: 'groups', lies: 'nowhere' },
  job: { one: 'a job', many: 'jobs', permissions: null, lies: 'everywhere' },
  keys: { one: 'a key', many: 'keys', permissions: null, lies: 'everywhere' },
  maintenance_template: {
    one: 'a maintenance template',
    many: 'maintenance templates',
    permissions: 'maintenance',
    lies: 'nowhere',
  },
  maintenance_window: {
    one: 'a maintenance window',
    many: 'maintenance windows',
    permissions: 'maintenance',
    lies: 'in_sites',
  },
  monitoring_record: {
    one: 'a monitoring record',
    many: 'monitoring records',
    permissions: 'monitoring',
    lies: 'everywhere',
  },
  peer: { one: 'a peer aggregator', many: 'peer aggregators', permissions: 'peers', lies: 'nowhere' },
  portal: { one: 'a portal', many: 'portals', permissions: 'portals', lies: 'nowhere' },
  priority_group: {
    one: 'a priority group',
    many: 'priority groups',
    permissions: 'priority_groups',
    lies: 'in_sites',
  },
  role: { one: 'a role', many: 'roles', permissions: 'roles', lies: 'nowhere' },
  rule: {
    one: 'a rule',
    many: 'rules',
    permissions: 'rules',
    lies: 'in_sites',
  },
  service: { one: 'a service', many: 'services', permissions: null, lies: 'everywhere' },
  service_token: { one: 'a service token', many: 'service tokens', permissions: 'users', lies: 'nowhere' },
  servicespool: {
    one: 'a service pool',
    many: 'service pools',
    permissions: 'servicespools',
    lies: 'in_sites',
  },
  session: { one: 'a login session', many: 'login sessions', permissions: 'users', lies: 'nowhere' },
  site: { one: 'a site', many: 'sites', permissions: 'sites', lies: 'in_sites' },
  spsession: {
    one: 'a workplace session',
    many: 'workplace sessions',
    permissions: 'spsessions',
    lies: 'in_sites',
  },
  system_parameter: {
    one: 'a system parameter',
    many: 'system parameters',
    permissions: 'system_parameters',
    lies: 'nowhere',
  },
  tag: { one: 'a tag', many: 'tags', permissions: 'tags', lies: 'nowhere' },
  theme: { one: 'a theme', many: 'themes', permissions: 'themes', lies: 'nowhere' },
  user: { one: 'a domain user', many: 'domain users', permissions: 'users', lies: 'nowhere' },
  workplace: { one: 'a workplace', many: 'workplaces', permissions: 'workplaces', lies: 'in_sites' },
} as const satisfies Record<string, Kind>;

type Kind = {
  one: string;
  many: string;
  permissions: string | null;
  lies: 'in_sites' | 'nowhere' | 'everywhere';
};

export type ResourceType = keyof typeof resources;

/** The types of objects that lie in sites. */
export type SitedType = {
  [T in ResourceType]: (typeof resources)[T]['lies'] extends 'in_sites' ? T : never;
}[ResourceType];

export const resourceTypes = Object.keys(resources).filter((type): type is ResourceType => type in resources);
