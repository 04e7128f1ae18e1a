-- Writes a row of `changes` for each object that a transaction changes, in that transaction. Triggers do so, because objects are
-- also changed by jobs, synchronizations and bulk statements, and because a write needs no further round trip for them. The
-- functions run as the owner, so that no process can write changes of its own; names are qualified for that.

-- The sites of an object. Null: it belongs to all sites, or its kind to none, and the reader decides by the kind. Empty: they are not
-- known, so that only the scope of all sites sees it. A kind that is not named here is never visible in a smaller scope.
create or replace function sites_of_object(kind text, object jsonb) returns uuid[] language plpgsql stable as $$
begin
  return case kind
    when 'site' then array[(object ->> 'id')::uuid]
    when 'farm' then array[(object ->> 'site_id')::uuid]
    when 'rule' then array[(object ->> 'site_id')::uuid]
    when 'dispatcher' then array(select site_id from public.farms where id = (object ->> 'farm_id')::uuid)
    when 'maintenance_window' then
      case when object ->> 'site_id' is null then array(select site_id from public.farms where id = (object ->> 'farm_id')::uuid)
      else array[(object ->> 'site_id')::uuid] end
    when 'gateway' then (select array_agg(site_id) from public.gateway_sites where gateway_id = (object ->> 'id')::uuid)
    when 'priority_group' then (
      select array_agg(distinct f.site_id) from public.priority_group_farms p join public.farms f on f.id = p.farm_id
      where p.priority_group_id = (object ->> 'id')::uuid)
    else case when kind in (
      'agent', 'audit', 'audit_checkpoint', 'authenticator', 'export', 'group', 'job', 'keys', 'lock_out',
      'maintenance_template', 'monitoring_record', 'peer', 'picture', 'portal', 'role', 'service', 'service_token', 'session',
      'system_parameter', 'tag', 'theme', 'user', 'webhook'
    ) then null else '{}'::uuid[] end
  end;
end $$;

-- The sites of a record of the monitoring journal: those of the object that it is about. As in the lists of records, a deleted
-- object and an unknown type belong to no site. The identifier is text, and that of an object of a node is unique only per farm.
create or replace function sites_of_monitoring_record(record jsonb) returns uuid[] language plpgsql stable as $$
declare
  about text := record ->> 'object_type';
  is_of_node boolean := about in ('servicespool', 'workplace', 'spsession');
  named text := case when is_of_node then record #>> '{details,farm_id}' else record ->> 'object_id' end;
  object jsonb;
begin
  if about is null or about in ('authenticator', 'group', 'lock_out', 'maintenance_template', 'peer', 'picture', 'portal', 'role', 'service_token', 'session',
    'system_parameter', 'tag', 'theme', 'user') then
    return null;
  end if;
  if named !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return '{}';
  end if;
  case
    when about = 'site' then select to_jsonb(o) into object from public.sites o where o.id = named::uuid;
    when about = 'farm' or is_of_node then select to_jsonb(o) into object from public.farms o where o.id = named::uuid;
    when about = 'dispatcher' then select to_jsonb(o) into object from public.dispatchers o where o.id = named::uuid;
    when about = 'gateway' then select to_jsonb(o) into object from public.gateways o where o.id = named::uuid;
    when about = 'rule' then select to_jsonb(o) into object from public.rules o where o.id = named::uuid;
    when about = 'priority_group' then select to_jsonb(o) into object from public.priority_groups o where o.id = named::uuid;
    when about = 'maintenance_window' then select to_jsonb(o) into object from public.maintenance_windows o where o.id = named::uuid;
    else object := null;
  end case;
  if object is null then
    return '{}';
  end if;
  return public.sites_of_object(case when is_of_node then 'farm' else about end, object);
end $$;

-- The signature before actions were noted.
drop function if exists note_change(text, text, text, uuid[]);

-- What a trigger notes of its operation: INSERT, UPDATE or DELETE.
create or replace function noted_action(operation text) returns text language sql immutable as $$
  select case operation when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'updated' end
$$;

-- Notes a change. An object is noted once per transaction, with all its sites: as created or deleted if it was, and as updated
-- otherwise. After 1000 changes of a transaction, further ones are noted once per kind, without an id, as updated.
create or replace function note_change(changed_kind text, changed_id text, changed_list text, at_sites uuid[], changed_by text)
returns void language plpgsql as $$
declare
  noted int := coalesce(nullif(current_setting('aggregator.changes_noted', true), ''), '0')::int;
