insert into fleet_versions (name, version) values ('entitlement', 1);
--> statement-breakpoint
-- A transaction that changes who may use what, or what there is, moves the counter once, as the last thing it does: the
-- row of the counter is locked for a moment only, and never while another lock is waited for.
create function move_version() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('aggregator.version_moved', true), '') <> pg_current_xact_id()::text then
    perform set_config('aggregator.version_moved', pg_current_xact_id()::text, true);
    update fleet_versions set version = version + 1 where name = 'entitlement';
  end if;
  return null;
end $$;
--> statement-breakpoint
create constraint trigger sites_version after insert or delete or update of name, uri, enabled, maintenance, maintenance_template_id, priority
  on sites deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger farms_version after insert or delete or update of name, site_id, enabled, maintenance, maintenance_template_id, weight, balancing
  on farms deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger dispatchers_version after insert or delete or update of name, farm_id, kind, url, enabled, priority, verify_tls, ca_certificate, timeout_ms
  on dispatchers deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger site_authenticators_version after insert or delete or update on site_authenticators deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger site_users_version after insert or delete or update on site_users deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger site_groups_version after insert or delete or update on site_groups deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger groups_version after delete or update of name, state, type, meta_if_any on groups deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger group_parts_version after insert or delete or update on group_parts deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger group_members_version after insert or delete or update on group_members deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger rules_version after insert or delete or update on rules deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger rule_members_version after insert or delete or update on rule_members deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger rule_users_version after insert or delete or update on rule_users deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger rule_groups_version after insert or delete or update on rule_groups deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger priority_groups_version after insert or delete or update on priority_groups deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger priority_group_farms_version after insert or delete or update on priority_group_farms deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger priority_group_users_version after insert or delete or update on priority_group_users deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger priority_group_groups_version after insert or delete or update on priority_group_groups deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger users_version after delete or update of name, state, authenticator_id on users deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger authenticators_version after delete or update of name, small_name, state on authenticators deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
-- Rules cover pools by what these columns say, so services lists that were made with other ones no longer hold. What
-- changes from minute to minute, like the counts, moves nothing.
create constraint trigger pools_version after insert or delete on pools deferrable initially deferred for each row execute function move_version();
--> statement-breakpoint
create constraint trigger pools_version_changed after update on pools deferrable initially deferred for each row
  when ((old.name, old.short_name, old.visible, old.maintenance, old.maintenance_message, old.maintenance_template_id, old.protocols, old.tags)
    is distinct from
    (new.name, new.short_name, new.visible, new.maintenance, new.maintenance_message, new.maintenance_template_id, new.protocols, new.tags))
  execute function move_version();
