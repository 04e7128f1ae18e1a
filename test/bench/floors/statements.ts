/** A hand-written statement. On `pg` it is sent under its name, so that the server plans it once per connection. */
export type NamedStatement = { name: string; text: string };

/** The session by the unique hash of its token; user, domain and roles are read only by what shows them. */
export const session: NamedStatement = {
  name: 'session',
  text: `select user_id, portal, created_at, last_seen_at from login_sessions where token_hash = $1`,
};

export const domains: NamedStatement = {
  name: 'domains',
  text: `
    select id as "authUuid", name as auth, small_name as "authSmallName", type, priority, two_factor as "isTwoFactor",
      case when params ? 'issuer' then 'redirect' else 'password' end as flow, params ? 'kerberos' as "isPkinit",
      false as "isCustom"
    from authenticators where state = 'visible' and subjects <> 'staff' order by priority, name_key`,
};

/** The sites that a user ($1) may use: by domain, by name or by a group. */
const usableSites = `
  select s.id, s.uri, s.name, s.name_key from sites s where s.enabled and (
    exists(select from users u join site_authenticators a on a.authenticator_id = u.authenticator_id
      where u.id = $1 and a.site_id = s.id)
    or exists(select from site_users m where m.user_id = $1 and m.site_id = s.id)
    or exists(select from group_members g join site_groups m on m.group_id = g.group_id
      where g.user_id = $1 and m.site_id = s.id))`;

/** The kinds of second factors that a user has. */
const factors = `
  select exists(select from second_factors where user_id = u.id) as totp,
    exists(select from passkeys where user_id = u.id) as passkey`;

export const account: NamedStatement = {
  name: 'account',
  text: `
    select u.id, u.name, u.real_name, u.email, u.language, u.must_change_password, u.last_login_at,
      u.password_hash is not null as has_password,
      json_build_object('enrolled', f.totp or f.passkey,
        'methods', array_remove(array[case when f.totp then 'totp' end, case when f.passkey then 'passkey' end], null),
        'required', d.two_factor and not exists(select from group_members m join groups g on g.id = m.group_id
          where m.user_id = u.id and g.skip_two_factor)) as two_factor,
      d.id as domain_id, d.name as domain_name, d.small_name, d.type as domain_type,
      (select coalesce(json_agg(json_build_object('id', r.id, 'name', r.name, 'permissions', r.permissions,
          'scope', r.scope) order by r.name_key), '[]')
        from user_roles m join roles r on r.id = m.role_id where m.user_id = u.id) as roles,
      (select coalesce(json_agg(json_build_object('id', g.id, 'name', g.name) order by g.name_key), '[]')
        from group_members m join groups g on g.id = m.group_id where m.user_id = u.id) as groups,
      (select coalesce(json_agg(json_build_object('id', s.id, 'uri', s.uri, 'name', s.name) order by s.name_key), '[]')
        from (${usableSites}) s) as sites
    from users u join authenticators d on d.id = u.authenticator_id, lateral (${factors}) f where u.id = $1`,
};

export const users: NamedStatement = {
  name: 'users',
  text: `
    select u.id, u.id as uuid, u.name, u.real_name, u.email, u.comments, u.state, u.kind, null as password,
      u.must_change_password, array(select group_id from group_members where user_id = u.id) as groups,
      array(select role_id from user_roles where user_id = u.id) as roles, u.password_hash is not null as password_set,
      u.attributes, (select totp or passkey from (${factors}) f) as two_factor_enrolled,
      (select max(locked_until) from login_locks
        where account = u.authenticator_id || '/' || u.name_key and locked_until > now()) as locked_until,
      u.last_login_at, u.created_at, u.updated_at
    from users u where u.authenticator_id = $1 order by u.name_key, u.id limit $2`,
};

export const workplaces: NamedStatement = {
  name: 'workplaces',
  text: `
    select w.uuid, w.name, w.farm_id, f.name as farm_name, f.site_id, s.name as site_name, w.servicepool_uuid,
      w.servicepool_name, w.unique_id, w.hostname, w.ip, w.state, w.machine_state, w.owner_domain, w.owner_name,
      w.in_use, w.in_use_since, w.client_ip, w.client_host, w.maintenance, w.tags, w.agent_version, w.agent_seen_at,
      w.node_revision as revision, w.made_at as created_at, greatest(p.fetched_at, w.touched_at) as fetched_at
    from (select * from workplaces order by name_key, id limit $1) w
      join farms f on f.id = w.farm_id join sites s on s.id = f.site_id
      left join farm_parts p on p.farm_id = f.id and p.kind = 'workplaces'
    order by w.name_key, w.id`,
};

const farmColumns = `s.id as site_id, s.uri as site_uri, s.name as site_name, f.id as farm_id, f.name as farm_name,
  f.enabled, f.maintenance or s.maintenance as maintenance`;

/** The state of the farms, which a page of workplaces contains. */
export const farmStates: NamedStatement = {
  name: 'farm states',
  text: `
    select ${farmColumns}, p.fetched_at, p.took_ms, p.error
    from farms f join sites s on s.id = f.site_id
      left join farm_parts p on p.farm_id = f.id and p.kind = 'workplaces'
    order by s.name_key, f.name_key`,
};

/** The farms of a site ($2) that the user may use, each with the cached services and the domains of a node. */
export const services: NamedStatement = {
  name: 'services',
  text: `
    select ${farmColumns}, l.fetched_at, l.services, n.domains
    from (${usableSites} and s.uri = $2) own join sites s on s.id = own.id join farms f on f.site_id = s.id
      left join service_lists l on l.farm_id = f.id and l.user_id = $1
      left join lateral (select d.domains from dispatchers d where d.farm_id = f.id and d.enabled
        order by d.domains_at desc nulls last limit 1) n on true
    order by f.name_key`,
};

/** A node of a farm ($3) of the site ($2), if the user may use it. */
export const node: NamedStatement = {
  name: 'node',
  text: `
    select d.id, d.name, d.url, d.ca_certificate
    from (${usableSites} and s.uri = $2) own join farms f on f.site_id = own.id and f.id = $3 and f.enabled
      join dispatchers d on d.farm_id = f.id and d.enabled
    order by d.priority limit 1`,
};

/** The name and the domain of a user, as dispatchers receive them. */
export const person: NamedStatement = {
  name: 'person',
  text: `select u.id, u.name, d.small_name from users u join authenticators d on d.id = u.authenticator_id where u.id = $1`,
};

/** The audit event of a connection. */
export const issued: NamedStatement = {
  name: 'issued',
  text: `
    insert into audit_events (id, at, event, category, level, result, user_id, portal, source_ip, method, path,
      object_type, object_id, details)
    values ($1, now(), 'aggregator.ConnectionIssued', 'workplace', 'info', 'success', $2, 'user', $3, 'GET', $4,
      'service', $5, $6)`,
};