begin
  if noted >= 1000 then
    changed_id := '';
    changed_list := '';
    changed_by := 'updated';
    if exists (
      select from public.changes c where c.xid = pg_current_xact_id() and c.kind = changed_kind and c.object_id = '' and c.list = ''
        and (c.sites is null or at_sites <@ c.sites)
    ) then
      return;
    end if;
  else
    perform set_config('aggregator.changes_noted', (noted + 1)::text, true);
  end if;
  insert into public.changes as c (kind, object_id, list, action, sites)
  values (changed_kind, changed_id, changed_list, changed_by,
    case when at_sites is not null then array(select distinct one from unnest(at_sites) as one order by one) end)
  on conflict (xid, kind, object_id, list) do update
    set sites = case when c.sites is null or excluded.sites is null then null
        else array(select distinct one from unnest(c.sites || excluded.sites) as one order by one) end,
      action = case when excluded.action = 'updated' then c.action
        when c.action = 'deleted' and excluded.action = 'created' then 'updated' else excluded.action end
    where (c.sites is not null and (excluded.sites is null or not excluded.sites <@ c.sites))
      or (excluded.action <> 'updated' and excluded.action <> c.action);
end $$;

-- After a change of a row. Arguments: kind, and the column of the id.
create or replace function note_row() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  object jsonb;
  at_sites uuid[];
begin
  if tg_op = 'DELETE' then
    object := to_jsonb(old);
  else
    object := to_jsonb(new);
  end if;
  at_sites := public.sites_of_object(tg_argv[0], object);
  if tg_op = 'UPDATE' then
    at_sites := at_sites || public.sites_of_object(tg_argv[0], to_jsonb(old));
  end if;
  perform public.note_change(tg_argv[0], object ->> tg_argv[1], '', at_sites, public.noted_action(tg_op));
  return null;
end $$;

-- The same for records of the monitoring journal, which can have other sites, or be visible in any scope, after an update.
create or replace function note_monitoring_record() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    perform public.note_change('monitoring_record', old.id::text, '', public.sites_of_monitoring_record(to_jsonb(old)), public.noted_action(tg_op));
  end if;
  if tg_op <> 'DELETE' then
    perform public.note_change('monitoring_record', new.id::text, '', public.sites_of_monitoring_record(to_jsonb(new)), public.noted_action(tg_op));
  end if;
  return null;
end $$;

-- A lock-out, with the identifier that the API computes for it. Failed logins that lock nothing are not noted, nor that the time of a
-- lock is over.
create or replace function note_lock_out() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  was_locked boolean := tg_op <> 'INSERT' and coalesce(old.locked_until > now(), false);
  is_locked boolean := tg_op <> 'DELETE' and coalesce(new.locked_until > now(), false);
  key text := case when tg_op = 'DELETE' then old.account || chr(10) || old.network else new.account || chr(10) || new.network end;
  digest text := left(encode(sha256(convert_to(key, 'UTF8')), 'hex'), 32);
begin
  if was_locked or is_locked then
    perform public.note_change('lock_out', overlay(overlay(digest placing '8' from 13) placing '8' from 17)::uuid::text, '', null,
      case when not was_locked then 'created' when is_locked then 'updated' else 'deleted' end);
  end if;
  return null;
end $$;

-- Gateways and priority groups get their sites from other rows, which are written after them and deleted before a trigger would
-- run after their deletion. So the sites are read before the change, and again when the transaction ends.
create or replace function note_row_before() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.note_change(tg_argv[0], old.id::text, '', public.sites_of_object(tg_argv[0], to_jsonb(old)), public.noted_action(tg_op));
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;

create or replace function note_row_at_end() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  still_exists boolean;
begin
  execute format('select exists (select from public.%I where id = $1)', tg_table_name) into still_exists using new.id;
  if still_exists then
    perform public.note_change(tg_argv[0], new.id::text, '', public.sites_of_object(tg_argv[0], to_jsonb(new)), public.noted_action(tg_op));
  end if;
  return null;
end $$;

