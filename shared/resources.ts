/**
 * Every kind of object that the portal speaks of, by its type, as it stands in operation ids, references, the audit and the
 * journal. `one` and `many` are the words of documents, `permissions` the first half of the permissions to read and write
 * it, null where an operation of another kind shows it. `lies` says where:
 * - `in_sites`: in one site, or in several; a caller sees it who has one of them in scope (`db/repositories/records/object-sites.ts`)
 * - `nowhere`: in no site; a caller sees it who has the permission, with any scope
 * - `everywhere`: about the whole installation; only the scope `*` sees it
 */
export const resources = {
  agent: { one: 'a session agent', many: 'session agents', permissions: null, siteScope: 'everywhere' },
  audit: {
    one: 'an audit event',
    many: 'audit events',
    permissions: 'audit',
    siteScope: 'everywhere',
  },
  audit_checkpoint: {
    one: 'an audit checkpoint',
    many: 'audit checkpoints',
    permissions: 'audit',
    siteScope: 'everywhere',
  },
  authenticator: {
    one: 'an authentication domain',
    many: 'authentication domains',
    permissions: 'authenticators',
    siteScope: 'nowhere',
  },
  dispatcher: {
    one: 'a dispatcher node',
    many: 'dispatcher nodes',
    permissions: 'dispatchers',
    siteScope: 'in_sites',
  },
  export: { one: 'an export', many: 'exports', permissions: null, siteScope: 'everywhere' },
  farm: {
    one: 'a farm',
    many: 'farms',
    permissions: 'farms',
    siteScope: 'in_sites',
  },
  gateway: { one: 'a gateway', many: 'gateways', permissions: 'gateways', siteScope: 'in_sites' },
  group: { one: 'a domain group', many: 'domain groups', permissions: 'groups', siteScope: 'nowhere' },
  job: { one: 'a job', many: 'jobs', permissions: null, siteScope: 'everywhere' },
  keys: { one: 'a key', many: 'keys', permissions: null, siteScope: 'everywhere' },
  maintenance_template: {
    one: 'a maintenance template',
    many: 'maintenance templates',
    permissions: 'maintenance',
    siteScope: 'nowhere',
  },
  maintenance_window: {
    one: 'a maintenance window',
    many: 'maintenance windows',
    permissions: 'maintenance',
    siteScope: 'in_sites',
  },
  monitoring_record: {
    one: 'a monitoring record',
    many: 'monitoring records',
    permissions: 'monitoring',
    siteScope: 'everywhere',
  },
  peer: { one: 'a peer aggregator', many: 'peer aggregators', permissions: 'peers', siteScope: 'nowhere' },
  portal: { one: 'a portal', many: 'portals', permissions: 'portals', siteScope: 'nowhere' },
  priority_group: {
    one: 'a priority group',
    many: 'priority groups',
    permissions: 'priority_groups',
    siteScope: 'in_sites',
  },
  role: { one: 'a role', many: 'roles', permissions: 'roles', siteScope: 'nowhere' },
  rule: {
    one: 'a rule',
    many: 'rules',
    permissions: 'rules',
    siteScope: 'in_sites',
  },
  service: { one: 'a service', many: 'services', permissions: null, siteScope: 'everywhere' },
  service_token: {
    one: 'a service token',
    many: 'service tokens',
    permissions: 'users',
    siteScope: 'nowhere',
  },
  servicespool: {
    one: 'a service pool',
    many: 'service pools',
    permissions: 'servicespools',
    siteScope: 'in_sites',
  },
  session: { one: 'a login session', many: 'login sessions', permissions: 'users', siteScope: 'nowhere' },
  site: { one: 'a site', many: 'sites', permissions: 'sites', siteScope: 'in_sites' },
  spsession: {
    one: 'a workplace session',
    many: 'workplace sessions',
    permissions: 'spsessions',
    siteScope: 'in_sites',
  },
  system_parameter: {
    one: 'a system parameter',
    many: 'system parameters',
    permissions: 'system_parameters',
    siteScope: 'nowhere',
  },
  tag: { one: 'a tag', many: 'tags', permissions: 'tags', siteScope: 'nowhere' },
  theme: { one: 'a theme', many: 'themes', permissions: 'themes', siteScope: 'nowhere' },
  user: { one: 'a domain user', many: 'domain users', permissions: 'users', siteScope: 'nowhere' },
  workplace: { one: 'a workplace', many: 'workplaces', permissions: 'workplaces', siteScope: 'in_sites' },
} as const satisfies Record<string, Kind>;

type Kind = {
  one: string;
  many: string;
  permissions: string | null;
  siteScope: 'in_sites' | 'nowhere' | 'everywhere';
};

export type ResourceType = keyof typeof resources;

/** The types of objects that lie in sites. */
export type SitedType = {
  [T in ResourceType]: (typeof resources)[T]['siteScope'] extends 'in_sites' ? T : never;
}[ResourceType];

export const resourceTypes = Object.keys(resources).filter((type): type is ResourceType => type in resources);
