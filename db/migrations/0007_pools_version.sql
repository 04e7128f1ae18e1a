-- Rules cover pools by what these columns say, so services lists that were made with other ones no longer hold. What
-- changes from minute to minute, like the counts, moves nothing.
create trigger pools_version after insert or delete on pools for each row execute function move_version('entitlement');
--> statement-breakpoint
create trigger pools_version_changed after update on pools for each row
  when ((old.name, old.short_name, old.visible, old.maintenance, old.maintenance_message, old.maintenance_template_id, old.protocols, old.tags)
    is distinct from
    (new.name, new.short_name, new.visible, new.maintenance, new.maintenance_message, new.maintenance_template_id, new.protocols, new.tags))
  execute function move_version('entitlement');