-- What belongs to a farm, before the farm is deleted or after it has moved to another site.
create or replace function note_parts_of_farm() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  at_sites uuid[] := array[old.site_id];
begin
  if tg_op = 'UPDATE' then
    at_sites := at_sites || new.site_id;
    perform public.note_change('dispatcher', d.id::text, '', at_sites, 'updated') from public.dispatchers d where d.farm_id = old.id;
    perform public.note_change('priority_group', g.id::text, '', old.site_id || public.sites_of_object('priority_group', to_jsonb(g)), 'updated')
      from public.priority_groups g where g.id in (select p.priority_group_id from public.priority_group_farms p where p.farm_id = old.id);
  end if;
  perform public.note_change('maintenance_window', w.id::text, '', at_sites, 'updated') from public.maintenance_windows w where w.farm_id = old.id;
  perform public.note_change('snapshot', old.id::text, list, at_sites, 'updated') from unnest(array['servicespools', 'workplaces', 'spsessions']) as list;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return null;
end $$;

-- After a statement on the rows of a snapshot. Arguments: list, and kind of an object. A synchronization is noted once per farm and
-- list; an action of the portal, which sets `touched_at`, is also noted with its object. The time at which an agent was last seen
-- changes every minute and is not noted. Without nested loops, because the plan is made when the statement has few rows.
create or replace function note_rows_of_snapshot() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
declare
  unnoted constant text[] := '{touched_at,agent_seen_at}';
  changed record;
begin
  if tg_op = 'DELETE' then
    perform public.note_change('snapshot', f.id::text, tg_argv[0], array[f.site_id], 'updated') from public.farms f where f.id in (select farm_id from old_rows);
    return null;
  end if;
  for changed in
    select n.uuid, f.site_id from new_rows n join public.farms f on f.id = n.farm_id where n.touched_at > now() - interval '1 second'
  loop
    perform public.note_change(tg_argv[1], changed.uuid::text, '', array[changed.site_id], 'updated');
  end loop;
  for changed in select f.id, f.site_id from public.farms f where f.id in (select farm_id from new_rows) loop
    if tg_op = 'UPDATE' then
      continue when not exists (
        select from new_rows n join old_rows o on o.id = n.id
        where n.farm_id = changed.id and to_jsonb(n) - unnoted is distinct from to_jsonb(o) - unnoted);
    end if;
    perform public.note_change('snapshot', changed.id::text, tg_argv[0], array[changed.site_id], 'updated');
  end loop;
  return null;
end $$;

create or replace function note_removed_row() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.note_change(
    case new.kind when 'servicespools' then 'servicespool' when 'workplaces' then 'workplace' else 'spsession' end,
    new.uuid::text, '', array(select site_id from public.farms where id = new.farm_id), 'deleted');
  return null;
end $$;

create or replace function note_farm_part() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform public.note_change('snapshot', f.id::text, new.kind, array[f.site_id], 'updated') from public.farms f where f.id = new.farm_id;
  return null;
end $$;

revoke execute on function sites_of_object(text, jsonb), sites_of_monitoring_record(jsonb), noted_action(text), note_change(text, text, text, uuid[], text), note_row(), note_monitoring_record(), note_lock_out(), note_row_before(),
  note_row_at_end(), note_parts_of_farm(), note_rows_of_snapshot(), note_removed_row(), note_farm_part() from public;

