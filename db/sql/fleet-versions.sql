-- Increments the version `entitlement` when a transaction changes what users may use or what exists. It does so once for each
-- transaction, at its end: the row of the version is locked for a moment only, and never while another lock is awaited.
create or replace function bump_fleet_version() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('aggregator.version_moved', true), '') <> pg_current_xact_id()::text then
    perform set_config('aggregator.version_moved', pg_current_xact_id()::text, true);
    update fleet_versions set version = version + 1 where name = 'entitlement';
  end if;
  return null;
end $$;

drop trigger if exists sites_version on sites;
create constraint trigger sites_version
  after insert or delete or update of name, uri, enabled, maintenance, maintenance_template_id, priority on sites
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists farms_version on farms;
create constraint trigger farms_version
  after insert or delete or update of name, site_id, enabled, maintenance, maintenance_template_id, weight, balancing, creates_users, identity_domains on farms
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists dispatchers_version on dispatchers;
create constraint trigger dispatchers_version
  after insert or delete or update of name, farm_id, kind, url, enabled, priority, verify_tls, ca_certificate, timeout_ms,
    account_domain, account_name, account_password, public_url on dispatchers
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists site_authenticators_version on site_authenticators;
create constraint trigger site_authenticators_version
  after insert or delete or update on site_authenticators
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists site_users_version on site_users;
create constraint trigger site_users_version
  after insert or delete or update on site_users
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists site_groups_version on site_groups;
create constraint trigger site_groups_version
  after insert or delete or update on site_groups
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists groups_version on groups;
create constraint trigger groups_version
  after delete or update of name, state, type, meta_if_any on groups
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists group_parts_version on group_parts;
create constraint trigger group_parts_version
  after insert or delete or update on group_parts
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists group_members_version on group_members;
create constraint trigger group_members_version
  after insert or delete or update on group_members
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists rules_version on rules;
create constraint trigger rules_version
  after insert or delete or update on rules
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists rule_members_version on rule_members;
create constraint trigger rule_members_version
  after insert or delete or update on rule_members
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists rule_users_version on rule_users;
create constraint trigger rule_users_version
  after insert or delete or update on rule_users
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists rule_groups_version on rule_groups;
create constraint trigger rule_groups_version
  after insert or delete or update on rule_groups
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists priority_groups_version on priority_groups;
create constraint trigger priority_groups_version
  after insert or delete or update on priority_groups
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists priority_group_farms_version on priority_group_farms;
create constraint trigger priority_group_farms_version
  after insert or delete or update on priority_group_farms
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists priority_group_users_version on priority_group_users;
create constraint trigger priority_group_users_version
  after insert or delete or update on priority_group_users
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists priority_group_groups_version on priority_group_groups;
create constraint trigger priority_group_groups_version
  after insert or delete or update on priority_group_groups
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists users_version on users;
create constraint trigger users_version
  after delete or update of name, state, authenticator_id on users
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists authenticators_version on authenticators;
create constraint trigger authenticators_version
  after delete or update of name, small_name, state on authenticators
  deferrable initially deferred for each row execute function bump_fleet_version();

-- Rules select pools by the columns below, so a change of them invalidates cached service lists. Values that change every
-- minute, such as counts, increment nothing.
drop trigger if exists pools_version on pools;
create constraint trigger pools_version
  after insert or delete on pools
  deferrable initially deferred for each row execute function bump_fleet_version();

drop trigger if exists pools_version_changed on pools;
create constraint trigger pools_version_changed
  after update on pools
  deferrable initially deferred for each row
  when ((old.name, old.short_name, old.visible, old.maintenance, old.maintenance_message, old.maintenance_template_id, old.protocols, old.tags)
    is distinct from
    (new.name, new.short_name, new.visible, new.maintenance, new.maintenance_message, new.maintenance_template_id, new.protocols, new.tags))
  execute function bump_fleet_version();

revoke execute on function bump_fleet_version() from public;
