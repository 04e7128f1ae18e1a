/**
 * The types of objects, as they occur in operation ids, references, audit events and the monitoring journal. `one` and
 * `many` are the words in documents. `permissions` is the first half of the permissions to read and write the type, or
 * null if operations of another type return it. `siteScope` determines which callers see an object:
 * - `by_site`: it belongs to one or more sites, and one of them must be in the scope of the caller
 *   (`db/repositories/records/object-sites.ts`)
 * - `any_scope`: it belongs to no site; the permission in any scope is sufficient
 * - `all_sites`: it concerns the whole installation and requires the scope `*`
 */
export const resources = {
  agent: { one: 'a session agent', many: 'session agents', permissions: null, siteScope: 'all_sites' },
  audit: {
    one: 'an audit event',
    many: 'audit events',
    permissions: 'audit',
    siteScope: 'all_sites',
  },
  audit_checkpoint: {
    one: 'an audit checkpoint',
    many: 'audit checkpoints',
    permissions: 'audit',
    siteScope: 'all_sites',
  },
  authenticator: {
    one: 'an authentication domain',
    many: 'authentication domains',
    permissions: 'authenticators',
    siteScope: 'any_scope',
  },
  dispatcher: {
    one: 'a dispatcher node',
    many: 'dispatcher nodes',
    permissions: 'dispatchers',
    siteScope: 'by_site',
  },
  export: { one: 'an export', many: 'exports', permissions: null, siteScope: 'all_sites' },
  farm: {
    one: 'a farm',
    many: 'farms',
    permissions: 'farms',
    siteScope: 'by_site',
  },
  gateway: { one: 'a gateway', many: 'gateways', permissions: 'gateways', siteScope: 'by_site' },
  group: { one: 'a domain group', many: 'domain groups', permissions: 'groups', siteScope: 'any_scope' },
  job: { one: 'a job', many: 'jobs', permissions: null, siteScope: 'all_sites' },
  keys: { one: 'a key', many: 'keys', permissions: null, siteScope: 'all_sites' },
  lock_out: { one: 'a lock-out', many: 'lock-outs', permissions: 'users', siteScope: 'any_scope' },
  maintenance_template: {
    one: 'a maintenance template',
    many: 'maintenance templates',
    permissions: 'maintenance',
    siteScope: 'any_scope',
  },
  maintenance_window: {
    one: 'a maintenance window',
    many: 'maintenance windows',
    permissions: 'maintenance',
    siteScope: 'by_site',
  },
  monitoring_record: {
    one: 'a monitoring record',
    many: 'monitoring records',
    permissions: 'monitoring',
    siteScope: 'all_sites',
  },
  peer: { one: 'a peer aggregator', many: 'peer aggregators', permissions: 'peers', siteScope: 'any_scope' },
  picture: { one: 'a picture', many: 'pictures', permissions: 'pictures', siteScope: 'any_scope' },
  portal: { one: 'a portal', many: 'portals', permissions: 'portals', siteScope: 'any_scope' },
  priority_group: {
    one: 'a priority group',
    many: 'priority groups',
    permissions: 'priority_groups',
    siteScope: 'by_site',
  },
  role: { one: 'a role', many: 'roles', permissions: 'roles', siteScope: 'any_scope' },
  rule: {
    one: 'a rule',
    many: 'rules',
    permissions: 'rules',
    siteScope: 'by_site',
  },
  service: { one: 'a service', many: 'services', permissions: null, siteScope: 'all_sites' },
  service_token: {
    one: 'a service token',
    many: 'service tokens',
    permissions: 'users',
    siteScope: 'any_scope',
  },
  servicespool: {
    one: 'a service pool',
    many: 'service pools',
    permissions: 'servicespools',
    siteScope: 'by_site',
  },
  session: { one: 'a login session', many: 'login sessions', permissions: 'users', siteScope: 'any_scope' },
  site: { one: 'a site', many: 'sites', permissions: 'sites', siteScope: 'by_site' },
  spsession: {
    one: 'a workplace session',
    many: 'workplace sessions',
    permissions: 'spsessions',
    siteScope: 'by_site',
  },
  system_parameter: {
    one: 'a system parameter',
    many: 'system parameters',
    permissions: 'system_parameters',
    siteScope: 'any_scope',
  },
  tag: { one: 'a tag', many: 'tags', permissions: 'tags', siteScope: 'any_scope' },
  theme: { one: 'a theme', many: 'themes', permissions: 'themes', siteScope: 'any_scope' },
  user: { one: 'a domain user', many: 'domain users', permissions: 'users', siteScope: 'any_scope' },
  webhook: { one: 'a webhook', many: 'webhooks', permissions: 'webhooks', siteScope: 'all_sites' },
  workplace: { one: 'a workplace', many: 'workplaces', permissions: 'workplaces', siteScope: 'by_site' },
} as const satisfies Record<string, Kind>;

type Kind = {
  one: string;
  many: string;
  permissions: string | null;
  siteScope: 'by_site' | 'any_scope' | 'all_sites';
};

export type ResourceType = keyof typeof resources;

/** The types of objects that belong to sites. */
export type SitedType = {
  [T in ResourceType]: (typeof resources)[T]['siteScope'] extends 'by_site' ? T : never;
}[ResourceType];

export const resourceTypes = Object.keys(resources).filter((type): type is ResourceType => type in resources);