-- The triggers of each table of objects: kind, column of the id, and the columns whose change alone is not noted, because probes,
-- heartbeats and logins write them. The rows of this query are applied as statements.
select format('drop trigger if exists %s on %I; create %s', trigger.name, noted.name, trigger.definition) as statement
from (
  values
    ('authenticators', 'authenticator', 'id', ''),
    ('dispatchers', 'dispatcher', 'id', 'circuit,circuit_failures,circuit_opened_at,circuit_probe_until,last_check_at,last_error,response_time_ms,certificate_notice,domains_at'),
    ('farms', 'farm', 'id', ''),
    ('gateways', 'gateway', 'id', 'process_counters,last_seen_at,reported_connections,reported_at,last_used_at,stats'),
    ('groups', 'group', 'id', ''),
    ('login_sessions', 'session', 'id', 'last_seen_at,idle_until'),
    ('maintenance_templates', 'maintenance_template', 'id', ''),
    ('maintenance_windows', 'maintenance_window', 'id', ''),
    ('monitoring_records', 'monitoring_record', 'id', ''),
    ('peers', 'peer', 'id', ''),
    ('pictures', 'picture', 'id', ''),
    ('portals', 'portal', 'id', 'last_seen_at,metrics'),
    ('priority_groups', 'priority_group', 'id', ''),
    ('roles', 'role', 'id', ''),
    ('rules', 'rule', 'id', ''),
    ('service_tokens', 'service_token', 'id', 'last_seen_at'),
    ('sites', 'site', 'id', ''),
    ('system_parameters', 'system_parameter', 'name', ''),
    ('tags', 'tag', 'id', ''),
    ('themes', 'theme', 'id', ''),
    ('users', 'user', 'id', 'last_login_at,directory_checked_at,card_fingerprint'),
    -- Deliveries would announce themselves.
    ('webhooks', 'webhook', 'id', 'is_pause_noted,dropped,failing_since,last_success_at')
) as noted (name, kind, key, ignored),
lateral (
  select noted.kind in ('gateway', 'priority_group') as has_late_sites,
    format('when ((to_jsonb(old.*) - %L::text[]) is distinct from (to_jsonb(new.*) - %1$L::text[]))',
      array_remove('{updated_at}' || string_to_array(noted.ignored, ','), '')) as if_changed,
    case noted.kind when 'monitoring_record' then 'note_monitoring_record()' else format('note_row(%L, %L)', noted.kind, noted.key) end as noter
) as part,
lateral (
  values
    (not has_late_sites, 'noted_change', format('trigger noted_change after insert or delete on %I for each row execute function %s',
      noted.name, noter)),
    (not has_late_sites, 'noted_update', format('trigger noted_update after update on %I for each row %s execute function %s',
      noted.name, if_changed, noter)),
    (has_late_sites, 'noted_change', format('trigger noted_change before delete on %I for each row execute function note_row_before(%L)',
      noted.name, noted.kind)),
    (has_late_sites, 'noted_update', format('trigger noted_update before update on %I for each row %s execute function note_row_before(%L)',
      noted.name, if_changed, noted.kind)),
    (has_late_sites, 'noted_at_end', format('constraint trigger noted_at_end after insert on %I deferrable initially deferred
      for each row execute function note_row_at_end(%L)', noted.name, noted.kind)),
    (has_late_sites, 'noted_update_at_end', format('constraint trigger noted_update_at_end after update on %I deferrable initially deferred
      for each row %s execute function note_row_at_end(%L)', noted.name, if_changed, noted.kind))
) as trigger (is_needed, name, definition)
where is_needed;

-- A circuit opens and closes rarely, but is half open at each probe of a failed node.
drop trigger if exists noted_circuit on dispatchers;
create trigger noted_circuit after update on dispatchers
  for each row when ((old.circuit = 'closed') is distinct from (new.circuit = 'closed')) execute function note_row('dispatcher', 'id');

drop trigger if exists noted_lock on login_locks;
create trigger noted_lock after insert or delete on login_locks for each row execute function note_lock_out();
drop trigger if exists noted_lock_update on login_locks;
create trigger noted_lock_update after update on login_locks
  for each row when (old.locked_until is distinct from new.locked_until) execute function note_lock_out();

drop trigger if exists noted_move on farms;
create trigger noted_move after update on farms
  for each row when (old.site_id is distinct from new.site_id) execute function note_parts_of_farm();
drop trigger if exists noted_parts on farms;
create trigger noted_parts before delete on farms for each row execute function note_parts_of_farm();

select format('drop trigger if exists %s on %I; create trigger %1$s after %3$s for each statement execute function note_rows_of_snapshot(%L, %L)',
  trigger.name, noted.name, format(trigger.event, noted.name), noted.list, noted.kind) as statement
from (
  values ('pools', 'servicespools', 'servicespool'), ('workplaces', 'workplaces', 'workplace'), ('workplace_sessions', 'spsessions', 'spsession')
) as noted (name, list, kind),
(
  values
    ('noted_insert', 'insert on %I referencing new table as new_rows'),
    ('noted_update', 'update on %I referencing old table as old_rows new table as new_rows'),
    ('noted_delete', 'delete on %I referencing old table as old_rows')
) as trigger (name, event);

drop trigger if exists noted_removal on removed_rows;
create trigger noted_removal after insert or update on removed_rows for each row execute function note_removed_row();

-- A part that can be read no more, or again, shows another state and age.
drop trigger if exists noted_state on farm_parts;
create trigger noted_state after update on farm_parts
  for each row when (new.kind <> 'tags' and old.error is distinct from new.error) execute function note_farm_part();
