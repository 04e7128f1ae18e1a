insert into fleet_versions (name, version) values ('topology', 1), ('entitlement', 1);
--> statement-breakpoint
-- One statement of a change moves the counter once; it becomes visible with the change, never before.
create function move_version() returns trigger language plpgsql as $$
begin
  update fleet_versions set version = version + 1 where name = any (tg_argv);
  return null;
end $$;
--> statement-breakpoint
create trigger sites_version after insert or delete or update of name, uri, enabled, maintenance, maintenance_template_id, priority
  on sites for each statement execute function move_version('topology', 'entitlement');
--> statement-breakpoint
create trigger farms_version after insert or delete or update of name, site_id, enabled, maintenance, maintenance_template_id, weight, balancing
  on farms for each statement execute function move_version('topology', 'entitlement');
--> statement-breakpoint
create trigger dispatchers_version after insert or delete or update of name, farm_id, kind, url, enabled, priority, verify_tls, ca_certificate, timeout_ms
  on dispatchers for each statement execute function move_version('topology');
--> statement-breakpoint
create trigger site_authenticators_version after insert or delete or update on site_authenticators for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger site_users_version after insert or delete or update on site_users for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger site_groups_version after insert or delete or update on site_groups for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger groups_version after delete or update of name, state, type, meta_if_any on groups for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger group_parts_version after insert or delete or update on group_parts for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger group_members_version after insert or delete or update on group_members for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger rules_version after insert or delete or update on rules for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger rule_members_version after insert or delete or update on rule_members for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger rule_users_version after insert or delete or update on rule_users for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger rule_groups_version after insert or delete or update on rule_groups for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger priority_groups_version after insert or delete or update on priority_groups for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger priority_group_farms_version after insert or delete or update on priority_group_farms for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger priority_group_users_version after insert or delete or update on priority_group_users for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger priority_group_groups_version after insert or delete or update on priority_group_groups for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger users_version after delete or update of name, state, authenticator_id on users for each statement execute function move_version('entitlement');
--> statement-breakpoint
create trigger authenticators_version after delete or update of name, small_name, state on authenticators for each statement execute function move_version('entitlement');
