-- The database of a small installation on 27 November 2026, with the schema of the migration 0000_initial. The upgrade
-- test restores it and migrates it to the current schema. It is never generated again: it stays what that version wrote.
--
-- How it was made: npm start on PostgreSQL 15, the sites North, South and Campus of npm run demo, and one record each of
-- most other kinds over the API; logins of four users, one refused login, one connection to a workplace; then
-- pg_dump --no-owner --no-comments --inserts --rows-per-insert=100 as the owner, without the comments of pg_dump.
-- Its keys and passwords are in frozen-installation.ts. They protect nothing else.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA drizzle;

CREATE SCHEMA pgboss;

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

CREATE TYPE pgboss.job_state AS ENUM (
    'created',
    'retry',
    'active',
    'completed',
    'cancelled',
    'failed'
);

CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $_$
    DECLARE
      tablename varchar := CASE WHEN options->>'partition' = 'true'
                            THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                            ELSE 'job_common'
                            END;
      queue_created_on timestamptz;
    BEGIN

      WITH q as (
        INSERT INTO pgboss.queue (
          name,
          policy,
          retry_limit,
          retry_delay,
          retry_backoff,
          retry_delay_max,
          expire_seconds,
          retention_seconds,
          deletion_seconds,
          warning_queued,
          dead_letter,
          partition,
          table_name,
          heartbeat_seconds,
          notify,
          created_on,
          updated_on
        )
        VALUES (
          queue_name,
          options->>'policy',
          COALESCE((options->>'retryLimit')::int, 2),
          COALESCE((options->>'retryDelay')::int, 0),
          COALESCE((options->>'retryBackoff')::bool, false),
          (options->>'retryDelayMax')::int,
          COALESCE((options->>'expireInSeconds')::int, 900),
          COALESCE((options->>'retentionSeconds')::int, 1209600),
          COALESCE((options->>'deleteAfterSeconds')::int, 604800),
          COALESCE((options->>'warningQueueSize')::int, 0),
          options->>'deadLetter',
          COALESCE((options->>'partition')::bool, false),
          tablename,
          (options->>'heartbeatSeconds')::int,
          COALESCE((options->>'notify')::bool, false),
          pgboss.job_now(),
          pgboss.job_now()
        )
        ON CONFLICT DO NOTHING
        RETURNING created_on
      )
      SELECT created_on into queue_created_on from q;

      IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
        RETURN;
      END IF;

      EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
      EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);

      IF options->>'policy' = 'short' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
      ELSIF options->>'policy' = 'singleton' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
      ELSIF options->>'policy' = 'stately' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
      ELSIF options->>'policy' = 'exclusive' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
      ELSIF options->>'policy' = 'key_strict_fifo' THEN
        EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
        EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
      END IF;

      EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
      EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
    END;
    $_$;

CREATE FUNCTION pgboss.delete_queue(queue_name text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      v_table varchar;
      v_partition bool;
    BEGIN
      
      SELECT table_name, partition
      FROM pgboss.queue
      WHERE name = queue_name
      INTO v_table, v_partition;

      IF v_partition THEN
        EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
      ELSE
        EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
      END IF;
    
      DELETE FROM pgboss.queue WHERE name = queue_name;
    END;
    $$;

CREATE FUNCTION pgboss.job_now() RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$
      SELECT pg_catalog.now();
    $$;

CREATE FUNCTION pgboss.job_table_format(command text, table_name text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$
      SELECT format(
        regexp_replace(
          regexp_replace(command, '\.job\y', '.%1$I', 'g'),
          '\yjob_i(\d+)', '%1$s_i\1', 'g'
        ),
        table_name
      );
    $_$;

CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    DECLARE
      tbl RECORD;
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        EXECUTE pgboss.job_table_format(command, tbl_name);
        RETURN;
      END IF;

      EXECUTE pgboss.job_table_format(command, 'job_common');

      FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
      LOOP
        EXECUTE pgboss.job_table_format(command, tbl.table_name);
      END LOOP;
    END;
    $$;

CREATE FUNCTION pgboss.job_table_run_async(command_name text, version integer, command text, tbl_name text DEFAULT NULL::text, queue_name text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
    BEGIN
      IF queue_name IS NOT NULL THEN
        SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
      END IF;

      IF tbl_name IS NOT NULL THEN
        INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
        VALUES (
          command_name,
          version,
          'pending',
          queue_name,
          tbl_name,
          pgboss.job_table_format(command, tbl_name)
        );
        RETURN;
      END IF;

      INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
      SELECT
        command_name,
        version,
        'pending',
        NULL,
        'job_common',
        pgboss.job_table_format(command, 'job_common')
      UNION ALL
      SELECT
        command_name,
        version,
        'pending',
        queue.name,
        queue.table_name,
        pgboss.job_table_format(command, queue.table_name)
      FROM pgboss.queue
      WHERE partition = true;
    END;
    $$;

CREATE FUNCTION public.add_audit_checkpoint(checkpoint jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  insert into public.audit_checkpoints
    select * from jsonb_populate_record(null::public.audit_checkpoints, checkpoint) on conflict do nothing
$$;

CREATE FUNCTION public.audit_checkpoints_stay() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'DELETE' and exists (select from public.audit_checkpoints where base_seq > old.seq) then
    return old;
  end if;
  raise exception using errcode = 'AG002', message = 'checkpoints of the audit cannot be changed or deleted';
end $$;

CREATE FUNCTION public.audit_hash(prev_hash text, sealed_text text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select encode(sha256(convert_to(prev_hash || sealed_text, 'UTF8')), 'hex')
$$;

CREATE FUNCTION public.audit_is_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  unsealed public.audit_events := new;
begin
  if tg_op = 'DELETE' and exists (select from public.audit_checkpoints where base_seq >= old.seq) then
    return old;
  end if;
  if tg_op = 'UPDATE' and old.seq is null and new.seq is not null then
    unsealed.seq := old.seq;
    unsealed.prev_hash := old.prev_hash;
    unsealed.hash := old.hash;
    unsealed.sealed_text := old.sealed_text;
    if unsealed operator(pg_catalog.*=) old and (
      exists (select from public.audit_events where seq = new.seq - 1 and hash = new.prev_hash)
      or exists (select from public.audit_head where seq = new.seq - 1 and hash = new.prev_hash)
    ) then
      new.sealed_text := public.audit_text(new);
      new.hash := public.audit_hash(new.prev_hash, new.sealed_text);
      return new;
    end if;
  end if;
  raise exception using errcode = 'AG002', message = 'audit events cannot be changed or deleted';
end $$;

CREATE TABLE public.audit_events (
    id uuid NOT NULL,
    seq bigint,
    at timestamp(3) with time zone NOT NULL,
    event text NOT NULL,
    category text NOT NULL,
    level text NOT NULL,
    result text NOT NULL,
    user_name text,
    user_id uuid,
    domain text,
    portal text,
    service_token text,
    source_ip text,
    user_agent text,
    request_id text,
    method text,
    path text,
    object_type text,
    object_id text,
    object_name text,
    action text,
    changes jsonb DEFAULT '[]'::jsonb NOT NULL,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    count integer DEFAULT 1 NOT NULL,
    prev_hash text,
    hash text,
    sealed_text text
);

CREATE FUNCTION public.audit_text(e public.audit_events) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  select '{"seq" : ' || coalesce(e.seq::text, 'null')
    || ', "id" : "' || e.id
    || '", "at" : "' || to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '", "event" : ' || to_json(e.event)
    || ', "category" : ' || to_json(e.category)
    || ', "level" : ' || to_json(e.level)
    || ', "result" : ' || to_json(e.result)
    || ', "user" : ' || coalesce(to_json(e.user_name)::text, 'null')
    || ', "user_id" : ' || coalesce('"' || e.user_id || '"', 'null')
    || ', "domain" : ' || coalesce(to_json(e.domain)::text, 'null')
    || ', "portal" : ' || coalesce(to_json(e.portal)::text, 'null')
    || ', "service_token" : ' || coalesce(to_json(e.service_token)::text, 'null')
    || ', "source_ip" : ' || coalesce(to_json(e.source_ip)::text, 'null')
    || ', "user_agent" : ' || coalesce(to_json(e.user_agent)::text, 'null')
    || ', "request_id" : ' || coalesce(to_json(e.request_id)::text, 'null')
    || ', "method" : ' || coalesce(to_json(e.method)::text, 'null')
    || ', "path" : ' || coalesce(to_json(e.path)::text, 'null')
    || ', "object_type" : ' || coalesce(to_json(e.object_type)::text, 'null')
    || ', "object_id" : ' || coalesce(to_json(e.object_id)::text, 'null')
    || ', "object_name" : ' || coalesce(to_json(e.object_name)::text, 'null')
    || ', "action" : ' || coalesce(to_json(e.action)::text, 'null')
    || ', "changes" : ' || e.changes
    || ', "details" : ' || e.details
    || ', "message" : ' || to_json(e.message)
    || ', "count" : ' || e.count || '}'
$$;

CREATE FUNCTION public.bump_fleet_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if coalesce(current_setting('aggregator.version_moved', true), '') <> pg_current_xact_id()::text then
    perform set_config('aggregator.version_moved', pg_current_xact_id()::text, true);
    update fleet_versions set version = version + 1 where name = 'entitlement';
  end if;
  return null;
end $$;

CREATE FUNCTION public.continue_counters(counters jsonb, reported bigint, OUT moved bigint, OUT continued jsonb) RETURNS record
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
  at bigint := extract(epoch FROM now())::bigint;
  former jsonb;
  place integer;
BEGIN
  IF EXISTS (
    SELECT FROM jsonb_to_recordset(counters) AS line(counter bigint, before bigint, since bigint)
    WHERE line.before <= reported AND reported < line.counter AND line.since > at - 20
  ) THEN
    moved := 0;
    continued := counters;
    RETURN;
  END IF;
  SELECT value, ordinality - 1 INTO former, place FROM jsonb_array_elements(counters) WITH ORDINALITY
  WHERE (value->>'counter')::bigint <= reported ORDER BY ordinality DESC LIMIT 1;
  moved := reported - coalesce((former->>'counter')::bigint, 0);
  continued := CASE WHEN former IS NULL THEN counters ELSE counters - place END || CASE
    WHEN former IS NULL THEN jsonb_build_object('counter', reported, 'recent', 0, 'before', 0, 'since', at)
    WHEN (former->>'since')::bigint > at - 10 THEN former || jsonb_build_object('counter', reported)
    ELSE jsonb_build_object('counter', reported, 'recent', former->'counter', 'since', at, 'before',
      CASE WHEN (former->>'since')::bigint > at - 20 THEN former->'recent' ELSE former->'counter' END)
  END;
  -- Beyond 64 the smallest one goes: if its process is still there, its next report counts that little twice.
  SELECT jsonb_agg(value ORDER BY counter) INTO continued FROM (
    SELECT value, (value->>'counter')::bigint AS counter FROM jsonb_array_elements(continued) ORDER BY counter DESC LIMIT 64
  ) AS largest;
END $$;

CREATE FUNCTION public.delete_group_parts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from group_parts where group_id = old.id;
  return old;
end $$;

CREATE FUNCTION public.effective_groups(member uuid) RETURNS TABLE(group_id uuid)
    LANGUAGE sql STABLE
    AS $$
  with own as (
    select m.group_id from group_members m join groups g on g.id = m.group_id
    where m.user_id = member and g.state = 'active')
  select own.group_id from own
  union
  select g.id from groups g
  where g.type = 'meta' and g.state = 'active'
    and g.authenticator_id = (select u.authenticator_id from users u where u.id = member)
    and exists (select 1 from group_parts p where p.group_id = g.id)
    and case when g.meta_if_any
      then exists (select 1 from group_parts p join own on own.group_id = p.part_id where p.group_id = g.id)
      else not exists (
        select 1 from group_parts p where p.group_id = g.id and p.part_id not in (select own.group_id from own))
      end
$$;

CREATE FUNCTION public.end_node_keys_of_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  delete from dispatcher_sessions s using dispatchers d
  where s.user_id = old.user_id and d.id = s.dispatcher_id and d.account_name is not null
    and not exists (select from login_sessions where user_id = old.user_id);
  return null;
end $$;

CREATE FUNCTION public.keep_ended_node_key() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
  is_kept boolean;
begin
  select account_name is not null into is_kept from dispatchers where id = old.dispatcher_id;
  if is_kept then
    insert into ended_node_keys (id, dispatcher_id, subject, sealed_key, expires_at)
    values (gen_random_uuid(), old.dispatcher_id, old.subject, old.sealed_key, greatest(old.expires_at, now() + interval '1 day'));
  elsif is_kept is not null and tg_op = 'DELETE' and old.user_id is not null and old.expires_at > now()
      and not exists (select from users where id = old.user_id) then
    insert into ended_node_keys (id, dispatcher_id, subject, sealed_key, expires_at)
    values (old.id, old.dispatcher_id, old.subject, old.sealed_key, old.expires_at);
  end if;
  return null;
end $$;

CREATE FUNCTION public.must(ok boolean, code text) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if ok is not true then
    raise exception using errcode = 'AG001', message = code;
  end if;
end $$;

CREATE FUNCTION public.note_change(changed_kind text, changed_id text, changed_list text, at_sites uuid[], changed_by text) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.note_farm_part() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform public.note_change('snapshot', f.id::text, new.kind, array[f.site_id], 'updated') from public.farms f where f.id = new.farm_id;
  return null;
end $$;

CREATE FUNCTION public.note_lock_out() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.note_monitoring_record() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  if tg_op <> 'INSERT' then
    perform public.note_change('monitoring_record', old.id::text, '', public.sites_of_monitoring_record(to_jsonb(old)), public.noted_action(tg_op));
  end if;
  if tg_op <> 'DELETE' then
    perform public.note_change('monitoring_record', new.id::text, '', public.sites_of_monitoring_record(to_jsonb(new)), public.noted_action(tg_op));
  end if;
  return null;
end $$;

CREATE FUNCTION public.note_parts_of_farm() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.note_removed_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform public.note_change(
    case new.kind when 'servicespools' then 'servicespool' when 'workplaces' then 'workplace' else 'spsession' end,
    new.uuid::text, '', array(select site_id from public.farms where id = new.farm_id), 'deleted');
  return null;
end $$;

CREATE FUNCTION public.note_row() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.note_row_at_end() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  still_exists boolean;
begin
  execute format('select exists (select from public.%I where id = $1)', tg_table_name) into still_exists using new.id;
  if still_exists then
    perform public.note_change(tg_argv[0], new.id::text, '', public.sites_of_object(tg_argv[0], to_jsonb(new)), public.noted_action(tg_op));
  end if;
  return null;
end $_$;

CREATE FUNCTION public.note_row_before() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform public.note_change(tg_argv[0], old.id::text, '', public.sites_of_object(tg_argv[0], to_jsonb(old)), public.noted_action(tg_op));
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;

CREATE FUNCTION public.note_rows_of_snapshot() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_nestloop TO 'off'
    AS $$
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

CREATE FUNCTION public.noted_action(operation text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  select case operation when 'INSERT' then 'created' when 'DELETE' then 'deleted' else 'updated' end
$$;

CREATE FUNCTION public.remove_outlived_audit(up_to bigint, batch integer) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  with removed as (
    delete from public.audit_events where seq = any (array(
      select seq from public.audit_events where seq <= up_to order by seq limit batch)) returning 1)
  select count(*)::int from removed
$$;

CREATE FUNCTION public.remove_outlived_checkpoints(up_to bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  delete from public.audit_checkpoints where seq < up_to
$$;

CREATE FUNCTION public.seal_audit(batch integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  head public.audit_head;
  unsealed uuid;
  sealed int := 0;
begin
  perform from public.guards where name = 'audit' for update;
  select * into strict head from public.audit_head;
  for unsealed in select id from public.audit_events where seq is null order by at, id limit batch loop
    head.seq := head.seq + 1;
    update public.audit_events set seq = head.seq, prev_hash = head.hash where id = unsealed returning hash into head.hash;
    sealed := sealed + 1;
  end loop;
  update public.audit_head set seq = head.seq, hash = head.hash where sealed > 0;
  return sealed;
end $$;

CREATE FUNCTION public.sites_of_monitoring_record(record jsonb) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $_$
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
end $_$;

CREATE FUNCTION public.sites_of_object(kind text, object jsonb) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    AS $$
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
  end;
end $$;

CREATE TABLE drizzle.__drizzle_migrations (
    id integer NOT NULL,
    hash text NOT NULL,
    created_at bigint
);

CREATE SEQUENCE drizzle.__drizzle_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE drizzle.__drizzle_migrations_id_seq OWNED BY drizzle.__drizzle_migrations.id;

CREATE TABLE drizzle.sql_files (
    name text NOT NULL,
    digest text NOT NULL,
    stamp bigint NOT NULL
);

CREATE TABLE pgboss.bam (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    queue text,
    table_name text NOT NULL,
    command text NOT NULL,
    error text,
    created_on timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone
);

CREATE TABLE pgboss.job (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid
)
PARTITION BY LIST (name);

CREATE TABLE pgboss.job_common (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    data jsonb,
    state pgboss.job_state DEFAULT 'created'::pgboss.job_state NOT NULL,
    retry_limit integer DEFAULT 2 NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    retry_delay integer DEFAULT 0 NOT NULL,
    retry_backoff boolean DEFAULT false NOT NULL,
    retry_delay_max integer,
    expire_seconds integer DEFAULT 900 NOT NULL,
    deletion_seconds integer DEFAULT 604800 NOT NULL,
    singleton_key text,
    singleton_on timestamp without time zone,
    group_id text,
    group_tier text,
    start_after timestamp with time zone DEFAULT now() NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    started_on timestamp with time zone,
    completed_on timestamp with time zone,
    keep_until timestamp with time zone DEFAULT (now() + '336:00:00'::interval) NOT NULL,
    output jsonb,
    dead_letter text,
    policy text,
    heartbeat_on timestamp with time zone,
    heartbeat_seconds integer,
    blocked boolean DEFAULT false NOT NULL,
    blocking boolean DEFAULT false NOT NULL,
    pending_dependencies integer DEFAULT 0 NOT NULL,
    source_name text,
    source_id uuid,
    source_created_on timestamp with time zone,
    source_retry_count integer,
    source_output jsonb,
    source_root_id uuid,
    CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK ((NOT ((policy = 'key_strict_fifo'::text) AND (singleton_key IS NULL))))
);

CREATE TABLE pgboss.job_dependency (
    child_name text NOT NULL,
    child_id uuid NOT NULL,
    parent_name text NOT NULL,
    parent_id uuid NOT NULL
);

CREATE TABLE pgboss.queue (
    name text NOT NULL,
    policy text NOT NULL,
    retry_limit integer NOT NULL,
    retry_delay integer NOT NULL,
    retry_backoff boolean NOT NULL,
    retry_delay_max integer,
    expire_seconds integer NOT NULL,
    retention_seconds integer NOT NULL,
    deletion_seconds integer NOT NULL,
    dead_letter text,
    partition boolean NOT NULL,
    table_name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    warning_queued integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer DEFAULT 0 NOT NULL,
    completed_delta integer DEFAULT 0 NOT NULL,
    failed_delta integer DEFAULT 0 NOT NULL,
    delta_on timestamp with time zone,
    delta_seconds integer,
    ready_history integer[] DEFAULT '{}'::integer[] NOT NULL,
    heartbeat_seconds integer,
    notify boolean DEFAULT false NOT NULL,
    singletons_active text[],
    monitor_claim_on timestamp with time zone,
    monitor_on timestamp with time zone,
    maintain_on timestamp with time zone,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT queue_check CHECK ((dead_letter IS DISTINCT FROM name))
);

CREATE TABLE pgboss.queue_stats (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
)
PARTITION BY RANGE (captured_on);

CREATE TABLE pgboss.queue_stats_20261127 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE pgboss.queue_stats_20261128 (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    deferred_count integer DEFAULT 0 NOT NULL,
    queued_count integer DEFAULT 0 NOT NULL,
    ready_count integer DEFAULT 0 NOT NULL,
    active_count integer DEFAULT 0 NOT NULL,
    failed_count integer DEFAULT 0 NOT NULL,
    total_count integer DEFAULT 0 NOT NULL,
    created_delta integer,
    completed_delta integer,
    failed_delta integer,
    delta_seconds integer,
    delta_on timestamp with time zone,
    captured_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE pgboss.schedule (
    name text NOT NULL,
    key text DEFAULT ''::text NOT NULL,
    kind text DEFAULT 'cron'::text NOT NULL,
    cron text NOT NULL,
    timezone text DEFAULT 'UTC'::text,
    data jsonb,
    options jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL,
    last_job_id uuid,
    CONSTRAINT schedule_kind_check CHECK ((kind = ANY (ARRAY['cron'::text, 'rrule'::text])))
);

CREATE TABLE pgboss.subscription (
    event text NOT NULL,
    name text NOT NULL,
    created_on timestamp with time zone DEFAULT now() NOT NULL,
    updated_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE pgboss.version (
    version integer NOT NULL,
    cron_on timestamp with time zone,
    bam_on timestamp with time zone,
    flow_on timestamp with time zone,
    reindex_on timestamp with time zone,
    monitor_backoff_on timestamp with time zone
);

CREATE TABLE pgboss.warning (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    type text NOT NULL,
    message text NOT NULL,
    data jsonb,
    created_on timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.agent_registrations (
    id uuid NOT NULL,
    name text NOT NULL,
    machine text NOT NULL COLLATE pg_catalog."C",
    sites uuid[],
    token_hash text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.alert_mails (
    id uuid NOT NULL,
    mail_id uuid NOT NULL,
    cause text NOT NULL COLLATE pg_catalog."C",
    records integer NOT NULL,
    sent_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.alerts (
    record_id uuid NOT NULL,
    cause text NOT NULL COLLATE pg_catalog."C",
    at timestamp(3) with time zone NOT NULL,
    message text NOT NULL
);

CREATE TABLE public.audit_checkpoints (
    seq bigint NOT NULL,
    hash text NOT NULL,
    base_seq bigint NOT NULL,
    base_hash text NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    kid text NOT NULL,
    jws text NOT NULL
);

CREATE TABLE public.audit_forwards (
    target text NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    checked_at timestamp(3) with time zone,
    error text
);

CREATE TABLE public.audit_head (
    "only" boolean DEFAULT true NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL
);

CREATE TABLE public.audit_refusals (
    subject text NOT NULL COLLATE pg_catalog."C",
    minute timestamp(3) with time zone NOT NULL,
    count integer DEFAULT 1 NOT NULL,
    event jsonb NOT NULL
);

CREATE TABLE public.authenticators (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    small_name text NOT NULL,
    small_name_key text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL,
    comments text DEFAULT ''::text NOT NULL,
    priority integer DEFAULT 1 NOT NULL,
    state text DEFAULT 'visible'::text NOT NULL,
    subjects text DEFAULT 'all'::text NOT NULL,
    two_factor boolean DEFAULT false NOT NULL,
    params jsonb DEFAULT '{}'::jsonb NOT NULL,
    attributes jsonb DEFAULT '[]'::jsonb NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    builtin boolean DEFAULT false NOT NULL,
    access_ended_at timestamp(3) with time zone
);

CREATE TABLE public.change_marks (
    "only" boolean DEFAULT true NOT NULL,
    epoch uuid DEFAULT gen_random_uuid() NOT NULL,
    removed_to xid8 DEFAULT '0'::xid8 NOT NULL
);

CREATE TABLE public.changes (
    seq bigint NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    kind text NOT NULL,
    object_id text NOT NULL,
    list text DEFAULT ''::text NOT NULL,
    action text DEFAULT 'updated'::text NOT NULL,
    sites uuid[]
);

ALTER TABLE public.changes ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.changes_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.client_keys (
    id uuid NOT NULL,
    authenticator_id uuid NOT NULL,
    public_jwk jsonb NOT NULL,
    sealed_private_key text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.database_roles (
    process text NOT NULL,
    role text NOT NULL
);

CREATE TABLE public.directory_refusals (
    authenticator_id uuid NOT NULL,
    account_fingerprint text NOT NULL,
    refusals integer NOT NULL,
    refused_at timestamp(3) with time zone NOT NULL,
    retry_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.dispatcher_sessions (
    id uuid NOT NULL,
    dispatcher_id uuid NOT NULL,
    user_id uuid,
    subject text NOT NULL COLLATE pg_catalog."C",
    sealed_key text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.dispatchers (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    farm_id uuid NOT NULL,
    kind text DEFAULT 'dispatcher'::text NOT NULL,
    url text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    priority integer DEFAULT 1 NOT NULL,
    verify_tls boolean DEFAULT true NOT NULL,
    ca_certificate text,
    health_key text,
    timeout_ms integer DEFAULT 5000 NOT NULL,
    account_domain text,
    account_name text,
    account_password text,
    public_url text,
    version text,
    status text DEFAULT 'unknown'::text NOT NULL,
    circuit text DEFAULT 'closed'::text NOT NULL,
    circuit_failures integer DEFAULT 0 NOT NULL,
    circuit_opened_at timestamp(3) with time zone,
    circuit_probe_until timestamp(3) with time zone,
    last_check_at timestamp(3) with time zone,
    last_error text,
    response_time_ms integer,
    certificate jsonb,
    certificate_notice jsonb,
    domains jsonb,
    domains_at timestamp(3) with time zone
);

CREATE TABLE public.ended_node_keys (
    id uuid NOT NULL,
    dispatcher_id uuid NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    sealed_key text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    log_out_after timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.event_marks (
    "only" boolean DEFAULT true NOT NULL,
    xid xid8 DEFAULT '0'::xid8 NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    mail_due_at timestamp(3) with time zone,
    mail_failures integer DEFAULT 0 NOT NULL,
    mail_error text
);

CREATE TABLE public.exported_chunks (
    file uuid NOT NULL,
    n integer NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.exported_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE public.exported_files (
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    subject text NOT NULL,
    format text NOT NULL,
    filters jsonb NOT NULL,
    fingerprint text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    rows bigint,
    bytes bigint,
    sha256 text,
    progress double precision DEFAULT 0 NOT NULL,
    store text DEFAULT 'database'::text NOT NULL,
    file uuid,
    upload_id text,
    reason text,
    created_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.farm_parts (
    farm_id uuid NOT NULL,
    kind text NOT NULL,
    dispatcher_id uuid,
    fetched_at timestamp(3) with time zone,
    full_at timestamp(3) with time zone,
    as_of text,
    etag text,
    is_incremental boolean,
    dropped jsonb DEFAULT '[]'::jsonb NOT NULL,
    ignored jsonb DEFAULT '[]'::jsonb NOT NULL,
    took_ms integer,
    tried_at timestamp(3) with time zone,
    error text,
    sync_id uuid,
    sync_started_at timestamp(3) with time zone,
    lease_until timestamp(3) with time zone
);

CREATE TABLE public.farm_tags (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    touched_at timestamp(3) with time zone,
    ignored text[] DEFAULT '{}'::text[] NOT NULL,
    farm_id uuid NOT NULL,
    uuid uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    dispatcher_id uuid
);

CREATE TABLE public.farms (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    site_id uuid NOT NULL,
    comments text DEFAULT ''::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    maintenance boolean DEFAULT false NOT NULL,
    maintenance_template_id uuid,
    weight integer DEFAULT 10 NOT NULL,
    balancing text DEFAULT 'priority'::text NOT NULL,
    creates_users boolean DEFAULT false NOT NULL,
    identity_domains jsonb DEFAULT '[]'::jsonb NOT NULL
);

CREATE TABLE public.fleet_versions (
    name text NOT NULL,
    version bigint NOT NULL
);

CREATE TABLE public.gateway_sites (
    gateway_id uuid NOT NULL,
    site_id uuid NOT NULL
);

CREATE TABLE public.gateway_tickets (
    id uuid NOT NULL,
    ticket_hash text NOT NULL COLLATE pg_catalog."C",
    gateway_id uuid NOT NULL,
    user_id uuid NOT NULL,
    farm_id uuid NOT NULL,
    session_uuid uuid,
    client_ip text,
    host text NOT NULL,
    port integer NOT NULL,
    tunnels_left integer NOT NULL,
    issued_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone
);

CREATE TABLE public.gateway_tunnels (
    id uuid NOT NULL,
    ticket_id uuid NOT NULL,
    notify_hash text NOT NULL COLLATE pg_catalog."C",
    began_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    stopped_at timestamp(3) with time zone,
    presumed_ended boolean DEFAULT false NOT NULL,
    sent bigint DEFAULT 0 NOT NULL,
    received bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.gateways (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    host text NOT NULL,
    port integer DEFAULT 443 NOT NULL,
    protocols text[] DEFAULT '{rdp,spice}'::text[] NOT NULL,
    networks text[] DEFAULT '{}'::text[] NOT NULL,
    priority integer DEFAULT 1 NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    maintenance boolean DEFAULT false NOT NULL,
    token_hash text NOT NULL,
    version text,
    client_address text DEFAULT 'family'::text NOT NULL,
    byte_counters text DEFAULT 'tunnel'::text NOT NULL,
    process_counters jsonb DEFAULT '{"sent": [], "received": []}'::jsonb NOT NULL,
    last_seen_at timestamp(3) with time zone,
    reported_connections integer,
    reported_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    stats jsonb,
    noted_status text DEFAULT 'unknown'::text NOT NULL
);

CREATE TABLE public.group_members (
    group_id uuid NOT NULL,
    user_id uuid NOT NULL
);

CREATE TABLE public.group_parts (
    group_id uuid NOT NULL,
    part_id uuid NOT NULL
);

CREATE TABLE public.groups (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    authenticator_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    external_id text,
    directory_id text,
    comments text DEFAULT ''::text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    type text DEFAULT 'group'::text NOT NULL,
    meta_if_any boolean DEFAULT false NOT NULL,
    skip_two_factor boolean DEFAULT false NOT NULL
);

CREATE TABLE public.guards (
    name text NOT NULL
);

CREATE TABLE public.idempotency_keys (
    user_id uuid,
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    lease_until timestamp(3) with time zone,
    status integer,
    headers jsonb,
    sealed_body text,
    peer_id uuid,
    rights jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT idempotency_keys_one_owner CHECK ((num_nonnulls(user_id, peer_id) = 1))
);

CREATE TABLE public.images (
    id uuid NOT NULL,
    digest text NOT NULL,
    media_type text NOT NULL,
    bytes integer NOT NULL,
    content text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.installation (
    "only" boolean DEFAULT true NOT NULL,
    secret_key_check text,
    written_at timestamp(3) with time zone,
    resting_since timestamp(3) with time zone
);

CREATE TABLE public.issued_connections (
    user_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    farm_id uuid NOT NULL,
    servicepool_uuid uuid,
    issued_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.job_outbox (
    id uuid NOT NULL,
    kind text NOT NULL,
    payload jsonb NOT NULL,
    start_after timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.job_workers (
    name text NOT NULL,
    host text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.leases (
    name text NOT NULL,
    holder text NOT NULL,
    fence bigint DEFAULT 1 NOT NULL,
    renewed_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.login_challenges (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    network text NOT NULL COLLATE pg_catalog."C",
    session_id uuid,
    sealed_secret text,
    wrong_codes integer DEFAULT 0 NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.login_locks (
    account text NOT NULL COLLATE pg_catalog."C",
    network text NOT NULL COLLATE pg_catalog."C",
    failures integer DEFAULT 0 NOT NULL,
    locks integer DEFAULT 0 NOT NULL,
    locked_until timestamp(3) with time zone,
    last_failure_at timestamp(3) with time zone,
    last_good_at timestamp(3) with time zone,
    counted_from timestamp(3) with time zone
);

CREATE TABLE public.login_sessions (
    id uuid NOT NULL,
    token_hash text NOT NULL,
    user_id uuid NOT NULL,
    portal text NOT NULL,
    source_ip text NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    platform text DEFAULT ''::text NOT NULL,
    locale text,
    created_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    idle_until timestamp(3) with time zone
);

CREATE TABLE public.maintenance_steps (
    window_id uuid NOT NULL,
    farm_id uuid NOT NULL,
    phase text NOT NULL,
    target uuid NOT NULL,
    lease_until timestamp(3) with time zone NOT NULL,
    done_at timestamp(3) with time zone,
    failures integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.maintenance_templates (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    title text DEFAULT ''::text NOT NULL,
    message text NOT NULL,
    start_at timestamp(3) with time zone,
    end_at timestamp(3) with time zone,
    warn_minutes integer DEFAULT 10 NOT NULL,
    block_new_sessions boolean DEFAULT true NOT NULL,
    disconnect_sessions boolean DEFAULT false NOT NULL,
    logoff_sessions boolean DEFAULT false NOT NULL
);

CREATE TABLE public.maintenance_windows (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    object_type text NOT NULL,
    about text NOT NULL,
    object_name text NOT NULL,
    site_id uuid,
    farm_id uuid,
    pool_uuid uuid,
    workplace_uuid uuid,
    template_id uuid,
    message text,
    begun_at timestamp(3) with time zone
);

CREATE TABLE public.monitoring_records (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    level text NOT NULL,
    source text DEFAULT 'portal'::text NOT NULL,
    object_type text,
    object_id text,
    object_name text,
    code text DEFAULT ''::text NOT NULL,
    message text NOT NULL,
    message_key text NOT NULL COLLATE pg_catalog."C",
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    acknowledged_by text,
    acknowledged_at timestamp(3) with time zone
);

CREATE TABLE public.node_logins (
    origin text NOT NULL,
    credentials text NOT NULL,
    state text NOT NULL,
    changed_at timestamp(3) with time zone NOT NULL,
    held_until timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.page_tokens (
    id uuid NOT NULL,
    token_hash text NOT NULL,
    session_id uuid NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.passkey_recovery_codes (
    user_id uuid NOT NULL,
    code_hash text NOT NULL
);

CREATE TABLE public.passkeys (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    user_handle text NOT NULL,
    credential_id text NOT NULL COLLATE pg_catalog."C",
    public_key text NOT NULL,
    counter bigint NOT NULL,
    transports text[] DEFAULT '{}'::text[] NOT NULL,
    synced boolean NOT NULL,
    backed_up boolean NOT NULL,
    name text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_used_at timestamp(3) with time zone,
    blocked_at timestamp(3) with time zone
);

CREATE TABLE public.password_history (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    sealed_hash text NOT NULL,
    at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.peer_roles (
    peer_id uuid NOT NULL,
    role_id uuid NOT NULL
);

CREATE TABLE public.peer_sessions (
    id uuid NOT NULL,
    token_hash text NOT NULL,
    peer_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    idle_until timestamp(3) with time zone
);

CREATE TABLE public.peers (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    comments text DEFAULT ''::text NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    jwks jsonb,
    jwks_url text,
    ca_certificate text,
    enabled boolean DEFAULT true NOT NULL
);

CREATE TABLE public.pictures (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.pkinit_challenges (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    authenticator_id uuid NOT NULL,
    sealed_state text NOT NULL,
    begun_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.pools (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    touched_at timestamp(3) with time zone,
    ignored text[] DEFAULT '{}'::text[] NOT NULL,
    farm_id uuid NOT NULL,
    uuid uuid NOT NULL,
    name text,
    name_key text NOT NULL COLLATE pg_catalog."C",
    short_name text,
    comments text,
    state text NOT NULL,
    visible boolean,
    maintenance boolean,
    maintenance_message text,
    maintenance_template_id uuid,
    maintenance_since timestamp(3) with time zone,
    protocols text[],
    initial_srvs integer,
    cache_l1_srvs integer,
    cache_l2_srvs integer,
    max_srvs integer,
    workplaces_count integer,
    in_use_count integer,
    in_preparation_count integer,
    usage_percent real,
    restrained boolean,
    tags text[]
);

CREATE TABLE public.portals (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    fqdn text NOT NULL,
    portal_type text NOT NULL,
    runtime text NOT NULL,
    version text NOT NULL,
    build text DEFAULT ''::text NOT NULL,
    os text DEFAULT ''::text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL,
    metrics jsonb DEFAULT '{}'::jsonb NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL
);

CREATE TABLE public.priority_group_farms (
    priority_group_id uuid NOT NULL,
    farm_id uuid NOT NULL,
    priority integer DEFAULT 1 NOT NULL
);

CREATE TABLE public.priority_group_groups (
    priority_group_id uuid NOT NULL,
    group_id uuid NOT NULL
);

CREATE TABLE public.priority_group_users (
    priority_group_id uuid NOT NULL,
    user_id uuid NOT NULL
);

CREATE TABLE public.priority_groups (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    comments text DEFAULT ''::text NOT NULL,
    priority integer DEFAULT 1 NOT NULL
);

CREATE TABLE public.program_grants (
    id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    authenticator_id uuid NOT NULL,
    code_hash text NOT NULL COLLATE pg_catalog."C",
    user_code_hash text COLLATE pg_catalog."C",
    program text NOT NULL,
    portal text,
    source_ip text NOT NULL COLLATE pg_catalog."C",
    code_challenge text,
    redirect_uri text,
    interval_s integer NOT NULL,
    polled_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    kept_until timestamp(3) with time zone NOT NULL,
    allowed_by uuid,
    session_id uuid
);

CREATE TABLE public.provider_grants (
    id uuid NOT NULL,
    authenticator_id uuid NOT NULL,
    user_id uuid NOT NULL,
    sealed_grant text NOT NULL,
    checked_at timestamp(3) with time zone NOT NULL,
    next_check_at timestamp(3) with time zone NOT NULL,
    claim uuid
);

CREATE TABLE public.provider_logins (
    token_hash text NOT NULL COLLATE pg_catalog."C",
    authenticator_id uuid NOT NULL,
    sealed_state text NOT NULL,
    begun_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.provider_sessions (
    session_id uuid NOT NULL,
    authenticator_id uuid NOT NULL,
    issuer text NOT NULL COLLATE pg_catalog."C",
    sub text NOT NULL COLLATE pg_catalog."C",
    sid text COLLATE pg_catalog."C",
    sealed_id_token text,
    grant_id uuid
);

CREATE TABLE public.recovery_codes (
    user_id uuid NOT NULL,
    code_hash text NOT NULL
);

CREATE TABLE public.removed_rows (
    farm_id uuid NOT NULL,
    kind text NOT NULL,
    uuid uuid NOT NULL,
    removed_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.roles (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    comments text DEFAULT ''::text NOT NULL,
    permissions text[] DEFAULT '{}'::text[] NOT NULL,
    scope jsonb DEFAULT '{"sites": "*"}'::jsonb NOT NULL,
    builtin boolean DEFAULT false NOT NULL
);

CREATE TABLE public.rule_groups (
    rule_id uuid NOT NULL,
    group_id uuid NOT NULL
);

CREATE TABLE public.rule_members (
    rule_id uuid NOT NULL,
    farm_id uuid NOT NULL,
    servicepool_uuid uuid NOT NULL,
    priority integer DEFAULT 1 NOT NULL,
    enabled boolean DEFAULT true NOT NULL
);

CREATE TABLE public.rule_users (
    rule_id uuid NOT NULL,
    user_id uuid NOT NULL
);

CREATE TABLE public.rules (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    site_id uuid NOT NULL,
    comments text DEFAULT ''::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    display_name text NOT NULL,
    image_id uuid,
    policy text DEFAULT 'priority'::text NOT NULL,
    failover boolean DEFAULT true NOT NULL,
    affinity text DEFAULT 'session'::text NOT NULL,
    match_tags jsonb
);

CREATE TABLE public.saved_views (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    list text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    query text NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.second_factors (
    user_id uuid NOT NULL,
    sealed_secret text NOT NULL,
    last_step integer NOT NULL,
    enrolled_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.service_lists (
    user_id uuid NOT NULL,
    farm_id uuid NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    entitlement bigint NOT NULL,
    fetched_at timestamp(3) with time zone NOT NULL,
    services jsonb NOT NULL,
    revision text GENERATED ALWAYS AS ("left"(translate(encode(sha256((replace((services)::text, '\'::text, '\\'::text))::bytea), 'base64'::text), '+/'::text, '-_'::text), 22)) STORED NOT NULL
);

CREATE TABLE public.service_preferences (
    user_id uuid NOT NULL,
    site_id uuid NOT NULL,
    service_id text NOT NULL COLLATE pg_catalog."C",
    favourite boolean DEFAULT false NOT NULL,
    last_used_at timestamp(3) with time zone,
    launch text
);

CREATE TABLE public.service_tokens (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL,
    permissions text[] DEFAULT '{}'::text[] NOT NULL,
    scopes jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone,
    own boolean DEFAULT false NOT NULL
);

CREATE TABLE public.session_agents (
    id uuid NOT NULL,
    agent_id uuid NOT NULL,
    session_uuid uuid NOT NULL,
    user_name text NOT NULL,
    user_key text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.session_messages (
    id uuid NOT NULL,
    session_agent_id uuid NOT NULL,
    kind text NOT NULL,
    title text,
    message text,
    created_at timestamp(3) with time zone NOT NULL,
    handed_at timestamp(3) with time zone
);

CREATE TABLE public.site_authenticators (
    site_id uuid NOT NULL,
    authenticator_id uuid NOT NULL
);

CREATE TABLE public.site_groups (
    site_id uuid NOT NULL,
    group_id uuid NOT NULL
);

CREATE TABLE public.site_users (
    site_id uuid NOT NULL,
    user_id uuid NOT NULL
);

CREATE TABLE public.sites (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    uri text NOT NULL COLLATE pg_catalog."C",
    comments text DEFAULT ''::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    maintenance boolean DEFAULT false NOT NULL,
    maintenance_template_id uuid,
    priority integer DEFAULT 1 NOT NULL,
    direct_when_gateways_fail boolean DEFAULT false NOT NULL,
    location jsonb
);

CREATE TABLE public.spent_passkey_challenges (
    challenge_hash text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.sync_rows (
    sync_id uuid NOT NULL,
    uuid uuid NOT NULL,
    content jsonb NOT NULL
);

CREATE TABLE public.system_parameters (
    name text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.tags (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    color text,
    comments text DEFAULT ''::text NOT NULL,
    source text DEFAULT 'manual'::text NOT NULL
);

CREATE TABLE public.telemetry_batches (
    id uuid NOT NULL,
    at timestamp(3) with time zone DEFAULT now() NOT NULL,
    counts jsonb NOT NULL
);

CREATE TABLE public.telemetry_marks (
    name text NOT NULL,
    seq bigint NOT NULL
);

CREATE TABLE public.telemetry_sums (
    family text NOT NULL,
    labels text[] NOT NULL,
    value double precision NOT NULL
);

CREATE TABLE public.themes (
    id integer NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    branding jsonb DEFAULT '{}'::jsonb NOT NULL
);

CREATE TABLE public.used_peer_tokens (
    digest text NOT NULL,
    kept_until timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.used_provider_values (
    digest text NOT NULL COLLATE pg_catalog."C",
    kept_until timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.user_roles (
    user_id uuid NOT NULL,
    role_id uuid NOT NULL
);

CREATE TABLE public.users (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    authenticator_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    real_name text DEFAULT ''::text NOT NULL,
    given_name text DEFAULT ''::text NOT NULL,
    family_name text DEFAULT ''::text NOT NULL,
    email text DEFAULT ''::text NOT NULL,
    comments text DEFAULT ''::text NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    kind text DEFAULT 'person'::text NOT NULL,
    language text,
    password_hash text,
    password_changed_at timestamp(3) with time zone,
    must_change_password boolean DEFAULT false NOT NULL,
    attributes jsonb DEFAULT '{}'::jsonb NOT NULL,
    last_login_at timestamp(3) with time zone,
    directory_id text,
    directory_checked_at timestamp(3) with time zone,
    card_fingerprint text,
    access_ended_at timestamp(3) with time zone,
    deprovisioned_at timestamp(3) with time zone
);

CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event text NOT NULL,
    kind text NOT NULL,
    object_id text DEFAULT ''::text NOT NULL,
    list text DEFAULT ''::text NOT NULL,
    sites uuid[],
    occurred_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    claimed_until timestamp(3) with time zone,
    last_attempt_at timestamp(3) with time zone,
    status integer,
    error text,
    duration_ms integer
);

CREATE TABLE public.webhook_sites (
    webhook_id uuid NOT NULL,
    site_id uuid NOT NULL
);

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL COLLATE pg_catalog."C",
    comments text DEFAULT ''::text NOT NULL,
    url text NOT NULL,
    ca_certificate text,
    events text[] NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    owner_id uuid,
    sealed_secret text NOT NULL,
    sealed_former_secret text,
    former_until timestamp(3) with time zone,
    active_since timestamp(3) with time zone NOT NULL,
    disabled_reason text,
    failing_since timestamp(3) with time zone,
    last_success_at timestamp(3) with time zone,
    dropped integer DEFAULT 0 NOT NULL,
    is_pause_noted boolean DEFAULT false NOT NULL
);

CREATE TABLE public.workplace_agents (
    id uuid NOT NULL,
    registration_id uuid NOT NULL,
    farm_id uuid NOT NULL,
    workplace_uuid uuid NOT NULL,
    token_hash text NOT NULL,
    nonce text,
    used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.workplace_sessions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    touched_at timestamp(3) with time zone,
    ignored text[] DEFAULT '{}'::text[] NOT NULL,
    farm_id uuid NOT NULL,
    uuid uuid NOT NULL,
    servicepool_uuid uuid,
    servicepool_name text,
    workplace_uuid uuid,
    workplace_name text,
    workplace_ip text,
    user_name text,
    user_domain text,
    user_key text NOT NULL COLLATE pg_catalog."C",
    protocol text,
    client_ip text,
    client_host text,
    gateway_id uuid,
    state text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    last_seen_at timestamp(3) with time zone
);

CREATE TABLE public.workplaces (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    touched_at timestamp(3) with time zone,
    ignored text[] DEFAULT '{}'::text[] NOT NULL,
    farm_id uuid NOT NULL,
    uuid uuid NOT NULL,
    servicepool_uuid uuid,
    servicepool_name text,
    name text,
    name_key text NOT NULL COLLATE pg_catalog."C",
    unique_id text,
    hostname text,
    ip text,
    state text NOT NULL,
    machine_state text NOT NULL,
    owner_domain text,
    owner_name text,
    owner_key text COLLATE pg_catalog."C",
    in_use boolean,
    in_use_since timestamp(3) with time zone,
    client_ip text,
    client_host text,
    maintenance boolean,
    tags text[],
    agent_version text,
    agent_seen_at timestamp(3) with time zone,
    node_revision integer,
    made_at timestamp(3) with time zone,
    assigning_until timestamp(3) with time zone
);

ALTER TABLE ONLY pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT;

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261127 FOR VALUES FROM ('2026-11-27 00:00:00+00') TO ('2026-11-28 00:00:00+00');

ALTER TABLE ONLY pgboss.queue_stats ATTACH PARTITION pgboss.queue_stats_20261128 FOR VALUES FROM ('2026-11-28 00:00:00+00') TO ('2026-11-29 00:00:00+00');

ALTER TABLE ONLY drizzle.__drizzle_migrations ALTER COLUMN id SET DEFAULT nextval('drizzle.__drizzle_migrations_id_seq'::regclass);

INSERT INTO drizzle.__drizzle_migrations VALUES
	(1, 'eafea670fad8b21fcc95b5c98c2371abb6025fcdd1969f2fec7f17eef9d7baf2', 1795793188591);

INSERT INTO drizzle.sql_files VALUES
	('before-migrations.sql', '30f267c9e937cd98f140e69f16db6489bcda25448c8f8bea8cc741475437ba26', 1795684724442),
	('audit.sql', '8822c0eb77788469da313926c20c49cb5fda0b05077d53fbfaa98fa8c5a2aead', 1795684724442),
	('batches.sql', '1999324e4af806745a64540d74250fc8fe8e90a404e5b9a12637f4313d0bfed6', 1795684724442),
	('changes.sql', '7549cb0a71530b917b9fcd76091b2557319ccc9efd0d0dcf207143717f7e04cc', 1795684724442),
	('dispatcher-sessions.sql', 'd510472966c15df751b42bdfb6c15f0ef153d8fe0d19382b87a96dbc8ddcd417', 1795684724442),
	('exported-chunks.sql', '6434e64777b4857558bdde7a9160666f83c5c928232470832e88496b28afa04d', 1795684724442),
	('fleet-versions.sql', '8744a25d9717fbcc09cd872b2d4fdea951325eb701f3f7aedb0f3e4d61e1e0b0', 1795684724442),
	('gateway-counters.sql', '1343e85946d9a00531479a82db689284d2ff7d636c7b4f9a91b62ff858af313f', 1795684724442),
	('groups.sql', '5c2a355b46b83e336f45405c1d8c7e7c01f108c0953dd54efc89f152f1ab0727', 1795684724442),
	('required-rows.sql', '6e9c7c6547c3fda182f8fb30339e8d2ba51fa4c691a4b2515096d6d38889c069', 1795684724442);

INSERT INTO pgboss.queue VALUES
	('failed-jobs', 'standard', 1000, 5, false, NULL, 900, 1209600, 604800, NULL, false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-27 15:34:09.96454+00', '2026-11-27 15:34:09.97227+00'),
	('clean-up', 'exclusive', 2, 2, true, 300, 900, 1209600, 604800, 'failed-jobs', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-27 15:34:10.029579+00', '2026-11-27 15:34:10.083279+00'),
	('audit-retention', 'exclusive', 2, 2, true, 300, 3000, 1209600, 604800, 'failed-jobs', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-27 15:34:10.130129+00', '2026-11-27 15:34:10.167065+00'),
	('build-export', 'standard', 3, 2, true, 300, 3600, 1209600, 604800, 'failed-jobs', false, 'job_common', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, '{}', NULL, false, NULL, NULL, NULL, NULL, '2026-11-27 15:34:10.212764+00', '2026-11-27 15:34:10.227257+00');

INSERT INTO pgboss.version VALUES
	(43, NULL, NULL, NULL, NULL, NULL);

INSERT INTO public.audit_checkpoints VALUES
	(1, '67c2196768daf43c16e47c45b3dc592888f8eb956ab936651345cb6b78c3a80c', 0, '0000000000000000000000000000000000000000000000000000000000000000', '2026-11-27 15:34:09.898+00', 'utsOjB4aWcPGVVzWL9px_93rvGP5P74FAwpKPK-ycvc', 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF1ZGl0LWNoZWNrcG9pbnQranNvbiIsImtpZCI6InV0c09qQjRhV2NQR1ZWeldMOXB4XzkzcnZHUDVQNzRGQXdwS1BLLXljdmMifQ.eyJzZXEiOjEsImhhc2giOiI2N2MyMTk2NzY4ZGFmNDNjMTZlNDdjNDViM2RjNTkyODg4ZjhlYjk1NmFiOTM2NjUxMzQ1Y2I2Yjc4YzNhODBjIiwiYmFzZV9zZXEiOjAsImJhc2VfaGFzaCI6IjAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAiLCJhdCI6IjIwMjYtMTEtMjdUMTU6MzQ6MDkuODk4WiJ9.plj_P0-aGOQozHaW5Hbka4QB6Wicjab_RIFPvg72RmhLMTCv1AD2-bSqRazTiGS7byGHpWxLNogeDsylbKgBpA');

INSERT INTO public.audit_events VALUES
	('01a21da4-7ff7-71f2-8642-9d86d6675871', 1, '2026-11-27 15:34:08.659+00', 'portal.UserLogin', 'auth', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-7bfa-70e6-b62a-1beffa6c500b', 'POST', '/api/auth/v7.0/login', 'session', '01a21da4-7ff7-71f2-8642-9bcddad2de6a', NULL, NULL, '[]', '{"factor": "password", "platform": ""}', '', 1, '0000000000000000000000000000000000000000000000000000000000000000', '67c2196768daf43c16e47c45b3dc592888f8eb956ab936651345cb6b78c3a80c', '{"seq" : 1, "id" : "01a21da4-7ff7-71f2-8642-9d86d6675871", "at" : "2026-11-27T15:34:08.659Z", "event" : "portal.UserLogin", "category" : "auth", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-7bfa-70e6-b62a-1beffa6c500b", "method" : "POST", "path" : "/api/auth/v7.0/login", "object_type" : "session", "object_id" : "01a21da4-7ff7-71f2-8642-9bcddad2de6a", "object_name" : null, "action" : null, "changes" : [], "details" : {"factor": "password", "platform": ""}, "message" : "", "count" : 1}'),
	('01a21da4-8100-74f8-8e39-634e3fa3163d', 2, '2026-11-27 15:34:09.895+00', 'portal.SystemConfigChanged', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-80e2-70c6-bade-f36e8f262fa8', 'PUT', '/api/webui/aggregator/tconfig', 'system_parameter', 'limits.per_token_per_minute', 'limits.per_token_per_minute', 'update', '[{"after": 0, "field": "value", "before": 6000}]', '{}', '', 1, '67c2196768daf43c16e47c45b3dc592888f8eb956ab936651345cb6b78c3a80c', '183537b594db30ed4585d2a9af33c449c6e1ee26656959cb960fda44ad32a6a9', '{"seq" : 2, "id" : "01a21da4-8100-74f8-8e39-634e3fa3163d", "at" : "2026-11-27T15:34:09.895Z", "event" : "portal.SystemConfigChanged", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-80e2-70c6-bade-f36e8f262fa8", "method" : "PUT", "path" : "/api/webui/aggregator/tconfig", "object_type" : "system_parameter", "object_id" : "limits.per_token_per_minute", "object_name" : "limits.per_token_per_minute", "action" : "update", "changes" : [{"after": 0, "field": "value", "before": 6000}], "details" : {}, "message" : "", "count" : 1}'),
	('01a21da4-8100-74f8-8e39-674b9127bd3d', 3, '2026-11-27 15:34:09.895+00', 'portal.SystemConfigChanged', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-80e2-70c6-bade-f36e8f262fa8', 'PUT', '/api/webui/aggregator/tconfig', 'system_parameter', 'limits.anonymous_per_ip_per_minute', 'limits.anonymous_per_ip_per_minute', 'update', '[{"after": 0, "field": "value", "before": 3000}]', '{}', '', 1, '183537b594db30ed4585d2a9af33c449c6e1ee26656959cb960fda44ad32a6a9', '92402067a00601cb487e00715bfaa3d5b08b7ea7bbc95fd85a89a6e3ad6b2e62', '{"seq" : 3, "id" : "01a21da4-8100-74f8-8e39-674b9127bd3d", "at" : "2026-11-27T15:34:09.895Z", "event" : "portal.SystemConfigChanged", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-80e2-70c6-bade-f36e8f262fa8", "method" : "PUT", "path" : "/api/webui/aggregator/tconfig", "object_type" : "system_parameter", "object_id" : "limits.anonymous_per_ip_per_minute", "object_name" : "limits.anonymous_per_ip_per_minute", "action" : "update", "changes" : [{"after": 0, "field": "value", "before": 3000}], "details" : {}, "message" : "", "count" : 1}'),
	('01a21da4-8371-75f1-9d85-93f67a15a46a', 4, '2026-11-27 15:34:10.512+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-834f-77b9-907a-ed8d534a2273', 'POST', '/api/webui/aggregator/authenticators', 'authenticator', '01a21da4-835e-76bc-8020-da878aa54dc9', 'Demo', 'create', '[{"after": "Demo", "field": "name", "before": null}, {"after": "demo", "field": "small_name", "before": null}, {"after": "internal", "field": "type", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": "visible", "field": "state", "before": null}, {"after": "all", "field": "subjects", "before": null}, {"after": false, "field": "two_factor", "before": null}, {"after": [], "field": "tags", "before": null}, {"after": {}, "field": "params", "before": null}]', '{"revision": 1}', '', 1, '92402067a00601cb487e00715bfaa3d5b08b7ea7bbc95fd85a89a6e3ad6b2e62', 'e618aa01e9c144aab1e01db99f466dd7d23d5e88d471bbd32e5671362913a746', '{"seq" : 4, "id" : "01a21da4-8371-75f1-9d85-93f67a15a46a", "at" : "2026-11-27T15:34:10.512Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-834f-77b9-907a-ed8d534a2273", "method" : "POST", "path" : "/api/webui/aggregator/authenticators", "object_type" : "authenticator", "object_id" : "01a21da4-835e-76bc-8020-da878aa54dc9", "object_name" : "Demo", "action" : "create", "changes" : [{"after": "Demo", "field": "name", "before": null}, {"after": "demo", "field": "small_name", "before": null}, {"after": "internal", "field": "type", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": "visible", "field": "state", "before": null}, {"after": "all", "field": "subjects", "before": null}, {"after": false, "field": "two_factor", "before": null}, {"after": [], "field": "tags", "before": null}, {"after": {}, "field": "params", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8739-7022-830c-ce4ac06f3d58', 5, '2026-11-27 15:34:10.583+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8397-7470-a382-9f214c4a07cd', 'POST', '/api/webui/aggregator/authenticators/{auth_uuid}/users', 'user', '01a21da4-8739-7022-830c-c9f13847dbb5', 'bob', 'create', '[{"after": "bob", "field": "name", "before": null}, {"after": "Bob", "field": "real_name", "before": null}, {"after": "", "field": "email", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "person", "field": "kind", "before": null}, {"after": "***", "field": "password", "before": null}, {"after": false, "field": "must_change_password", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": [], "field": "roles", "before": null}]', '{"revision": 1}', '', 1, 'e618aa01e9c144aab1e01db99f466dd7d23d5e88d471bbd32e5671362913a746', 'd94a2a962eaed5a19e35ec08621a5509fec4263f4f8f98e5d8657e17e4bc92d8', '{"seq" : 5, "id" : "01a21da4-8739-7022-830c-ce4ac06f3d58", "at" : "2026-11-27T15:34:10.583Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8397-7470-a382-9f214c4a07cd", "method" : "POST", "path" : "/api/webui/aggregator/authenticators/{auth_uuid}/users", "object_type" : "user", "object_id" : "01a21da4-8739-7022-830c-c9f13847dbb5", "object_name" : "bob", "action" : "create", "changes" : [{"after": "bob", "field": "name", "before": null}, {"after": "Bob", "field": "real_name", "before": null}, {"after": "", "field": "email", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "person", "field": "kind", "before": null}, {"after": "***", "field": "password", "before": null}, {"after": false, "field": "must_change_password", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": [], "field": "roles", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-89c4-75eb-a81d-c6595965639a', 6, '2026-11-27 15:34:10.582+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8396-7119-9ff3-659c062f2e8b', 'POST', '/api/webui/aggregator/authenticators/{auth_uuid}/users', 'user', '01a21da4-89c4-75eb-a81d-c292d0df9d5e', 'alice', 'create', '[{"after": "alice", "field": "name", "before": null}, {"after": "Alice", "field": "real_name", "before": null}, {"after": "", "field": "email", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "person", "field": "kind", "before": null}, {"after": "***", "field": "password", "before": null}, {"after": false, "field": "must_change_password", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": [], "field": "roles", "before": null}]', '{"revision": 1}', '', 1, 'd94a2a962eaed5a19e35ec08621a5509fec4263f4f8f98e5d8657e17e4bc92d8', '7fa156a5b3a795bef7da164f6ce5b12716c09fa9fd5c42f7617b435b3c90720f', '{"seq" : 6, "id" : "01a21da4-89c4-75eb-a81d-c6595965639a", "at" : "2026-11-27T15:34:10.582Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8396-7119-9ff3-659c062f2e8b", "method" : "POST", "path" : "/api/webui/aggregator/authenticators/{auth_uuid}/users", "object_type" : "user", "object_id" : "01a21da4-89c4-75eb-a81d-c292d0df9d5e", "object_name" : "alice", "action" : "create", "changes" : [{"after": "alice", "field": "name", "before": null}, {"after": "Alice", "field": "real_name", "before": null}, {"after": "", "field": "email", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "person", "field": "kind", "before": null}, {"after": "***", "field": "password", "before": null}, {"after": false, "field": "must_change_password", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": [], "field": "roles", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-89f4-7257-8a83-ba79f23f3934', 7, '2026-11-27 15:34:12.206+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-89ee-76f9-b5cd-609c687b7389', 'POST', '/api/webui/aggregator/sites', 'site', '01a21da4-89f4-7257-8a83-b62200036000', 'North', 'create', '[{"after": "North", "field": "name", "before": null}, {"after": "north", "field": "uri", "before": null}, {"after": "A simulated site that responds immediately", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": false, "field": "direct_when_gateways_fail", "before": null}, {"after": ["01a21da4-835e-76bc-8020-da878aa54dc9"], "field": "authenticators", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}]', '{"revision": 1}', '', 1, '7fa156a5b3a795bef7da164f6ce5b12716c09fa9fd5c42f7617b435b3c90720f', '2ce236072dff09ac83a69d161d82f2970e46179db6f6fa0e8c08e0815e3cf27b', '{"seq" : 7, "id" : "01a21da4-89f4-7257-8a83-ba79f23f3934", "at" : "2026-11-27T15:34:12.206Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-89ee-76f9-b5cd-609c687b7389", "method" : "POST", "path" : "/api/webui/aggregator/sites", "object_type" : "site", "object_id" : "01a21da4-89f4-7257-8a83-b62200036000", "object_name" : "North", "action" : "create", "changes" : [{"after": "North", "field": "name", "before": null}, {"after": "north", "field": "uri", "before": null}, {"after": "A simulated site that responds immediately", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": false, "field": "direct_when_gateways_fail", "before": null}, {"after": ["01a21da4-835e-76bc-8020-da878aa54dc9"], "field": "authenticators", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8aef-736c-904a-588b6a2e1f41', 10, '2026-11-27 15:34:12.421+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8ac5-715d-a868-21e726a304d1', 'POST', '/api/webui/aggregator/sites', 'site', '01a21da4-8aef-736c-904a-5767a5cf18ef', 'South', 'create', '[{"after": "South", "field": "name", "before": null}, {"after": "south", "field": "uri", "before": null}, {"after": "A simulated site that takes 800 ms for each request of a user", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": false, "field": "direct_when_gateways_fail", "before": null}, {"after": ["01a21da4-835e-76bc-8020-da878aa54dc9"], "field": "authenticators", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}]', '{"revision": 1}', '', 1, 'ae93268675b09ee8155a5f7889ad237a3e9c7420ab2e86849abfd9a2d616e466', 'eb0d26169c4d556b57b6f5254fe760704b2e925465587ede000a521e1518c0c7', '{"seq" : 10, "id" : "01a21da4-8aef-736c-904a-588b6a2e1f41", "at" : "2026-11-27T15:34:12.421Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8ac5-715d-a868-21e726a304d1", "method" : "POST", "path" : "/api/webui/aggregator/sites", "object_type" : "site", "object_id" : "01a21da4-8aef-736c-904a-5767a5cf18ef", "object_name" : "South", "action" : "create", "changes" : [{"after": "South", "field": "name", "before": null}, {"after": "south", "field": "uri", "before": null}, {"after": "A simulated site that takes 800 ms for each request of a user", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": false, "field": "direct_when_gateways_fail", "before": null}, {"after": ["01a21da4-835e-76bc-8020-da878aa54dc9"], "field": "authenticators", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8a33-72d2-b5f9-14a96408777a', 8, '2026-11-27 15:34:12.265+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8a29-74bd-b02c-c8da12f04264', 'POST', '/api/webui/aggregator/farms', 'farm', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'North farm', 'create', '[{"after": "North farm", "field": "name", "before": null}, {"after": "01a21da4-89f4-7257-8a83-b62200036000", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 10, "field": "weight", "before": null}, {"after": "priority", "field": "balancing", "before": null}, {"after": false, "field": "creates_users", "before": null}, {"after": [], "field": "identity_domains", "before": null}]', '{"revision": 1}', '', 1, '2ce236072dff09ac83a69d161d82f2970e46179db6f6fa0e8c08e0815e3cf27b', 'd037bbf2f18324dbdc795487de49b4d17ec6b5e162be60b919d8ea8e07e3e2c1', '{"seq" : 8, "id" : "01a21da4-8a33-72d2-b5f9-14a96408777a", "at" : "2026-11-27T15:34:12.265Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8a29-74bd-b02c-c8da12f04264", "method" : "POST", "path" : "/api/webui/aggregator/farms", "object_type" : "farm", "object_id" : "01a21da4-8a2e-72fd-a847-125a2887b47c", "object_name" : "North farm", "action" : "create", "changes" : [{"after": "North farm", "field": "name", "before": null}, {"after": "01a21da4-89f4-7257-8a83-b62200036000", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 10, "field": "weight", "before": null}, {"after": "priority", "field": "balancing", "before": null}, {"after": false, "field": "creates_users", "before": null}, {"after": [], "field": "identity_domains", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8a93-73ee-a2e7-4368ee21a7b9', 9, '2026-11-27 15:34:12.334+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8a6e-77d1-9049-f909e025f31c', 'POST', '/api/webui/aggregator/dispatchers', 'dispatcher', '01a21da4-8a82-7538-84e8-e3545a598317', 'north-1', 'create', '[{"after": "north-1", "field": "name", "before": null}, {"after": "01a21da4-8a2e-72fd-a847-125a2887b47c", "field": "farm_id", "before": null}, {"after": "dispatcher", "field": "kind", "before": null}, {"after": "https://127.0.0.1:43431", "field": "url", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "verify_tls", "before": null}, {"after": "-----BEGIN CERTIFICATE-----\nMIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w\nHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN\nMjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw\nWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM\nY2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS\nBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx\nuB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3\njldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq\ngpco8vubhw==\n-----END CERTIFICATE-----\n", "field": "ca_certificate", "before": null}, {"after": "***", "field": "health_key", "before": null}, {"after": 5000, "field": "timeout_ms", "before": null}]', '{"revision": 1}', '', 1, 'd037bbf2f18324dbdc795487de49b4d17ec6b5e162be60b919d8ea8e07e3e2c1', 'ae93268675b09ee8155a5f7889ad237a3e9c7420ab2e86849abfd9a2d616e466', '{"seq" : 9, "id" : "01a21da4-8a93-73ee-a2e7-4368ee21a7b9", "at" : "2026-11-27T15:34:12.334Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8a6e-77d1-9049-f909e025f31c", "method" : "POST", "path" : "/api/webui/aggregator/dispatchers", "object_type" : "dispatcher", "object_id" : "01a21da4-8a82-7538-84e8-e3545a598317", "object_name" : "north-1", "action" : "create", "changes" : [{"after": "north-1", "field": "name", "before": null}, {"after": "01a21da4-8a2e-72fd-a847-125a2887b47c", "field": "farm_id", "before": null}, {"after": "dispatcher", "field": "kind", "before": null}, {"after": "https://127.0.0.1:43431", "field": "url", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "verify_tls", "before": null}, {"after": "-----BEGIN CERTIFICATE-----\nMIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w\nHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN\nMjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw\nWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM\nY2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS\nBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx\nuB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3\njldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq\ngpco8vubhw==\n-----END CERTIFICATE-----\n", "field": "ca_certificate", "before": null}, {"after": "***", "field": "health_key", "before": null}, {"after": 5000, "field": "timeout_ms", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8b35-7643-8e5b-d69ca0886cdf', 11, '2026-11-27 15:34:12.521+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8b29-70dd-9fec-ded36729f369', 'POST', '/api/webui/aggregator/farms', 'farm', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'South farm', 'create', '[{"after": "South farm", "field": "name", "before": null}, {"after": "01a21da4-8aef-736c-904a-5767a5cf18ef", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 10, "field": "weight", "before": null}, {"after": "priority", "field": "balancing", "before": null}, {"after": false, "field": "creates_users", "before": null}, {"after": [], "field": "identity_domains", "before": null}]', '{"revision": 1}', '', 1, 'eb0d26169c4d556b57b6f5254fe760704b2e925465587ede000a521e1518c0c7', '1dcd58765c66eb1ab4e55527a61b708d823d909454414da7718802dba6aa9e70', '{"seq" : 11, "id" : "01a21da4-8b35-7643-8e5b-d69ca0886cdf", "at" : "2026-11-27T15:34:12.521Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8b29-70dd-9fec-ded36729f369", "method" : "POST", "path" : "/api/webui/aggregator/farms", "object_type" : "farm", "object_id" : "01a21da4-8b35-7643-8e5b-d3dce701d5e3", "object_name" : "South farm", "action" : "create", "changes" : [{"after": "South farm", "field": "name", "before": null}, {"after": "01a21da4-8aef-736c-904a-5767a5cf18ef", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 10, "field": "weight", "before": null}, {"after": "priority", "field": "balancing", "before": null}, {"after": false, "field": "creates_users", "before": null}, {"after": [], "field": "identity_domains", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8c0c-7321-abfb-ef51e7a51a90', 13, '2026-11-27 15:34:12.741+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8c05-7691-a9d2-ff977e8b0b9b', 'POST', '/api/webui/aggregator/sites', 'site', '01a21da4-8c0c-7321-abfb-e9c5aaf5ea15', 'Campus', 'create', '[{"after": "Campus", "field": "name", "before": null}, {"after": "campus", "field": "uri", "before": null}, {"after": "A simulated site that runs OpenUDS", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": false, "field": "direct_when_gateways_fail", "before": null}, {"after": ["01a21da4-835e-76bc-8020-da878aa54dc9"], "field": "authenticators", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}]', '{"revision": 1}', '', 1, '55ae73a9834320664b43cc9cdda8bc173b7da9037d7928cd751e90cf050b03b4', '2b172d3b7bc8ac808e83abe18d6d1b776416a2d66a65652698f0e481b68199ca', '{"seq" : 13, "id" : "01a21da4-8c0c-7321-abfb-ef51e7a51a90", "at" : "2026-11-27T15:34:12.741Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8c05-7691-a9d2-ff977e8b0b9b", "method" : "POST", "path" : "/api/webui/aggregator/sites", "object_type" : "site", "object_id" : "01a21da4-8c0c-7321-abfb-e9c5aaf5ea15", "object_name" : "Campus", "action" : "create", "changes" : [{"after": "Campus", "field": "name", "before": null}, {"after": "campus", "field": "uri", "before": null}, {"after": "A simulated site that runs OpenUDS", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": false, "field": "direct_when_gateways_fail", "before": null}, {"after": ["01a21da4-835e-76bc-8020-da878aa54dc9"], "field": "authenticators", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8ca2-764b-9d73-f58e15f2e9db', 14, '2026-11-27 15:34:12.878+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8c8e-77b2-879f-0ba091b8676f', 'POST', '/api/webui/aggregator/farms', 'farm', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'Campus farm', 'create', '[{"after": "Campus farm", "field": "name", "before": null}, {"after": "01a21da4-8c0c-7321-abfb-e9c5aaf5ea15", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 10, "field": "weight", "before": null}, {"after": "priority", "field": "balancing", "before": null}, {"after": false, "field": "creates_users", "before": null}, {"after": [], "field": "identity_domains", "before": null}]', '{"revision": 1}', '', 1, '2b172d3b7bc8ac808e83abe18d6d1b776416a2d66a65652698f0e481b68199ca', '36a524b7ae652057139c5246955e3429b0ce2a2dd03b1ca3f6b772b70adc9c9a', '{"seq" : 14, "id" : "01a21da4-8ca2-764b-9d73-f58e15f2e9db", "at" : "2026-11-27T15:34:12.878Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8c8e-77b2-879f-0ba091b8676f", "method" : "POST", "path" : "/api/webui/aggregator/farms", "object_type" : "farm", "object_id" : "01a21da4-8ca0-73af-a8d5-8b64b4499624", "object_name" : "Campus farm", "action" : "create", "changes" : [{"after": "Campus farm", "field": "name", "before": null}, {"after": "01a21da4-8c0c-7321-abfb-e9c5aaf5ea15", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}, {"after": 10, "field": "weight", "before": null}, {"after": "priority", "field": "balancing", "before": null}, {"after": false, "field": "creates_users", "before": null}, {"after": [], "field": "identity_domains", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8d8e-771b-a0eb-3d3030d95094', 16, '2026-11-27 15:34:13.102+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8d6e-7551-b33d-ab128a1d6ebf', 'POST', '/api/webui/aggregator/tags', 'tag', '01a21da4-8d8e-771b-a0eb-3a7ab79a98fb', 'office', 'create', '[{"after": "office", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}]', '{"revision": 1}', '', 1, '107c8053469cedf91826ee56547dada5c05f176f0f8274cfc149cc5b352d3600', '5f80d375eadb96772b9c9a63293a8ce14f89f1bc44f305ad828a573508dce2a8', '{"seq" : 16, "id" : "01a21da4-8d8e-771b-a0eb-3d3030d95094", "at" : "2026-11-27T15:34:13.102Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8d6e-7551-b33d-ab128a1d6ebf", "method" : "POST", "path" : "/api/webui/aggregator/tags", "object_type" : "tag", "object_id" : "01a21da4-8d8e-771b-a0eb-3a7ab79a98fb", "object_name" : "office", "action" : "create", "changes" : [{"after": "office", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8b79-7224-9a7a-c638bc8149a0', 12, '2026-11-27 15:34:12.585+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8b69-7566-ab3d-8f06e177d080', 'POST', '/api/webui/aggregator/dispatchers', 'dispatcher', '01a21da4-8b78-7393-a6b6-52e71a618c65', 'south-1', 'create', '[{"after": "south-1", "field": "name", "before": null}, {"after": "01a21da4-8b35-7643-8e5b-d3dce701d5e3", "field": "farm_id", "before": null}, {"after": "dispatcher", "field": "kind", "before": null}, {"after": "https://127.0.0.1:35483", "field": "url", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "verify_tls", "before": null}, {"after": "-----BEGIN CERTIFICATE-----\nMIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w\nHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN\nMjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw\nWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM\nY2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS\nBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx\nuB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3\njldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq\ngpco8vubhw==\n-----END CERTIFICATE-----\n", "field": "ca_certificate", "before": null}, {"after": "***", "field": "health_key", "before": null}, {"after": 5000, "field": "timeout_ms", "before": null}]', '{"revision": 1}', '', 1, '1dcd58765c66eb1ab4e55527a61b708d823d909454414da7718802dba6aa9e70', '55ae73a9834320664b43cc9cdda8bc173b7da9037d7928cd751e90cf050b03b4', '{"seq" : 12, "id" : "01a21da4-8b79-7224-9a7a-c638bc8149a0", "at" : "2026-11-27T15:34:12.585Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8b69-7566-ab3d-8f06e177d080", "method" : "POST", "path" : "/api/webui/aggregator/dispatchers", "object_type" : "dispatcher", "object_id" : "01a21da4-8b78-7393-a6b6-52e71a618c65", "object_name" : "south-1", "action" : "create", "changes" : [{"after": "south-1", "field": "name", "before": null}, {"after": "01a21da4-8b35-7643-8e5b-d3dce701d5e3", "field": "farm_id", "before": null}, {"after": "dispatcher", "field": "kind", "before": null}, {"after": "https://127.0.0.1:35483", "field": "url", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "verify_tls", "before": null}, {"after": "-----BEGIN CERTIFICATE-----\nMIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w\nHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN\nMjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw\nWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM\nY2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS\nBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx\nuB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3\njldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq\ngpco8vubhw==\n-----END CERTIFICATE-----\n", "field": "ca_certificate", "before": null}, {"after": "***", "field": "health_key", "before": null}, {"after": 5000, "field": "timeout_ms", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8d07-77ee-a3b6-f6de1c663ebc', 15, '2026-11-27 15:34:12.995+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8d03-7384-a290-d04ff9c11ead', 'POST', '/api/webui/aggregator/dispatchers', 'dispatcher', '01a21da4-8d06-7177-9602-5ecdf533d71a', 'campus-1', 'create', '[{"after": "campus-1", "field": "name", "before": null}, {"after": "01a21da4-8ca0-73af-a8d5-8b64b4499624", "field": "farm_id", "before": null}, {"after": "openuds", "field": "kind", "before": null}, {"after": "https://127.0.0.1:46851", "field": "url", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "verify_tls", "before": null}, {"after": "-----BEGIN CERTIFICATE-----\nMIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w\nHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN\nMjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw\nWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM\nY2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS\nBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx\nuB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3\njldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq\ngpco8vubhw==\n-----END CERTIFICATE-----\n", "field": "ca_certificate", "before": null}, {"after": 5000, "field": "timeout_ms", "before": null}, {"after": "demo", "field": "account_domain", "before": null}, {"after": "portal-svc", "field": "account_name", "before": null}, {"after": "***", "field": "account_password", "before": null}]', '{"revision": 1}', '', 1, '36a524b7ae652057139c5246955e3429b0ce2a2dd03b1ca3f6b772b70adc9c9a', '107c8053469cedf91826ee56547dada5c05f176f0f8274cfc149cc5b352d3600', '{"seq" : 15, "id" : "01a21da4-8d07-77ee-a3b6-f6de1c663ebc", "at" : "2026-11-27T15:34:12.995Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8d03-7384-a290-d04ff9c11ead", "method" : "POST", "path" : "/api/webui/aggregator/dispatchers", "object_type" : "dispatcher", "object_id" : "01a21da4-8d06-7177-9602-5ecdf533d71a", "object_name" : "campus-1", "action" : "create", "changes" : [{"after": "campus-1", "field": "name", "before": null}, {"after": "01a21da4-8ca0-73af-a8d5-8b64b4499624", "field": "farm_id", "before": null}, {"after": "openuds", "field": "kind", "before": null}, {"after": "https://127.0.0.1:46851", "field": "url", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "verify_tls", "before": null}, {"after": "-----BEGIN CERTIFICATE-----\nMIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w\nHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN\nMjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw\nWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM\nY2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS\nBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx\nuB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3\njldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq\ngpco8vubhw==\n-----END CERTIFICATE-----\n", "field": "ca_certificate", "before": null}, {"after": 5000, "field": "timeout_ms", "before": null}, {"after": "demo", "field": "account_domain", "before": null}, {"after": "portal-svc", "field": "account_name", "before": null}, {"after": "***", "field": "account_password", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8dc4-751d-9d05-0d4214ce9f47', 17, '2026-11-27 15:34:13.154+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8da2-74c1-97bf-157841fab030', 'POST', '/api/webui/aggregator/rbac', 'role', '01a21da4-8db7-73ec-ab6d-25bc97165e20', 'Help desk', 'create', '[{"after": "Help desk", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": ["farms.read", "monitoring.read", "sites.read", "users.read"], "field": "permissions", "before": null}, {"after": {"sites": ["01a21da4-89f4-7257-8a83-b62200036000"]}, "field": "scope", "before": null}]', '{"revision": 1}', '', 1, '5f80d375eadb96772b9c9a63293a8ce14f89f1bc44f305ad828a573508dce2a8', 'ac27bcd608365cab80213e4f0ecc872d8f2401525af8882469804872524e0d49', '{"seq" : 17, "id" : "01a21da4-8dc4-751d-9d05-0d4214ce9f47", "at" : "2026-11-27T15:34:13.154Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8da2-74c1-97bf-157841fab030", "method" : "POST", "path" : "/api/webui/aggregator/rbac", "object_type" : "role", "object_id" : "01a21da4-8db7-73ec-ab6d-25bc97165e20", "object_name" : "Help desk", "action" : "create", "changes" : [{"after": "Help desk", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": ["farms.read", "monitoring.read", "sites.read", "users.read"], "field": "permissions", "before": null}, {"after": {"sites": ["01a21da4-89f4-7257-8a83-b62200036000"]}, "field": "scope", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-8df5-7534-a70f-c9fbc3c06b9e', 18, '2026-11-27 15:34:13.213+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8ddd-740a-8fc4-afc01eca1345', 'POST', '/api/webui/aggregator/authenticators/{auth_uuid}/groups', 'group', '01a21da4-8df4-73a2-af6b-809a8806e035', 'staff', 'create', '[{"after": "staff", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "group", "field": "type", "before": null}, {"after": false, "field": "meta_if_any", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": false, "field": "skip_two_factor", "before": null}]', '{"revision": 1}', '', 1, 'ac27bcd608365cab80213e4f0ecc872d8f2401525af8882469804872524e0d49', '909ae51db5694a162a657f299adbe62712844c8cd48ccfa0c8599caba98d24e8', '{"seq" : 18, "id" : "01a21da4-8df5-7534-a70f-c9fbc3c06b9e", "at" : "2026-11-27T15:34:13.213Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8ddd-740a-8fc4-afc01eca1345", "method" : "POST", "path" : "/api/webui/aggregator/authenticators/{auth_uuid}/groups", "object_type" : "group", "object_id" : "01a21da4-8df4-73a2-af6b-809a8806e035", "object_name" : "staff", "action" : "create", "changes" : [{"after": "staff", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "group", "field": "type", "before": null}, {"after": false, "field": "meta_if_any", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": false, "field": "skip_two_factor", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-917b-7047-bc61-6ea91e8efe95', 19, '2026-11-27 15:34:13.261+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-8e0d-727b-bf5c-1b0950e63677', 'POST', '/api/webui/aggregator/authenticators/{auth_uuid}/users', 'user', '01a21da4-9176-73d1-8ce3-ac834e99bf17', 'carol', 'create', '[{"after": "carol", "field": "name", "before": null}, {"after": "Carol", "field": "real_name", "before": null}, {"after": "carol@example.com", "field": "email", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "person", "field": "kind", "before": null}, {"after": "***", "field": "password", "before": null}, {"after": false, "field": "must_change_password", "before": null}, {"after": ["01a21da4-8df4-73a2-af6b-809a8806e035"], "field": "groups", "before": null}, {"after": ["01a21da4-8db7-73ec-ab6d-25bc97165e20"], "field": "roles", "before": null}]', '{"revision": 1}', '', 1, '909ae51db5694a162a657f299adbe62712844c8cd48ccfa0c8599caba98d24e8', '6f2abcb991d66ed9d2f344a8c9e27ce7f2759c70f2aea92f849a64aa94b4e560', '{"seq" : 19, "id" : "01a21da4-917b-7047-bc61-6ea91e8efe95", "at" : "2026-11-27T15:34:13.261Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-8e0d-727b-bf5c-1b0950e63677", "method" : "POST", "path" : "/api/webui/aggregator/authenticators/{auth_uuid}/users", "object_type" : "user", "object_id" : "01a21da4-9176-73d1-8ce3-ac834e99bf17", "object_name" : "carol", "action" : "create", "changes" : [{"after": "carol", "field": "name", "before": null}, {"after": "Carol", "field": "real_name", "before": null}, {"after": "carol@example.com", "field": "email", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": "active", "field": "state", "before": null}, {"after": "person", "field": "kind", "before": null}, {"after": "***", "field": "password", "before": null}, {"after": false, "field": "must_change_password", "before": null}, {"after": ["01a21da4-8df4-73a2-af6b-809a8806e035"], "field": "groups", "before": null}, {"after": ["01a21da4-8db7-73ec-ab6d-25bc97165e20"], "field": "roles", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-927a-7428-82c3-32c01d743fb5', 20, '2026-11-27 15:34:14.363+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-925b-71c3-92ff-c82a02ef2f46', 'POST', '/api/webui/aggregator/rules', 'rule', '01a21da4-927a-7428-82c3-2d063f422b98', 'Offices', 'create', '[{"after": "Offices", "field": "name", "before": null}, {"after": "01a21da4-89f4-7257-8a83-b62200036000", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": "Offices", "field": "display_name", "before": null}, {"after": "priority", "field": "policy", "before": null}, {"after": true, "field": "failover", "before": null}, {"after": "session", "field": "affinity", "before": null}, {"after": [], "field": "members", "before": null}, {"after": {"all": [], "any": ["office"]}, "field": "match_tags", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}]', '{"revision": 1}', '', 1, '6f2abcb991d66ed9d2f344a8c9e27ce7f2759c70f2aea92f849a64aa94b4e560', '754d9e253299137da1522013458dd0914aab21cfa661efdbf0d51e47b8bb8a39', '{"seq" : 20, "id" : "01a21da4-927a-7428-82c3-32c01d743fb5", "at" : "2026-11-27T15:34:14.363Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-925b-71c3-92ff-c82a02ef2f46", "method" : "POST", "path" : "/api/webui/aggregator/rules", "object_type" : "rule", "object_id" : "01a21da4-927a-7428-82c3-2d063f422b98", "object_name" : "Offices", "action" : "create", "changes" : [{"after": "Offices", "field": "name", "before": null}, {"after": "01a21da4-89f4-7257-8a83-b62200036000", "field": "site_id", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": "Offices", "field": "display_name", "before": null}, {"after": "priority", "field": "policy", "before": null}, {"after": true, "field": "failover", "before": null}, {"after": "session", "field": "affinity", "before": null}, {"after": [], "field": "members", "before": null}, {"after": {"all": [], "any": ["office"]}, "field": "match_tags", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-9300-7679-9844-0668d5a6269a', 21, '2026-11-27 15:34:14.523+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-92fb-74bc-8c34-ea4871229fe0', 'POST', '/api/webui/aggregator/gateways', 'gateway', '01a21da4-9300-7679-9844-00698589ab36', 'Gateway', 'create', '[{"after": "Gateway", "field": "name", "before": null}, {"after": "gw.example.com", "field": "host", "before": null}, {"after": 443, "field": "port", "before": null}, {"after": ["rdp", "spice"], "field": "protocols", "before": null}, {"after": [], "field": "sites", "before": null}, {"after": [], "field": "networks", "before": null}, {"after": "family", "field": "client_address", "before": null}, {"after": "tunnel", "field": "byte_counters", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}]', '{"revision": 1}', '', 1, '754d9e253299137da1522013458dd0914aab21cfa661efdbf0d51e47b8bb8a39', '078219fe0a9fba8dd985b76154aa16f9dac99909cb5a3e56e61e58ac457bba29', '{"seq" : 21, "id" : "01a21da4-9300-7679-9844-0668d5a6269a", "at" : "2026-11-27T15:34:14.523Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-92fb-74bc-8c34-ea4871229fe0", "method" : "POST", "path" : "/api/webui/aggregator/gateways", "object_type" : "gateway", "object_id" : "01a21da4-9300-7679-9844-00698589ab36", "object_name" : "Gateway", "action" : "create", "changes" : [{"after": "Gateway", "field": "name", "before": null}, {"after": "gw.example.com", "field": "host", "before": null}, {"after": 443, "field": "port", "before": null}, {"after": ["rdp", "spice"], "field": "protocols", "before": null}, {"after": [], "field": "sites", "before": null}, {"after": [], "field": "networks", "before": null}, {"after": "family", "field": "client_address", "before": null}, {"after": "tunnel", "field": "byte_counters", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": true, "field": "enabled", "before": null}, {"after": false, "field": "maintenance", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-9318-721a-a946-f27545b63dcf', 22, '2026-11-27 15:34:14.547+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-9313-71bb-b541-56768db06fe0', 'POST', '/api/webui/aggregator/webhooks', 'webhook', '01a21da4-9317-72dc-a72b-1e37d507fbaf', 'Inventory', 'create', '[{"after": "Inventory", "field": "name", "before": null}, {"after": "https://hooks.example.com/portal", "field": "url", "before": null}, {"after": ["site.updated"], "field": "events", "before": null}, {"after": [], "field": "sites", "before": null}, {"after": false, "field": "enabled", "before": null}, {"after": "", "field": "comments", "before": null}]', '{"revision": 1}', '', 1, '078219fe0a9fba8dd985b76154aa16f9dac99909cb5a3e56e61e58ac457bba29', '6c22a3bca46a4b2d73798bd1a5857ae411b86d304bac32f9d104a86a52d08e0f', '{"seq" : 22, "id" : "01a21da4-9318-721a-a946-f27545b63dcf", "at" : "2026-11-27T15:34:14.547Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-9313-71bb-b541-56768db06fe0", "method" : "POST", "path" : "/api/webui/aggregator/webhooks", "object_type" : "webhook", "object_id" : "01a21da4-9317-72dc-a72b-1e37d507fbaf", "object_name" : "Inventory", "action" : "create", "changes" : [{"after": "Inventory", "field": "name", "before": null}, {"after": "https://hooks.example.com/portal", "field": "url", "before": null}, {"after": ["site.updated"], "field": "events", "before": null}, {"after": [], "field": "sites", "before": null}, {"after": false, "field": "enabled", "before": null}, {"after": "", "field": "comments", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-9333-7079-9e98-b75f9fa1cff1', 23, '2026-11-27 15:34:14.576+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-9330-7578-9028-8344da457a77', 'POST', '/api/webui/aggregator/maintenance', 'maintenance_template', '01a21da4-9333-7079-9e98-b15dabb745b5', 'Updates', 'create', '[{"after": "Updates", "field": "name", "before": null}, {"after": "", "field": "title", "before": null}, {"after": "Back at noon", "field": "message", "before": null}, {"after": 10, "field": "warn_minutes", "before": null}, {"after": true, "field": "block_new_sessions", "before": null}, {"after": false, "field": "disconnect_sessions", "before": null}, {"after": false, "field": "logoff_sessions", "before": null}]', '{"revision": 1}', '', 1, '6c22a3bca46a4b2d73798bd1a5857ae411b86d304bac32f9d104a86a52d08e0f', 'bd3141ea6f2ec96bbb2030ff2eee77f65d7568efa4739c99a6213cdd0862c738', '{"seq" : 23, "id" : "01a21da4-9333-7079-9e98-b75f9fa1cff1", "at" : "2026-11-27T15:34:14.576Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-9330-7578-9028-8344da457a77", "method" : "POST", "path" : "/api/webui/aggregator/maintenance", "object_type" : "maintenance_template", "object_id" : "01a21da4-9333-7079-9e98-b15dabb745b5", "object_name" : "Updates", "action" : "create", "changes" : [{"after": "Updates", "field": "name", "before": null}, {"after": "", "field": "title", "before": null}, {"after": "Back at noon", "field": "message", "before": null}, {"after": 10, "field": "warn_minutes", "before": null}, {"after": true, "field": "block_new_sessions", "before": null}, {"after": false, "field": "disconnect_sessions", "before": null}, {"after": false, "field": "logoff_sessions", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-9343-748a-b038-117180938e7c', 24, '2026-11-27 15:34:14.586+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-933a-764a-aede-6d02c4f4f204', 'POST', '/api/webui/aggregator/priority_groups', 'priority_group', '01a21da4-9343-748a-b038-0dde3d0337f1', 'Nearby', 'create', '[{"after": "Nearby", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": [], "field": "farms", "before": null}]', '{"revision": 1}', '', 1, 'bd3141ea6f2ec96bbb2030ff2eee77f65d7568efa4739c99a6213cdd0862c738', '8b789de8e41872041bc1a73ba8aa0183401a2343051888850237f2c149132ba7', '{"seq" : 24, "id" : "01a21da4-9343-748a-b038-117180938e7c", "at" : "2026-11-27T15:34:14.586Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-933a-764a-aede-6d02c4f4f204", "method" : "POST", "path" : "/api/webui/aggregator/priority_groups", "object_type" : "priority_group", "object_id" : "01a21da4-9343-748a-b038-0dde3d0337f1", "object_name" : "Nearby", "action" : "create", "changes" : [{"after": "Nearby", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": [], "field": "users", "before": null}, {"after": [], "field": "groups", "before": null}, {"after": [], "field": "farms", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-9366-760f-a325-1b9b2d169c30', 25, '2026-11-27 15:34:14.627+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-9363-7413-9991-9ea0dc661e57', 'POST', '/api/webui/aggregator/monitoring', 'monitoring_record', '01a21da4-9366-760f-a325-17564c7ce79d', '', 'create', '[{"after": "2026-11-27T15:34:14.627Z", "field": "at", "before": null}, {"after": "info", "field": "level", "before": null}, {"after": "portal", "field": "source", "before": null}, {"after": "", "field": "code", "before": null}, {"after": "Moved to the new rack", "field": "message", "before": null}, {"after": {}, "field": "details", "before": null}, {"after": "open", "field": "state", "before": null}]', '{"revision": 1}', '', 1, '8b789de8e41872041bc1a73ba8aa0183401a2343051888850237f2c149132ba7', '9c05ee1e121b9fdab30b188f56c1bf9a04d8e6d988647c8d73a6621512465bba', '{"seq" : 25, "id" : "01a21da4-9366-760f-a325-1b9b2d169c30", "at" : "2026-11-27T15:34:14.627Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-9363-7413-9991-9ea0dc661e57", "method" : "POST", "path" : "/api/webui/aggregator/monitoring", "object_type" : "monitoring_record", "object_id" : "01a21da4-9366-760f-a325-17564c7ce79d", "object_name" : "", "action" : "create", "changes" : [{"after": "2026-11-27T15:34:14.627Z", "field": "at", "before": null}, {"after": "info", "field": "level", "before": null}, {"after": "portal", "field": "source", "before": null}, {"after": "", "field": "code", "before": null}, {"after": "Moved to the new rack", "field": "message", "before": null}, {"after": {}, "field": "details", "before": null}, {"after": "open", "field": "state", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-937a-73c1-86ac-fc8cf3c818d8', 26, '2026-11-27 15:34:14.637+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-936d-73a2-99bb-010726eb1fed', 'PATCH', '/api/webui/aggregator/sites/{id}', 'site', '01a21da4-89f4-7257-8a83-b62200036000', 'North', 'update', '[{"after": "Moved to the new rack", "field": "comments", "before": "A simulated site that responds immediately"}]', '{"revision": 2}', '', 1, '9c05ee1e121b9fdab30b188f56c1bf9a04d8e6d988647c8d73a6621512465bba', '9b9518ec194bb9203ecf39bd2bcef61e064a474b96ff3f5b26223eabe7620e01', '{"seq" : 26, "id" : "01a21da4-937a-73c1-86ac-fc8cf3c818d8", "at" : "2026-11-27T15:34:14.637Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-936d-73a2-99bb-010726eb1fed", "method" : "PATCH", "path" : "/api/webui/aggregator/sites/{id}", "object_type" : "site", "object_id" : "01a21da4-89f4-7257-8a83-b62200036000", "object_name" : "North", "action" : "update", "changes" : [{"after": "Moved to the new rack", "field": "comments", "before": "A simulated site that responds immediately"}], "details" : {"revision": 2}, "message" : "", "count" : 1}'),
	('01a21da4-93b0-71a9-b35d-05a2a5de130c', 27, '2026-11-27 15:34:14.688+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-93a0-7370-9b0e-e04e3a50ca5f', 'POST', '/api/webui/aggregator/authenticators', 'authenticator', '01a21da4-93aa-715d-9bad-3dde0ae54321', 'Directory', 'create', '[{"after": "Directory", "field": "name", "before": null}, {"after": "directory", "field": "small_name", "before": null}, {"after": "ldap", "field": "type", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": "visible", "field": "state", "before": null}, {"after": "all", "field": "subjects", "before": null}, {"after": false, "field": "two_factor", "before": null}, {"after": [], "field": "tags", "before": null}, {"after": {"hosts": ["ldaps://directory.example.com"], "base_dn": "dc=example,dc=com", "bind_dn": "", "kerberos": null, "page_size": 500, "start_tls": false, "timeout_s": 5, "user_class": "inetOrgPerson", "group_class": "posixGroup", "user_filter": "", "bind_password": null, "ca_certificate": null, "member_attribute": "memberUid", "bind_password_set": false, "user_id_attribute": "uid", "group_id_attribute": "cn", "user_name_attribute": "cn"}, "field": "params", "before": null}]', '{"revision": 1}', '', 1, '9b9518ec194bb9203ecf39bd2bcef61e064a474b96ff3f5b26223eabe7620e01', '37f3c81bec19de89aa24dadfc32c3180bf8b8cac0a7eca2559b3d8799ce2d7a6', '{"seq" : 27, "id" : "01a21da4-93b0-71a9-b35d-05a2a5de130c", "at" : "2026-11-27T15:34:14.688Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-93a0-7370-9b0e-e04e3a50ca5f", "method" : "POST", "path" : "/api/webui/aggregator/authenticators", "object_type" : "authenticator", "object_id" : "01a21da4-93aa-715d-9bad-3dde0ae54321", "object_name" : "Directory", "action" : "create", "changes" : [{"after": "Directory", "field": "name", "before": null}, {"after": "directory", "field": "small_name", "before": null}, {"after": "ldap", "field": "type", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": 1, "field": "priority", "before": null}, {"after": "visible", "field": "state", "before": null}, {"after": "all", "field": "subjects", "before": null}, {"after": false, "field": "two_factor", "before": null}, {"after": [], "field": "tags", "before": null}, {"after": {"hosts": ["ldaps://directory.example.com"], "base_dn": "dc=example,dc=com", "bind_dn": "", "kerberos": null, "page_size": 500, "start_tls": false, "timeout_s": 5, "user_class": "inetOrgPerson", "group_class": "posixGroup", "user_filter": "", "bind_password": null, "ca_certificate": null, "member_attribute": "memberUid", "bind_password_set": false, "user_id_attribute": "uid", "group_id_attribute": "cn", "user_name_attribute": "cn"}, "field": "params", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-9609-713a-ab77-f1844287aedd', 28, '2026-11-27 15:34:14.722+00', 'portal.UserLogin', 'auth', 'info', 'success', 'alice', '01a21da4-89c4-75eb-a81d-c292d0df9d5e', 'demo', 'user', NULL, '127.0.0.1', '', '01a21da4-93c2-74d6-b6e9-228f3099978d', 'POST', '/api/auth/v7.0/login', 'session', '01a21da4-9609-713a-ab77-ec538fba7762', NULL, NULL, '[]', '{"factor": "password", "platform": ""}', '', 1, '37f3c81bec19de89aa24dadfc32c3180bf8b8cac0a7eca2559b3d8799ce2d7a6', 'be0762e61bd5e59a74e32fa73ca053cd49ea9454b3d736aa457906bf369614a6', '{"seq" : 28, "id" : "01a21da4-9609-713a-ab77-f1844287aedd", "at" : "2026-11-27T15:34:14.722Z", "event" : "portal.UserLogin", "category" : "auth", "level" : "info", "result" : "success", "user" : "alice", "user_id" : "01a21da4-89c4-75eb-a81d-c292d0df9d5e", "domain" : "demo", "portal" : "user", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-93c2-74d6-b6e9-228f3099978d", "method" : "POST", "path" : "/api/auth/v7.0/login", "object_type" : "session", "object_id" : "01a21da4-9609-713a-ab77-ec538fba7762", "object_name" : null, "action" : null, "changes" : [], "details" : {"factor": "password", "platform": ""}, "message" : "", "count" : 1}'),
	('01a21da4-9a0d-76c2-aff4-172842a6b7fc', 29, '2026-11-27 15:34:15.314+00', 'portal.UserLogin', 'auth', 'info', 'success', 'bob', '01a21da4-8739-7022-830c-c9f13847dbb5', 'demo', 'user', NULL, '127.0.0.1', '', '01a21da4-9612-7013-a56f-257ee9403df1', 'POST', '/api/auth/v7.0/login', 'session', '01a21da4-9a0d-76c2-aff4-137af68b271e', NULL, NULL, '[]', '{"factor": "password", "platform": ""}', '', 1, 'be0762e61bd5e59a74e32fa73ca053cd49ea9454b3d736aa457906bf369614a6', '8aa9301d910a7ee51e72d72e9fcd794c84b15ff14517e61119fbdc36e40d37e3', '{"seq" : 29, "id" : "01a21da4-9a0d-76c2-aff4-172842a6b7fc", "at" : "2026-11-27T15:34:15.314Z", "event" : "portal.UserLogin", "category" : "auth", "level" : "info", "result" : "success", "user" : "bob", "user_id" : "01a21da4-8739-7022-830c-c9f13847dbb5", "domain" : "demo", "portal" : "user", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-9612-7013-a56f-257ee9403df1", "method" : "POST", "path" : "/api/auth/v7.0/login", "object_type" : "session", "object_id" : "01a21da4-9a0d-76c2-aff4-137af68b271e", "object_name" : null, "action" : null, "changes" : [], "details" : {"factor": "password", "platform": ""}, "message" : "", "count" : 1}'),
	('01a21da4-9ce0-72f6-ae3c-d4351cf90f38', 30, '2026-11-27 15:34:16.356+00', 'portal.UserLogin', 'auth', 'info', 'success', 'carol', '01a21da4-9176-73d1-8ce3-ac834e99bf17', 'demo', 'admin', NULL, '127.0.0.1', '', '01a21da4-9a24-738e-9cb1-a1c81fc23a14', 'POST', '/api/auth/v7.0/login', 'session', '01a21da4-9cdf-7218-917f-c4eb6b3c6774', NULL, NULL, '[]', '{"factor": "password", "platform": ""}', '', 1, '8aa9301d910a7ee51e72d72e9fcd794c84b15ff14517e61119fbdc36e40d37e3', 'f2a5a89085335aef9119712fb6952f07ec7440529d23d69436db50f350067d0c', '{"seq" : 30, "id" : "01a21da4-9ce0-72f6-ae3c-d4351cf90f38", "at" : "2026-11-27T15:34:16.356Z", "event" : "portal.UserLogin", "category" : "auth", "level" : "info", "result" : "success", "user" : "carol", "user_id" : "01a21da4-9176-73d1-8ce3-ac834e99bf17", "domain" : "demo", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-9a24-738e-9cb1-a1c81fc23a14", "method" : "POST", "path" : "/api/auth/v7.0/login", "object_type" : "session", "object_id" : "01a21da4-9cdf-7218-917f-c4eb6b3c6774", "object_name" : null, "action" : null, "changes" : [], "details" : {"factor": "password", "platform": ""}, "message" : "", "count" : 1}'),
	('01a21da4-9d14-76ce-9419-4705bf316d27', 31, '2026-11-27 15:34:17.104+00', 'portal.LoginFailed', 'auth', 'warning', 'failure', 'alice', '01a21da4-89c4-75eb-a81d-c292d0df9d5e', 'demo', NULL, NULL, '127.0.0.1', '', '01a21da4-9d10-7673-8b8e-25777766fa83', 'POST', '/api/auth/v7.0/login', NULL, NULL, NULL, NULL, '[]', '{"factor": "password", "domain_tried": {"authSmallName": "demo"}}', '', 1, 'f2a5a89085335aef9119712fb6952f07ec7440529d23d69436db50f350067d0c', '4682d7d02400ded5fe2071985932445aa8804d7d47e2d71ee84d64958f9bd518', '{"seq" : 31, "id" : "01a21da4-9d14-76ce-9419-4705bf316d27", "at" : "2026-11-27T15:34:17.104Z", "event" : "portal.LoginFailed", "category" : "auth", "level" : "warning", "result" : "failure", "user" : "alice", "user_id" : "01a21da4-89c4-75eb-a81d-c292d0df9d5e", "domain" : "demo", "portal" : null, "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-9d10-7673-8b8e-25777766fa83", "method" : "POST", "path" : "/api/auth/v7.0/login", "object_type" : null, "object_id" : null, "object_name" : null, "action" : null, "changes" : [], "details" : {"factor": "password", "domain_tried": {"authSmallName": "demo"}}, "message" : "", "count" : 1}'),
	('01a21da4-a1fd-7655-812b-6e823a03ccae', 32, '2026-11-27 15:34:18.216+00', 'aggregator.ConnectionIssued', 'workplace', 'info', 'success', 'alice', '01a21da4-89c4-75eb-a81d-c292d0df9d5e', 'demo', 'user', NULL, '127.0.0.1', '', '01a21da4-a168-72ec-bdbb-3834caf569ad', 'GET', '/aggregator/api/client/v7.0/{site_uri}/connectionInfo/{id}', 'service', '01a21da4-8a2e-72fd-a847-125a2887b47c.7651e4f5-7f68-469d-8001-000000000002', 'Office', NULL, '[]', '{"farm": "North farm", "host": "10.0.0.3", "site": "north", "protocol": "rdp", "session_uuid": "7651e4f5-7f68-469d-8003-000000000001", "servicepool_name": "Office", "servicepool_uuid": "7651e4f5-7f68-469d-8001-000000000002"}', '', 1, '4682d7d02400ded5fe2071985932445aa8804d7d47e2d71ee84d64958f9bd518', '2c3c599ae51d1e3ba4cfa9e1f8ffeea3fd6a99c40b04c9bdb44f06d15ef2602f', '{"seq" : 32, "id" : "01a21da4-a1fd-7655-812b-6e823a03ccae", "at" : "2026-11-27T15:34:18.216Z", "event" : "aggregator.ConnectionIssued", "category" : "workplace", "level" : "info", "result" : "success", "user" : "alice", "user_id" : "01a21da4-89c4-75eb-a81d-c292d0df9d5e", "domain" : "demo", "portal" : "user", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-a168-72ec-bdbb-3834caf569ad", "method" : "GET", "path" : "/aggregator/api/client/v7.0/{site_uri}/connectionInfo/{id}", "object_type" : "service", "object_id" : "01a21da4-8a2e-72fd-a847-125a2887b47c.7651e4f5-7f68-469d-8001-000000000002", "object_name" : "Office", "action" : null, "changes" : [], "details" : {"farm": "North farm", "host": "10.0.0.3", "site": "north", "protocol": "rdp", "session_uuid": "7651e4f5-7f68-469d-8003-000000000001", "servicepool_name": "Office", "servicepool_uuid": "7651e4f5-7f68-469d-8001-000000000002"}, "message" : "", "count" : 1}'),
	('01a21da4-a26f-70a3-bd8f-da3c17afb68a', 33, '2026-11-27 15:34:18.467+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-a262-70ff-b101-d022516ae944', 'POST', '/api/webui/aggregator/rbac', 'role', '01a21da4-a26f-70a3-bd8f-d67c214f5303', 'Temporary', 'create', '[{"after": "Temporary", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": ["sites.read"], "field": "permissions", "before": null}, {"after": {"sites": "*"}, "field": "scope", "before": null}]', '{"revision": 1}', '', 1, '2c3c599ae51d1e3ba4cfa9e1f8ffeea3fd6a99c40b04c9bdb44f06d15ef2602f', '6b233c6b04f4a7fd88aa639486c56554ce6f6c684507f5afb1c0b256e3e8f33e', '{"seq" : 33, "id" : "01a21da4-a26f-70a3-bd8f-da3c17afb68a", "at" : "2026-11-27T15:34:18.467Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-a262-70ff-b101-d022516ae944", "method" : "POST", "path" : "/api/webui/aggregator/rbac", "object_type" : "role", "object_id" : "01a21da4-a26f-70a3-bd8f-d67c214f5303", "object_name" : "Temporary", "action" : "create", "changes" : [{"after": "Temporary", "field": "name", "before": null}, {"after": "", "field": "comments", "before": null}, {"after": ["sites.read"], "field": "permissions", "before": null}, {"after": {"sites": "*"}, "field": "scope", "before": null}], "details" : {"revision": 1}, "message" : "", "count" : 1}'),
	('01a21da4-a285-77bc-ba07-522f1cc07fcc', 34, '2026-11-27 15:34:18.496+00', 'portal.EntityAction', 'config', 'info', 'success', 'admin', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'builtin', 'admin', NULL, '127.0.0.1', '', '01a21da4-a280-7343-abd9-f153921db7ab', 'DELETE', '/api/webui/aggregator/rbac/{id}', 'role', '01a21da4-a26f-70a3-bd8f-d67c214f5303', 'Temporary', 'delete', '[{"after": null, "field": "name", "before": "Temporary"}, {"after": null, "field": "comments", "before": ""}, {"after": null, "field": "permissions", "before": ["sites.read"]}, {"after": null, "field": "scope", "before": {"sites": "*"}}]', '{"revision": 1}', '', 1, '6b233c6b04f4a7fd88aa639486c56554ce6f6c684507f5afb1c0b256e3e8f33e', '2235807c340479e38d2448430baba9e49498091c03ab05d86a39ac96a29f3b60', '{"seq" : 34, "id" : "01a21da4-a285-77bc-ba07-522f1cc07fcc", "at" : "2026-11-27T15:34:18.496Z", "event" : "portal.EntityAction", "category" : "config", "level" : "info", "result" : "success", "user" : "admin", "user_id" : "01a21da4-7b70-7757-b7e1-0e4e596859b2", "domain" : "builtin", "portal" : "admin", "service_token" : null, "source_ip" : "127.0.0.1", "user_agent" : "", "request_id" : "01a21da4-a280-7343-abd9-f153921db7ab", "method" : "DELETE", "path" : "/api/webui/aggregator/rbac/{id}", "object_type" : "role", "object_id" : "01a21da4-a26f-70a3-bd8f-d67c214f5303", "object_name" : "Temporary", "action" : "delete", "changes" : [{"after": null, "field": "name", "before": "Temporary"}, {"after": null, "field": "comments", "before": ""}, {"after": null, "field": "permissions", "before": ["sites.read"]}, {"after": null, "field": "scope", "before": {"sites": "*"}}], "details" : {"revision": 1}, "message" : "", "count" : 1}');

INSERT INTO public.audit_head VALUES
	(true, 34, '2235807c340479e38d2448430baba9e49498091c03ab05d86a39ac96a29f3b60');

INSERT INTO public.authenticators VALUES
	('01a21da4-7b70-7757-b7e1-0aee223f8bd2', '2026-11-27 15:34:08.498+00', '2026-11-27 15:34:08.498+00', 1, 'Built-in', 'built-in', 'builtin', 'builtin', 'internal', 'Accounts of this portal', 1, 'visible', 'all', false, '{}', '[]', '{}', true, NULL),
	('01a21da4-835e-76bc-8020-da878aa54dc9', '2026-11-27 15:34:10.55+00', '2026-11-27 15:34:10.55+00', 1, 'Demo', 'demo', 'demo', 'demo', 'internal', '', 1, 'visible', 'all', false, '{}', '[]', '{}', false, NULL),
	('01a21da4-93aa-715d-9bad-3dde0ae54321', '2026-11-27 15:34:14.706+00', '2026-11-27 15:34:14.706+00', 1, 'Directory', 'directory', 'directory', 'directory', 'ldap', '', 1, 'visible', 'all', false, '{"hosts": ["ldaps://directory.example.com"], "base_dn": "dc=example,dc=com", "bind_dn": "", "kerberos": null, "page_size": 500, "start_tls": false, "timeout_s": 5, "user_class": "inetOrgPerson", "group_class": "posixGroup", "user_filter": "", "bind_password": null, "ca_certificate": null, "member_attribute": "memberUid", "user_id_attribute": "uid", "group_id_attribute": "cn", "user_name_attribute": "cn"}', '[]', '{}', false, NULL);

INSERT INTO public.change_marks VALUES
	(true, 'b66684ba-ed93-446e-bb22-bc13292b16f1', '0');

INSERT INTO public.changes OVERRIDING SYSTEM VALUE VALUES
	(1, '742', '2026-11-27 15:34:07.787+00', 'role', '01a21da4-78a4-7569-9104-fa5984d0f282', '', 'created', NULL),
	(2, '742', '2026-11-27 15:34:07.787+00', 'role', '01a21da4-78a5-7666-8346-0404ff5cabbc', '', 'created', NULL),
	(3, '742', '2026-11-27 15:34:07.787+00', 'role', '01a21da4-78a5-7666-8346-0a1a54384155', '', 'created', NULL),
	(4, '742', '2026-11-27 15:34:07.787+00', 'role', '01a21da4-78a5-7666-8346-0d0e5ab66811', '', 'created', NULL),
	(5, '745', '2026-11-27 15:34:07.833+00', 'portal', '01a21da4-78d4-768c-b41e-73ee4d1a5a1b', '', 'created', NULL),
	(6, '746', '2026-11-27 15:34:08.498+00', 'authenticator', '01a21da4-7b70-7757-b7e1-0aee223f8bd2', '', 'created', NULL),
	(7, '746', '2026-11-27 15:34:08.498+00', 'user', '01a21da4-7b70-7757-b7e1-0e4e596859b2', '', 'created', NULL),
	(8, '747', '2026-11-27 15:34:09.725+00', 'session', '01a21da4-7ff7-71f2-8642-9bcddad2de6a', '', 'created', NULL),
	(9, '750', '2026-11-27 15:34:09.929+00', 'system_parameter', 'limits.per_token_per_minute', '', 'created', NULL),
	(10, '750', '2026-11-27 15:34:09.929+00', 'system_parameter', 'limits.anonymous_per_ip_per_minute', '', 'created', NULL),
	(11, '761', '2026-11-27 15:34:10.55+00', 'authenticator', '01a21da4-835e-76bc-8020-da878aa54dc9', '', 'created', NULL),
	(12, '763', '2026-11-27 15:34:11.531+00', 'user', '01a21da4-8739-7022-830c-c9f13847dbb5', '', 'created', NULL),
	(13, '766', '2026-11-27 15:34:12.167+00', 'user', '01a21da4-89c4-75eb-a81d-c292d0df9d5e', '', 'created', NULL),
	(14, '767', '2026-11-27 15:34:12.217+00', 'site', '01a21da4-89f4-7257-8a83-b62200036000', '', 'created', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(15, '768', '2026-11-27 15:34:12.278+00', 'farm', '01a21da4-8a2e-72fd-a847-125a2887b47c', '', 'created', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(16, '771', '2026-11-27 15:34:12.377+00', 'dispatcher', '01a21da4-8a82-7538-84e8-e3545a598317', '', 'created', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(17, '772', '2026-11-27 15:34:12.471+00', 'site', '01a21da4-8aef-736c-904a-5767a5cf18ef', '', 'created', '{01a21da4-8aef-736c-904a-5767a5cf18ef}'),
	(18, '773', '2026-11-27 15:34:12.535+00', 'farm', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', '', 'created', '{01a21da4-8aef-736c-904a-5767a5cf18ef}'),
	(19, '775', '2026-11-27 15:34:12.604+00', 'dispatcher', '01a21da4-8b78-7393-a6b6-52e71a618c65', '', 'created', '{01a21da4-8aef-736c-904a-5767a5cf18ef}'),
	(20, '777', '2026-11-27 15:34:12.764+00', 'site', '01a21da4-8c0c-7321-abfb-e9c5aaf5ea15', '', 'created', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}'),
	(21, '778', '2026-11-27 15:34:12.931+00', 'farm', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '', 'created', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}'),
	(22, '780', '2026-11-27 15:34:13.005+00', 'dispatcher', '01a21da4-8d06-7177-9602-5ecdf533d71a', '', 'created', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}'),
	(23, '781', '2026-11-27 15:34:13.043+00', 'snapshot', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'servicespools', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(24, '783', '2026-11-27 15:34:13.144+00', 'tag', '01a21da4-8d8e-771b-a0eb-3a7ab79a98fb', '', 'created', NULL),
	(25, '785', '2026-11-27 15:34:13.202+00', 'role', '01a21da4-8db7-73ec-ab6d-25bc97165e20', '', 'created', NULL),
	(26, '787', '2026-11-27 15:34:13.238+00', 'group', '01a21da4-8df4-73a2-af6b-809a8806e035', '', 'created', NULL),
	(27, '786', '2026-11-27 15:34:13.231+00', 'snapshot', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'workplaces', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(28, '792', '2026-11-27 15:34:14.141+00', 'dispatcher', '01a21da4-8a82-7538-84e8-e3545a598317', '', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(29, '793', '2026-11-27 15:34:14.154+00', 'user', '01a21da4-9176-73d1-8ce3-ac834e99bf17', '', 'created', NULL),
	(30, '794', '2026-11-27 15:34:14.378+00', 'dispatcher', '01a21da4-8d06-7177-9602-5ecdf533d71a', '', 'updated', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}'),
	(31, '796', '2026-11-27 15:34:14.459+00', 'dispatcher', '01a21da4-8b78-7393-a6b6-52e71a618c65', '', 'updated', '{01a21da4-8aef-736c-904a-5767a5cf18ef}'),
	(32, '797', '2026-11-27 15:34:14.487+00', 'rule', '01a21da4-927a-7428-82c3-2d063f422b98', '', 'created', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(33, '799', '2026-11-27 15:34:14.53+00', 'gateway', '01a21da4-9300-7679-9844-00698589ab36', '', 'created', NULL),
	(34, '800', '2026-11-27 15:34:14.554+00', 'webhook', '01a21da4-9317-72dc-a72b-1e37d507fbaf', '', 'created', NULL),
	(35, '801', '2026-11-27 15:34:14.582+00', 'maintenance_template', '01a21da4-9333-7079-9e98-b15dabb745b5', '', 'created', NULL),
	(36, '802', '2026-11-27 15:34:14.622+00', 'priority_group', '01a21da4-9343-748a-b038-0dde3d0337f1', '', 'created', NULL),
	(37, '803', '2026-11-27 15:34:14.632+00', 'monitoring_record', '01a21da4-9366-760f-a325-17564c7ce79d', '', 'created', NULL),
	(38, '804', '2026-11-27 15:34:14.661+00', 'site', '01a21da4-89f4-7257-8a83-b62200036000', '', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(39, '805', '2026-11-27 15:34:14.706+00', 'authenticator', '01a21da4-93aa-715d-9bad-3dde0ae54321', '', 'created', NULL),
	(40, '807', '2026-11-27 15:34:15.308+00', 'session', '01a21da4-9609-713a-ab77-ec538fba7762', '', 'created', NULL),
	(41, '809', '2026-11-27 15:34:16.342+00', 'session', '01a21da4-9a0d-76c2-aff4-137af68b271e', '', 'created', NULL),
	(42, '813', '2026-11-27 15:34:17.075+00', 'session', '01a21da4-9cdf-7218-917f-c4eb6b3c6774', '', 'created', NULL),
	(43, '820', '2026-11-27 15:34:17.868+00', 'snapshot', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'servicespools', 'updated', '{01a21da4-8aef-736c-904a-5767a5cf18ef}'),
	(44, '823', '2026-11-27 15:34:17.991+00', 'snapshot', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'servicespools', 'updated', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}'),
	(45, '827', '2026-11-27 15:34:18.079+00', 'snapshot', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'workplaces', 'updated', '{01a21da4-8aef-736c-904a-5767a5cf18ef}'),
	(46, '829', '2026-11-27 15:34:18.147+00', 'dispatcher', '01a21da4-8a82-7538-84e8-e3545a598317', '', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(47, '834', '2026-11-27 15:34:18.259+00', 'snapshot', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'workplaces', 'updated', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}'),
	(48, '846', '2026-11-27 15:34:18.482+00', 'role', '01a21da4-a26f-70a3-bd8f-d67c214f5303', '', 'created', NULL),
	(49, '847', '2026-11-27 15:34:18.503+00', 'role', '01a21da4-a26f-70a3-bd8f-d67c214f5303', '', 'deleted', NULL),
	(50, '867', '2026-11-27 15:35:08.009+00', 'snapshot', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'servicespools', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(51, '870', '2026-11-27 15:35:08.043+00', 'snapshot', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'workplaces', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}'),
	(52, '871', '2026-11-27 15:35:08.05+00', 'snapshot', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'servicespools', 'updated', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}'),
	(53, '873', '2026-11-27 15:35:08.062+00', 'snapshot', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'spsessions', 'updated', '{01a21da4-89f4-7257-8a83-b62200036000}');

INSERT INTO public.database_roles VALUES
	('portal', 'aggregator_portal'),
	('sidecar', 'aggregator_sidecar');

INSERT INTO public.dispatcher_sessions VALUES
	('01a21da4-8e97-7408-8e35-0cb661e1bf16', '01a21da4-8a82-7538-84e8-e3545a598317', NULL, 'aggregator', '73c10f5e.7Pp6qxEaqC73aFQr.hlAn-FZRmo1r7r8NgPp3dtWR2lLWmYXAkJpJ2uXc8PMfmGbWyQRNgOp-2JEESDDPtbHoyZftfMxGdkE', '2026-11-27 15:44:13.288+00'),
	('01a21da4-a13a-771a-bd93-affd8fc3f8ff', '01a21da4-8a82-7538-84e8-e3545a598317', '01a21da4-89c4-75eb-a81d-c292d0df9d5e', 'qIj7zXCTja_v63BPBYOBHH3kTuKB0ZqiMJee6WZ4yEg', '73c10f5e.PQLjF849ZU5l3Wxr.JxJ2woD3BLftneKllBWMNX9AADjhwVRvSOWgF16enaw5MQy2ozzOASrzqHBVeMPSEfF9KYCWGc8nmdc', '2026-11-27 15:44:17.996+00'),
	('01a21da4-a204-73b3-9a7e-af81acd3cefb', '01a21da4-8b78-7393-a6b6-52e71a618c65', NULL, 'aggregator', '73c10f5e.OkZMhWZMJbEiL2gh.oQ4o1tsT27a6V3-YF-i7Ag99L9UhX_ZZrTUKJgF9apcgXmjvTcI_dnHpIlq9Z5iMcx26myuDPTUua8w', '2026-11-27 15:44:18.239+00'),
	('01a21da4-a204-73b3-9a7e-aa7d7e721d75', '01a21da4-8d06-7177-9602-5ecdf533d71a', NULL, 'aggregator', '73c10f5e.P23nO_8Ym-_qggFU.Wq8GzqlKOfoi8KMtcHPmOdZyqJaP-krvoftLTxLUrqXv1tzLzyqF5sDg5_WqAl2c7a6hYPRsY-HbdxMftFLqxfLaWTb4lSKjPxKMZ62gt-pNbb54o6Q8S3lP6UqxokBDWZX9i1AidDV852hl5yhI3nt45B1AnrYEAxydo-hVd1SfMnxbo-0', '2026-11-28 03:34:18.298+00');

INSERT INTO public.dispatchers VALUES
	('01a21da4-8b78-7393-a6b6-52e71a618c65', '2026-11-27 15:34:12.604+00', '2026-11-27 15:34:12.604+00', 1, 'south-1', 'south-1', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'dispatcher', 'https://127.0.0.1:35483', true, 1, true, '-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w
HAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN
MjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM
Y2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS
BgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx
uB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3
jldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq
gpco8vubhw==
-----END CERTIFICATE-----
', '73c10f5e.sixJn-wTx6_ejKas.wfaRUp0SfPsfprJ8xlRWdPYbj418uzuVWziEuE3AZOdCGcL5xQ', 5000, NULL, NULL, NULL, NULL, '1', 'pass', 'closed', 0, NULL, NULL, '2026-11-27 15:35:10.707+00', NULL, 3, '{"issuer": "CN=Simulated dispatchers", "subject": "CN=dispatcher", "not_after": "2027-11-27T15:34:10.000Z", "not_before": "2026-11-26T15:34:10.000Z", "fingerprint": "41e242eba6a837179f360254102f41161a77e621b1d2d1d42b18ff5945dfcaad"}', NULL, NULL, NULL),
	('01a21da4-8d06-7177-9602-5ecdf533d71a', '2026-11-27 15:34:13.005+00', '2026-11-27 15:34:13.005+00', 1, 'campus-1', 'campus-1', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'openuds', 'https://127.0.0.1:46851', true, 1, true, '-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w
HAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN
MjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM
Y2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS
BgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx
uB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3
jldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq
gpco8vubhw==
-----END CERTIFICATE-----
', NULL, 5000, 'demo', 'portal-svc', '73c10f5e.WLX-lyS-GKMTsFfM.WX8b4Y0JZvgVg1QkO7tEti1XJ4CRsNgYPZVQtw', NULL, '3.6.0', 'pass', 'closed', 0, NULL, NULL, '2026-11-27 15:35:09.387+00', NULL, 6, '{"issuer": "CN=Simulated dispatchers", "subject": "CN=dispatcher", "not_after": "2027-11-27T15:34:10.000Z", "not_before": "2026-11-26T15:34:10.000Z", "fingerprint": "898c313a8c1252ef8320977e3af2e92e6e97c794be3bfd1c63e9a9d87781f3c1"}', NULL, NULL, NULL),
	('01a21da4-8a82-7538-84e8-e3545a598317', '2026-11-27 15:34:12.377+00', '2026-11-27 15:34:12.377+00', 1, 'north-1', 'north-1', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'dispatcher', 'https://127.0.0.1:43431', true, 1, true, '-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIQAbF7OmPxQ5W47Oqxo2GxJDAKBggqhkjOPQQDAjAgMR4w
HAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMwHhcNMjYxMTI2MTUzNDA5WhcN
MjcxMTI3MTUzNDA5WjAgMR4wHAYDVQQDExVTaW11bGF0ZWQgZGlzcGF0Y2hlcnMw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATSvspn4/VUnPMXAfgGbmvoI/EAnXyM
Y2I0sNiz3vJkj8Ym7k422loc2IlRvslvFdFgIzsxkK/BRCAlaCsb0fjIo0UwQzAS
BgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUgShx
uB/5HFpt3h7UpFd0ukud0EMwCgYIKoZIzj0EAwIDSAAwRQIgHdtG6Mmk7WYsw1q3
jldgWgJn4S0yExOYditZZh51wMYCIQDiaKeyZA1Hy0K28kWbHcZntG7RxA2yjQPq
gpco8vubhw==
-----END CERTIFICATE-----
', '73c10f5e.eLln58uUu_d9pAoD.iE83mJuyIqymjaJMeujBUNzBbd4tw5qmb6VDnD5dsUOx7uh7ew', 5000, NULL, NULL, NULL, NULL, '1', 'pass', 'closed', 0, NULL, NULL, '2026-11-27 15:35:09.218+00', NULL, 9, '{"issuer": "CN=Simulated dispatchers", "subject": "CN=dispatcher", "not_after": "2027-11-27T15:34:10.000Z", "not_before": "2026-11-26T15:34:10.000Z", "fingerprint": "011978b5cfc308661933cc82cdb7ea887393846e343a71036861d7a999a3d172"}', NULL, '[{"auth": "Demo", "authUuid": "3c1f7c1a-8a52-4d0e-9a3b-5f6f1c0d7e21", "authSmallName": "demo"}]', '2026-11-27 15:34:17.996+00');

INSERT INTO public.event_marks VALUES
	(true, '0', 0, NULL, 0, NULL);

INSERT INTO public.farm_parts VALUES
	('01a21da4-8a2e-72fd-a847-125a2887b47c', 'servicespools', '01a21da4-8a82-7538-84e8-e3545a598317', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:12.648+00', '2026-11-27T15:35:08.003Z', NULL, true, '[]', '[]', 8, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8a2e-72fd-a847-125a2887b47c', 'workplaces', '01a21da4-8a82-7538-84e8-e3545a598317', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:12.648+00', '2026-11-27T15:35:08.032Z', NULL, true, '[]', '[]', 8, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8ca0-73af-a8d5-8b64b4499624', 'servicespools', '01a21da4-8d06-7177-9602-5ecdf533d71a', '2026-11-27 15:35:07.991+00', '2026-11-27 15:35:07.991+00', '2026-11-27T15:35:08.001Z', '"tnF7kiawFfM5gVj4jU06Jkxu8Acdcio_7O-lQxL5Z3U"', NULL, '[]', '[]', 43, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8a2e-72fd-a847-125a2887b47c', 'spsessions', '01a21da4-8a82-7538-84e8-e3545a598317', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:12.648+00', '2026-11-27T15:35:08.052Z', NULL, true, '[]', '[]', 9, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8a2e-72fd-a847-125a2887b47c', 'tags', '01a21da4-8a82-7538-84e8-e3545a598317', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:12.648+00', '2026-11-27T15:35:08.072Z', '"93WlDSxtREhHE-xMoi8bWT"', NULL, '[]', '[]', 3, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'servicespools', '01a21da4-8b78-7393-a6b6-52e71a618c65', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:17.592+00', '2026-11-27T15:35:08.004Z', '"dbElstZvINdnlIJ8BCDML_"', NULL, '[]', '[]', 6, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'spsessions', '01a21da4-8b78-7393-a6b6-52e71a618c65', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:17.592+00', '2026-11-27T15:35:08.022Z', '"lI-UuDaday0eVSzfuT49tS"', NULL, '[]', '[]', 2, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'tags', '01a21da4-8b78-7393-a6b6-52e71a618c65', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:17.592+00', '2026-11-27T15:35:08.025Z', '"tqUOtOqoygZL57tXDY1o_n"', NULL, '[]', '[]', 2, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'workplaces', '01a21da4-8b78-7393-a6b6-52e71a618c65', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:17.592+00', '2026-11-27T15:35:08.008Z', '"RrAEB2yQBQKqZMJD0wQNky"', NULL, '[]', '[]', 14, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8ca0-73af-a8d5-8b64b4499624', 'spsessions', '01a21da4-8d06-7177-9602-5ecdf533d71a', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:17.592+00', '2026-11-27T15:34:18.055Z', '"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"', NULL, '[]', '[]', 0, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8ca0-73af-a8d5-8b64b4499624', 'tags', '01a21da4-8d06-7177-9602-5ecdf533d71a', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:17.592+00', '2026-11-27T15:34:17.695Z', '"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"', NULL, '[]', '[]', 0, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL),
	('01a21da4-8ca0-73af-a8d5-8b64b4499624', 'workplaces', '01a21da4-8d06-7177-9602-5ecdf533d71a', '2026-11-27 15:35:07.991+00', '2026-11-27 15:34:17.592+00', '2026-11-27T15:34:18.055Z', '"4lCnT596SluaIbvvHs5XE08n-BNC6v-qp1J2RvDw5xM"', NULL, '[]', '[]', 20, '2026-11-27 15:35:07.991+00', NULL, NULL, NULL, NULL);

INSERT INTO public.farms VALUES
	('01a21da4-8a2e-72fd-a847-125a2887b47c', '2026-11-27 15:34:12.278+00', '2026-11-27 15:34:12.278+00', 1, 'North farm', 'north farm', '01a21da4-89f4-7257-8a83-b62200036000', '', true, false, NULL, 10, 'priority', false, '[]'),
	('01a21da4-8b35-7643-8e5b-d3dce701d5e3', '2026-11-27 15:34:12.535+00', '2026-11-27 15:34:12.535+00', 1, 'South farm', 'south farm', '01a21da4-8aef-736c-904a-5767a5cf18ef', '', true, false, NULL, 10, 'priority', false, '[]'),
	('01a21da4-8ca0-73af-a8d5-8b64b4499624', '2026-11-27 15:34:12.931+00', '2026-11-27 15:34:12.931+00', 1, 'Campus farm', 'campus farm', '01a21da4-8c0c-7321-abfb-e9c5aaf5ea15', '', true, false, NULL, 10, 'priority', false, '[]');

INSERT INTO public.fleet_versions VALUES
	('entitlement', 17);

INSERT INTO public.gateways VALUES
	('01a21da4-9300-7679-9844-00698589ab36', '2026-11-27 15:34:14.53+00', '2026-11-27 15:34:14.53+00', 1, 'Gateway', 'gateway', 'gw.example.com', 443, '{rdp,spice}', '{}', 1, true, false, 'lxsG96WdjQRUwyuRy_CvN31ue2SUFXA_PKO0zc6jdPI', NULL, 'family', 'tunnel', '{"sent": [], "received": []}', NULL, NULL, NULL, NULL, NULL, 'unknown');

INSERT INTO public.group_members VALUES
	('01a21da4-8df4-73a2-af6b-809a8806e035', '01a21da4-9176-73d1-8ce3-ac834e99bf17');

INSERT INTO public.groups VALUES
	('01a21da4-8df4-73a2-af6b-809a8806e035', '2026-11-27 15:34:13.238+00', '2026-11-27 15:34:13.238+00', 1, '01a21da4-835e-76bc-8020-da878aa54dc9', 'staff', 'staff', NULL, NULL, '', 'active', 'group', false, false);

INSERT INTO public.guards VALUES
	('administrators'),
	('audit'),
	('parameters'),
	('roles'),
	('tags');

INSERT INTO public.installation VALUES
	(true, '73c10f5e.iJpdyYsy0190zn91.zImNcuDeufpJgLcM_wYp_67lkUf5pvoCc11JVRzNOZm-3QQZe9AVmU0bhxqrSg', NULL, NULL);

INSERT INTO public.leases VALUES
	('sidecar', 'vm/084d04b3-63a5-4a18-8941-a7c3a0d6386e', 1, '2026-11-27 15:35:17.884+00', '2026-11-27 15:35:23.623+00');

INSERT INTO public.login_locks VALUES
	('01a21da4-7b70-7757-b7e1-0aee223f8bd2/admin', '127.0.0.1', 0, 0, NULL, NULL, '2026-11-27 15:34:08.659+00', NULL),
	('01a21da4-835e-76bc-8020-da878aa54dc9/bob', '127.0.0.1', 0, 0, NULL, NULL, '2026-11-27 15:34:15.314+00', NULL),
	('01a21da4-835e-76bc-8020-da878aa54dc9/carol', '127.0.0.1', 0, 0, NULL, NULL, '2026-11-27 15:34:16.356+00', NULL),
	('01a21da4-835e-76bc-8020-da878aa54dc9/alice', '127.0.0.1', 1, 0, NULL, '2026-11-27 15:34:17.104+00', '2026-11-27 15:34:14.722+00', NULL),
	('01a21da4-835e-76bc-8020-da878aa54dc9/alice', '*', 1, 0, NULL, '2026-11-27 15:34:17.104+00', NULL, '2026-11-27 15:34:17.104+00'),
	('*', '127.0.0.1', 1, 0, NULL, '2026-11-27 15:34:17.104+00', NULL, '2026-11-27 15:34:17.104+00'),
	('*', '*', 1, 0, NULL, '2026-11-27 15:34:17.104+00', NULL, '2026-11-27 15:34:17.104+00');

INSERT INTO public.login_sessions VALUES
	('01a21da4-9609-713a-ab77-ec538fba7762', 'lESEHNNMLk5wm26Hws69AwTjzLfWkTxTePpyYByt6JM', '01a21da4-89c4-75eb-a81d-c292d0df9d5e', 'user', '127.0.0.1', '', '', NULL, '2026-11-27 15:34:14.722+00', '2026-11-27 15:34:14.722+00', '2026-11-27 16:04:14.722+00'),
	('01a21da4-9a0d-76c2-aff4-137af68b271e', 'xc1nPbrqE3hbdNy2NDr3s1mvEeZCAzXzLKNE8EKmCjg', '01a21da4-8739-7022-830c-c9f13847dbb5', 'user', '127.0.0.1', '', '', NULL, '2026-11-27 15:34:15.314+00', '2026-11-27 15:34:15.314+00', '2026-11-27 16:04:15.314+00'),
	('01a21da4-9cdf-7218-917f-c4eb6b3c6774', 'HsWPDRx6NuqRrIaGtJ10iZGQHk1xLFLoJl6aneImf5g', '01a21da4-9176-73d1-8ce3-ac834e99bf17', 'admin', '127.0.0.1', '', '', NULL, '2026-11-27 15:34:16.356+00', '2026-11-27 15:34:16.356+00', '2026-11-27 16:04:16.356+00'),
	('01a21da4-7ff7-71f2-8642-9bcddad2de6a', '6m4OB1zmYoq00XBRJiDaw_1F-TTMQDE9UbOxdFXiIOY', '01a21da4-7b70-7757-b7e1-0e4e596859b2', 'admin', '127.0.0.1', '', '', NULL, '2026-11-27 15:34:08.659+00', '2026-11-27 15:35:23.569+00', '2026-11-27 16:05:23.569+00');

INSERT INTO public.maintenance_templates VALUES
	('01a21da4-9333-7079-9e98-b15dabb745b5', '2026-11-27 15:34:14.582+00', '2026-11-27 15:34:14.582+00', 1, 'Updates', 'updates', '', 'Back at noon', NULL, NULL, 10, true, false, false);

INSERT INTO public.monitoring_records VALUES
	('01a21da4-9366-760f-a325-17564c7ce79d', '2026-11-27 15:34:14.632+00', '2026-11-27 15:34:14.632+00', 1, '2026-11-27 15:34:14.627+00', 'info', 'portal', NULL, NULL, NULL, '', 'Moved to the new rack', 'moved to the new rack', '{}', 'open', NULL, NULL);

INSERT INTO public.pools VALUES
	('8c63102b-451c-4771-b67f-c62cde003af2', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8001-000000000001', 'Accounting', 'accounting', 'Accounting', '', 'ready', true, false, NULL, NULL, NULL, '{rdp}', 2, 0, 0, 2, 2, 0, 0, 0, false, '{}'),
	('3c7cb9c8-5d7d-4cc1-94d9-e1a9616d78af', NULL, '{}', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'a4b96b73-1928-471a-8001-000000000001', 'Design studio', 'design studio', 'Design studio', '', 'ready', true, false, NULL, NULL, NULL, '{spice}', 5, 0, 0, 5, 5, 0, 0, 0, false, '{}'),
	('0f17fd00-9ccd-4ec7-a509-3f5b5dc691d4', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office', 'Office', '', 'ready', true, false, NULL, NULL, NULL, '{rdp,spice}', 20, 0, 0, 20, 20, 1, 0, 5, false, '{}'),
	('d21b2984-dc44-46af-a469-c54a302693d4', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'f2df7a98-2ab7-4f07-9f8d-e7a3a132b249', 'Lab', 'lab', 'Lab', '', 'active', true, false, NULL, NULL, NULL, '{spice}', 0, 0, 0, 0, 3, 0, 0, 100, false, '{}'),
	('279a9de9-44c6-4ab2-8b14-edcd961aba0b', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '8851f910-3a3d-4aa6-acff-97d8def2b755', 'Lecture room', 'lecture room', 'Lecture room', '', 'active', true, false, NULL, NULL, NULL, '{rdp}', 0, 0, 0, 0, 5, 0, 0, 100, false, '{}');

INSERT INTO public.portals VALUES
	('01a21da4-78d4-768c-b41e-73ee4d1a5a1b', '2026-11-27 15:34:07.833+00', '2026-11-27 15:34:07.833+00', 1, 'vm', 'vm', 'localhost', 'universal', 'node', '7.0', '7.0.0', 'Linux 6.18.44-fc-v657', '2026-11-27 15:34:07.674+00', '2026-11-27 15:35:07.814+00', '{"farms_count": 3, "sites_count": 3, "system_info": {"os": "Linux", "machine": "x86_64", "version": "6.18.44-fc-v657"}, "version_info": {"version": "7.0"}, "servers_count": 3, "uptime_seconds": 2431.04, "disk_free_bytes": 77277880320, "disk_read_bytes": 3257152512, "disk_read_count": 154168, "disk_used_bytes": 31666413568, "disk_total_bytes": 270553174016, "disk_write_bytes": 13330616320, "disk_write_count": 119796, "auth_domain_count": 3, "cpu_total_percent": 100, "user_session_count": 2, "admin_session_count": 2, "virtual_memory_free_bytes": 14616985600, "virtual_memory_used_bytes": 3884425216, "virtual_memory_total_bytes": 25276510208, "virtual_memory_total_percent": 17.3, "virtual_memory_available_bytes": 20913860608}', '{}');

INSERT INTO public.priority_groups VALUES
	('01a21da4-9343-748a-b038-0dde3d0337f1', '2026-11-27 15:34:14.622+00', '2026-11-27 15:34:14.622+00', 1, 'Nearby', 'nearby', '', 1);

INSERT INTO public.roles VALUES
	('01a21da4-78a4-7569-9104-fa5984d0f282', '2026-11-27 15:34:07.787+00', '2026-11-27 15:34:07.787+00', 1, 'administrator', 'administrator', 'Has all permissions', '{audit.read,audit.export,authenticators.read,authenticators.create,authenticators.update,authenticators.delete,authenticators.test,dashboard.read,dispatchers.read,dispatchers.create,dispatchers.update,dispatchers.delete,farms.read,farms.create,farms.update,farms.delete,gateways.read,gateways.create,gateways.update,gateways.delete,groups.read,groups.create,groups.update,groups.delete,maintenance.read,maintenance.create,maintenance.update,maintenance.delete,monitoring.read,monitoring.create,monitoring.update,monitoring.delete,monitoring.export,peers.read,peers.create,peers.update,peers.delete,pictures.read,pictures.create,pictures.update,pictures.delete,portals.read,portals.update,portals.delete,portals.export,priority_groups.read,priority_groups.create,priority_groups.update,priority_groups.delete,roles.read,roles.create,roles.update,roles.delete,rules.read,rules.create,rules.update,rules.delete,rules.explain,scim.provision,servicespools.read,servicespools.update,servicespools.maintenance,sites.read,sites.create,sites.update,sites.delete,spsessions.read,spsessions.disconnect,spsessions.logoff,spsessions.assist,system_parameters.read,system_parameters.update,tags.read,tags.create,tags.update,tags.delete,tags.export,themes.update,users.read,users.create,users.update,users.delete,webhooks.read,webhooks.create,webhooks.update,webhooks.delete,workplaces.read,workplaces.update,workplaces.delete,workplaces.assign,workplaces.power,workplaces.maintenance,workplaces.message,workplaces.refresh,workplaces.tag,workplaces.force}', '{"sites": "*"}', true),
	('01a21da4-78a5-7666-8346-0404ff5cabbc', '2026-11-27 15:34:07.787+00', '2026-11-27 15:34:07.787+00', 1, 'operator', 'operator', 'Manages workplaces, sessions, pools and maintenance; can read everything', '{audit.read,authenticators.read,dashboard.read,dispatchers.read,farms.read,gateways.read,groups.read,maintenance.read,monitoring.read,peers.read,pictures.read,portals.read,priority_groups.read,roles.read,rules.read,servicespools.read,sites.read,spsessions.read,system_parameters.read,tags.read,users.read,webhooks.read,workplaces.read,maintenance.create,maintenance.update,maintenance.delete,servicespools.update,servicespools.maintenance,spsessions.disconnect,spsessions.logoff,spsessions.assist,workplaces.update,workplaces.delete,workplaces.assign,workplaces.power,workplaces.maintenance,workplaces.message,workplaces.refresh,workplaces.tag,workplaces.force}', '{"sites": "*"}', true),
	('01a21da4-78a5-7666-8346-0a1a54384155', '2026-11-27 15:34:07.787+00', '2026-11-27 15:34:07.787+00', 1, 'auditor', 'auditor', 'Can read and export everything', '{audit.read,authenticators.read,dashboard.read,dispatchers.read,farms.read,gateways.read,groups.read,maintenance.read,monitoring.read,peers.read,pictures.read,portals.read,priority_groups.read,roles.read,rules.read,servicespools.read,sites.read,spsessions.read,system_parameters.read,tags.read,users.read,webhooks.read,workplaces.read,audit.export,monitoring.export,portals.export,tags.export}', '{"sites": "*"}', true),
	('01a21da4-78a5-7666-8346-0d0e5ab66811', '2026-11-27 15:34:07.787+00', '2026-11-27 15:34:07.787+00', 1, 'support', 'support', 'Supports users with sessions, messages and remote assistance; can read everything', '{audit.read,authenticators.read,dashboard.read,dispatchers.read,farms.read,gateways.read,groups.read,maintenance.read,monitoring.read,peers.read,pictures.read,portals.read,priority_groups.read,roles.read,rules.read,servicespools.read,sites.read,spsessions.read,system_parameters.read,tags.read,users.read,webhooks.read,workplaces.read,spsessions.disconnect,spsessions.logoff,spsessions.assist,workplaces.message,rules.explain}', '{"sites": "*"}', true),
	('01a21da4-8db7-73ec-ab6d-25bc97165e20', '2026-11-27 15:34:13.202+00', '2026-11-27 15:34:13.202+00', 1, 'Help desk', 'help desk', '', '{farms.read,monitoring.read,sites.read,users.read}', '{"sites": ["01a21da4-89f4-7257-8a83-b62200036000"]}', false);

INSERT INTO public.rules VALUES
	('01a21da4-927a-7428-82c3-2d063f422b98', '2026-11-27 15:34:14.487+00', '2026-11-27 15:34:14.487+00', 1, 'Offices', 'offices', '01a21da4-89f4-7257-8a83-b62200036000', '', true, 'Offices', NULL, 'priority', true, 'session', '{"all": [], "any": ["office"]}');

INSERT INTO public.service_lists VALUES
	('01a21da4-89c4-75eb-a81d-c292d0df9d5e', '01a21da4-8a2e-72fd-a847-125a2887b47c', 'qIj7zXCTja_v63BPBYOBHH3kTuKB0ZqiMJee6WZ4yEg', 17, '2026-11-27 15:34:03.216+00', '[{"name": "Accounting", "uuid": "7651e4f5-7f68-469d-8001-000000000001", "state": "ready", "in_use": false, "sessions": [], "protocols": ["rdp"], "description": "", "maintenance": false}, {"name": "Office", "uuid": "7651e4f5-7f68-469d-8001-000000000002", "state": "ready", "in_use": false, "sessions": [], "protocols": ["rdp", "spice"], "description": "", "maintenance": false}]', DEFAULT);

INSERT INTO public.service_preferences VALUES
	('01a21da4-89c4-75eb-a81d-c292d0df9d5e', '01a21da4-89f4-7257-8a83-b62200036000', '01a21da4-8a2e-72fd-a847-125a2887b47c.7651e4f5-7f68-469d-8001-000000000002', false, '2026-11-27 15:34:18.216+00', NULL);

INSERT INTO public.site_authenticators VALUES
	('01a21da4-89f4-7257-8a83-b62200036000', '01a21da4-835e-76bc-8020-da878aa54dc9'),
	('01a21da4-8aef-736c-904a-5767a5cf18ef', '01a21da4-835e-76bc-8020-da878aa54dc9'),
	('01a21da4-8c0c-7321-abfb-e9c5aaf5ea15', '01a21da4-835e-76bc-8020-da878aa54dc9');

INSERT INTO public.sites VALUES
	('01a21da4-8aef-736c-904a-5767a5cf18ef', '2026-11-27 15:34:12.471+00', '2026-11-27 15:34:12.471+00', 1, 'South', 'south', 'south', 'A simulated site that takes 800 ms for each request of a user', true, false, NULL, 1, false, NULL),
	('01a21da4-8c0c-7321-abfb-e9c5aaf5ea15', '2026-11-27 15:34:12.764+00', '2026-11-27 15:34:12.764+00', 1, 'Campus', 'campus', 'campus', 'A simulated site that runs OpenUDS', true, false, NULL, 1, false, NULL),
	('01a21da4-89f4-7257-8a83-b62200036000', '2026-11-27 15:34:12.217+00', '2026-11-27 15:34:14.661+00', 2, 'North', 'north', 'north', 'Moved to the new rack', true, false, NULL, 1, false, NULL);

INSERT INTO public.system_parameters VALUES
	('limits.per_token_per_minute', '0', '2026-11-27 15:34:09.895+00'),
	('limits.anonymous_per_ip_per_minute', '0', '2026-11-27 15:34:09.895+00');

INSERT INTO public.tags VALUES
	('01a21da4-8d8e-771b-a0eb-3a7ab79a98fb', '2026-11-27 15:34:13.144+00', '2026-11-27 15:34:13.144+00', 1, 'office', 'office', NULL, '', 'manual');

INSERT INTO public.telemetry_batches VALUES
	('01a21da5-a0d2-73cb-815b-cc44c745ec0b', '2026-11-27 15:35:23.618+00', '[["http_requests", ["webui", "audit.verify", "200"], 1], ["http_duration", ["webui", "audit.verify", "0.05"], 1], ["http_duration_sum", ["webui", "audit.verify"], 0.03339550299999246]]'),
	('01a21da5-a0e9-75ba-bcd7-5b8a73e0dd8e', '2026-11-27 15:35:23.626+00', '[["jobs", ["portal report", "success"], 1], ["jobs", ["telemetry hand-over", "success"], 1], ["jobs", ["lease", "success"], 2], ["jobs", ["job queue", "success"], 8], ["jobs", ["system-sample", "success"], 4], ["jobs", ["hourly jobs", "success"], 2], ["jobs", ["certificates", "success"], 1], ["upstream_duration", ["01a21da4-8a82-7538-84e8-e3545a598317", "0.005"], 4], ["upstream_duration_sum", ["01a21da4-8a82-7538-84e8-e3545a598317"], 0.021879247000004397], ["upstream_duration", ["01a21da4-8b78-7393-a6b6-52e71a618c65", "0.01"], 1], ["upstream_duration_sum", ["01a21da4-8b78-7393-a6b6-52e71a618c65"], 0.02668340300000273], ["upstream_duration", ["01a21da4-8d06-7177-9602-5ecdf533d71a", "0.01"], 3], ["upstream_duration_sum", ["01a21da4-8d06-7177-9602-5ecdf533d71a"], 0.03180924599999707], ["upstream_duration", ["01a21da4-8b78-7393-a6b6-52e71a618c65", "0.025"], 1], ["upstream_duration", ["01a21da4-8b78-7393-a6b6-52e71a618c65", "0.005"], 3], ["jobs", ["rest", "success"], 16], ["upstream_duration", ["01a21da4-8d06-7177-9602-5ecdf533d71a", "0.005"], 4], ["jobs", ["snapshot", "success"], 1], ["upstream_duration", ["01a21da4-8a82-7538-84e8-e3545a598317", "0.01"], 1], ["jobs", ["agenda", "success"], 2], ["jobs", ["telemetry", "success"], 1], ["jobs", ["probes", "success"], 1]]');

INSERT INTO public.telemetry_marks VALUES
	('logins', 34);

INSERT INTO public.telemetry_sums VALUES
	('http_duration', '{webui,authenticator.list,0.1}', 1),
	('http_duration', '{webui,systemParameters.replace,0.1}', 1),
	('http_duration', '{webui,user.list,0.025}', 2),
	('http_duration_sum', '{webui,systemParameters.replace}', 0.05389214600000014),
	('http_duration_sum', '{webui,user.list}', 0.03157768300000134),
	('http_requests', '{webui,systemParameters.replace,200}', 1),
	('http_requests', '{webui,user.list,200}', 2),
	('http_duration_sum', '{webui,role.create}', 0.07849097299999813),
	('http_duration', '{auth,login.create,2.5}', 2),
	('http_duration', '{webui,authenticator.create,0.05}', 2),
	('http_duration', '{webui,authenticator.list,0.025}', 1),
	('http_duration', '{webui,dispatcher.create,0.05}', 1),
	('http_duration', '{webui,dispatcher.create,0.1}', 2),
	('http_duration', '{webui,dispatcher.list,0.025}', 2),
	('http_duration', '{webui,dispatcher.list,0.05}', 1),
	('http_duration', '{webui,farm.create,0.05}', 2),
	('http_duration', '{webui,farm.create,0.1}', 1),
	('http_duration', '{webui,farm.list,0.025}', 3),
	('http_duration', '{webui,farm.list,0.05}', 1),
	('http_duration', '{webui,gateway.create,0.025}', 1),
	('http_duration', '{webui,group.create,0.05}', 1),
	('http_duration', '{webui,maintenance_template.create,0.01}', 1),
	('http_duration', '{webui,monitoring_record.create,0.01}', 1),
	('http_duration', '{webui,priority_group.create,0.05}', 1),
	('http_duration', '{webui,role.create,0.1}', 1),
	('http_duration', '{webui,rule.create,0.25}', 1),
	('http_duration', '{webui,site.create,0.05}', 2),
	('http_duration', '{webui,site.create,0.1}', 1),
	('http_duration', '{webui,site.list,0.025}', 3),
	('http_duration', '{webui,site.list,0.05}', 1),
	('http_duration', '{webui,site.update,0.05}', 1),
	('http_duration', '{webui,tag.create,0.05}', 1),
	('http_duration', '{webui,user.create,1}', 2),
	('http_duration', '{webui,user.create,2.5}', 1),
	('http_duration', '{webui,webhook.create,0.05}', 1),
	('http_duration_sum', '{webui,authenticator.create}', 0.07379623899999933),
	('http_duration_sum', '{webui,authenticator.list}', 0.10595096999999805),
	('http_duration_sum', '{webui,dispatcher.create}', 0.14675895300000047),
	('http_duration_sum', '{webui,dispatcher.list}', 0.06250658699999803),
	('http_duration_sum', '{webui,farm.create}', 0.13342505699999857),
	('http_duration_sum', '{webui,farm.list}', 0.09629422599999998),
	('http_duration_sum', '{webui,gateway.create}', 0.02231314199999906),
	('http_duration_sum', '{webui,group.create}', 0.04677285200000006),
	('http_duration_sum', '{webui,maintenance_template.create}', 0.00919216299999971),
	('http_duration_sum', '{webui,monitoring_record.create}', 0.00860695399999895),
	('http_duration_sum', '{webui,priority_group.create}', 0.03909664100000009),
	('http_duration_sum', '{webui,rule.create}', 0.15216171699999903),
	('http_duration_sum', '{webui,site.create}', 0.13489347799999996),
	('http_duration_sum', '{webui,site.list}', 0.09296808700000112),
	('http_duration_sum', '{webui,site.update}', 0.0404221890000008),
	('http_duration_sum', '{webui,tag.create}', 0.04861543899999924),
	('http_duration_sum', '{webui,user.create}', 3.4780327499999983),
	('http_duration_sum', '{webui,webhook.create}', 0.02648101199999837),
	('http_requests', '{webui,authenticator.create,201}', 2),
	('http_requests', '{webui,authenticator.list,200}', 2),
	('logins', '{success}', 4),
	('http_duration', '{auth,jwks.get,0.005}', 2),
	('http_duration', '{auth,login.create,1}', 3),
	('http_duration_sum', '{auth,jwks.get}', 0.0020878500000017083),
	('http_duration_sum', '{auth,login.create}', 4.398058429),
	('http_requests', '{auth,jwks.get,200}', 2),
	('http_requests', '{auth,login.create,200}', 4),
	('http_requests', '{webui,dispatcher.create,201}', 3),
	('http_requests', '{webui,dispatcher.list,200}', 3),
	('http_requests', '{webui,farm.create,201}', 3),
	('http_requests', '{webui,farm.list,200}', 4),
	('http_requests', '{webui,gateway.create,201}', 1),
	('http_requests', '{webui,group.create,201}', 1),
	('http_requests', '{webui,maintenance_template.create,201}', 1),
	('http_requests', '{webui,monitoring_record.create,201}', 1),
	('http_requests', '{webui,priority_group.create,201}', 1),
	('http_requests', '{webui,rule.create,201}', 1),
	('http_requests', '{webui,site.create,201}', 3),
	('http_requests', '{webui,site.list,200}', 4),
	('http_requests', '{webui,site.update,200}', 1),
	('http_requests', '{webui,tag.create,201}', 1),
	('http_requests', '{webui,user.create,201}', 3),
	('http_requests', '{webui,webhook.create,201}', 1),
	('logins', '{failure}', 1),
	('http_duration', '{client,connection.get,0.25}', 1),
	('http_duration', '{client,service.list,0.25}', 1),
	('http_duration', '{userinfo,userinfo.get,0.025}', 1),
	('http_duration', '{webui,role.create,0.025}', 1),
	('http_duration', '{webui,role.delete,0.025}', 1),
	('http_duration_sum', '{client,connection.get}', 0.2488192940000008),
	('http_duration_sum', '{client,service.list}', 0.213802463),
	('http_duration_sum', '{userinfo,userinfo.get}', 0.024380943000000117),
	('http_duration_sum', '{webui,role.delete}', 0.019763784999999187),
	('http_requests', '{auth,login.create,401}', 1),
	('http_requests', '{client,connection.get,200}', 1),
	('http_requests', '{client,service.list,200}', 1),
	('http_requests', '{userinfo,userinfo.get,200}', 1),
	('http_requests', '{webui,role.create,201}', 2),
	('http_requests', '{webui,role.delete,204}', 1),
	('jobs', '{agenda,success}', 32),
	('jobs', '{"audit sealer",success}', 14),
	('jobs', '{certificates,success}', 1),
	('jobs', '{"hourly jobs",success}', 6),
	('jobs', '{"job queue",success}', 30),
	('jobs', '{lease,success}', 6);
INSERT INTO public.telemetry_sums VALUES
	('jobs', '{"portal report",success}', 2),
	('jobs', '{probes,success}', 8),
	('jobs', '{rest,success}', 60),
	('jobs', '{snapshot,success}', 1),
	('jobs', '{"snapshot of new farms",success}', 2),
	('jobs', '{system-sample,success}', 12),
	('jobs', '{telemetry,success}', 7),
	('jobs', '{"telemetry hand-over",success}', 1),
	('upstream_duration', '{01a21da4-89f4-7257-8a83-b62200036000,0.005}', 4),
	('upstream_duration', '{01a21da4-89f4-7257-8a83-b62200036000,0.01}', 1),
	('upstream_duration', '{01a21da4-89f4-7257-8a83-b62200036000,0.025}', 6),
	('upstream_duration', '{01a21da4-89f4-7257-8a83-b62200036000,0.05}', 1),
	('upstream_duration', '{01a21da4-89f4-7257-8a83-b62200036000,0.1}', 3),
	('upstream_duration', '{01a21da4-89f4-7257-8a83-b62200036000,0.25}', 1),
	('upstream_duration', '{01a21da4-8aef-736c-904a-5767a5cf18ef,0.005}', 4),
	('upstream_duration', '{01a21da4-8aef-736c-904a-5767a5cf18ef,0.01}', 1),
	('upstream_duration', '{01a21da4-8aef-736c-904a-5767a5cf18ef,0.025}', 2),
	('upstream_duration', '{01a21da4-8aef-736c-904a-5767a5cf18ef,0.05}', 2),
	('upstream_duration', '{01a21da4-8aef-736c-904a-5767a5cf18ef,0.1}', 1),
	('upstream_duration', '{01a21da4-8aef-736c-904a-5767a5cf18ef,0.25}', 1),
	('upstream_duration', '{01a21da4-8aef-736c-904a-5767a5cf18ef,0.5}', 1),
	('upstream_duration', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15,0.005}', 1),
	('upstream_duration', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15,0.025}', 5),
	('upstream_duration', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15,0.05}', 6),
	('upstream_duration', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15,0.1}', 2),
	('upstream_duration', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15,0.25}', 2),
	('upstream_duration_sum', '{01a21da4-89f4-7257-8a83-b62200036000}', 0.6014143410000006),
	('upstream_duration_sum', '{01a21da4-8aef-736c-904a-5767a5cf18ef}', 0.6555352489999942),
	('upstream_duration_sum', '{01a21da4-8c0c-7321-abfb-e9c5aaf5ea15}', 0.7987994429999944);

INSERT INTO public.user_roles VALUES
	('01a21da4-7b70-7757-b7e1-0e4e596859b2', '01a21da4-78a4-7569-9104-fa5984d0f282'),
	('01a21da4-9176-73d1-8ce3-ac834e99bf17', '01a21da4-8db7-73ec-ab6d-25bc97165e20');

INSERT INTO public.users VALUES
	('01a21da4-7b70-7757-b7e1-0e4e596859b2', '2026-11-27 15:34:08.498+00', '2026-11-27 15:34:08.498+00', 1, '01a21da4-7b70-7757-b7e1-0aee223f8bd2', 'admin', 'admin', 'Administrator', '', '', '', '', 'active', 'person', NULL, 'scrypt$16384$8$5$E94mv46MGdn4lSfiSV14UA$_1opiz2EzIcHsKZVrS_JVdGMz8A60jcl5MQyr7mcET0', NULL, false, '{}', '2026-11-27 15:34:08.659+00', NULL, NULL, NULL, NULL, NULL),
	('01a21da4-89c4-75eb-a81d-c292d0df9d5e', '2026-11-27 15:34:12.167+00', '2026-11-27 15:34:12.167+00', 1, '01a21da4-835e-76bc-8020-da878aa54dc9', 'alice', 'alice', 'Alice', '', '', '', '', 'active', 'person', NULL, 'scrypt$16384$8$5$kiyNrsyA8cKhtU1RJz9H1Q$O53JlnBfoDlvQcIFFwOrz22HSul_4zLCb6bKUJ0bx5w', '2026-11-27 15:34:10.582+00', false, '{}', '2026-11-27 15:34:14.722+00', NULL, NULL, NULL, NULL, NULL),
	('01a21da4-8739-7022-830c-c9f13847dbb5', '2026-11-27 15:34:11.531+00', '2026-11-27 15:34:11.531+00', 1, '01a21da4-835e-76bc-8020-da878aa54dc9', 'bob', 'bob', 'Bob', '', '', '', '', 'active', 'person', NULL, 'scrypt$16384$8$5$Ps0pbSs56vMb3lU_mGCRPw$9I5pEsVmO_tmPoQMaIi7ZRyAyVwjqsh3FfiGLG75o98', '2026-11-27 15:34:10.583+00', false, '{}', '2026-11-27 15:34:15.314+00', NULL, NULL, NULL, NULL, NULL),
	('01a21da4-9176-73d1-8ce3-ac834e99bf17', '2026-11-27 15:34:14.154+00', '2026-11-27 15:34:14.154+00', 1, '01a21da4-835e-76bc-8020-da878aa54dc9', 'carol', 'carol', 'Carol', '', '', 'carol@example.com', '', 'active', 'person', NULL, 'scrypt$16384$8$5$beu0L-bJ9whVPi0yN7iBbg$ASud3UQZewrpxIPkNl5qnFQIX3xjEnrORNvyIwvDJQk', '2026-11-27 15:34:13.261+00', false, '{}', '2026-11-27 15:34:16.356+00', NULL, NULL, NULL, NULL, NULL);

INSERT INTO public.webhooks VALUES
	('01a21da4-9317-72dc-a72b-1e37d507fbaf', '2026-11-27 15:34:14.554+00', '2026-11-27 15:34:14.554+00', 1, 'Inventory', 'inventory', '', 'https://hooks.example.com/portal', NULL, '{site.updated}', false, '01a21da4-7b70-7757-b7e1-0e4e596859b2', '73c10f5e.ZyNzvgs_KneKYsW0.7vl4dcip3OsHyxeRSlaR0wUd9nU8gQdsmJ7tLujfyW7FviZQ7YZH1Dt9eDsawXl-C_RfI1W_nqQGeT0YzejS8bIy', NULL, NULL, '2026-11-27 15:34:14.547+00', NULL, NULL, NULL, 0, false);

INSERT INTO public.workplace_sessions VALUES
	('773d6022-91e1-40f1-8f8f-2bcd3f76e916', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8003-000000000001', '7651e4f5-7f68-469d-8001-000000000002', 'Office', '7651e4f5-7f68-469d-8002-000000000003', 'office-00001', '10.0.0.3', 'alice', 'demo', 'demo\alice', 'rdp', '127.0.0.1', NULL, NULL, 'active', '2026-11-27 15:34:18.348+00', '2026-11-27 15:34:18.348+00');

INSERT INTO public.workplaces VALUES
	('996b4595-5b0c-4fd6-b964-99e7e306ebc9', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000001', '7651e4f5-7f68-469d-8001-000000000001', 'Accounting', 'accounting-00001', 'accounting-00001', '52:54:00:00:00:01', 'accounting-00001', '10.0.0.1', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('39f8177d-32e2-448d-9e94-ee1f32829672', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000002', '7651e4f5-7f68-469d-8001-000000000001', 'Accounting', 'accounting-00002', 'accounting-00002', '52:54:00:00:00:02', 'accounting-00002', '10.0.0.2', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('737c02e4-2814-4b66-8462-2d62e372698c', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000004', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00002', 'office-00002', '52:54:00:00:00:04', 'office-00002', '10.0.0.4', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('faec6843-5cad-4c23-b0f0-d8008cd24468', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000005', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00003', 'office-00003', '52:54:00:00:00:05', 'office-00003', '10.0.0.5', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('64cf33f7-530f-4216-82fd-7bab9f3991b7', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000006', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00004', 'office-00004', '52:54:00:00:00:06', 'office-00004', '10.0.0.6', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('67d5c9c5-e5ee-4105-ac59-b48b63e078e1', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000007', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00005', 'office-00005', '52:54:00:00:00:07', 'office-00005', '10.0.0.7', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('3551c78d-44a4-4ba1-8577-835fb6c0899e', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000008', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00006', 'office-00006', '52:54:00:00:00:08', 'office-00006', '10.0.0.8', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('ec209db4-9054-4486-9600-810b55847c96', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000009', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00007', 'office-00007', '52:54:00:00:00:09', 'office-00007', '10.0.0.9', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('2d7561b7-4584-4aea-9599-2da10465d32e', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-00000000000a', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00008', 'office-00008', '52:54:00:00:00:0a', 'office-00008', '10.0.0.10', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('3ae8691a-c7c1-41f6-a679-bb8535e7f30d', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-00000000000b', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00009', 'office-00009', '52:54:00:00:00:0b', 'office-00009', '10.0.0.11', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('d637857f-27c5-4a15-80d2-7584b0bbea08', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-00000000000c', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00010', 'office-00010', '52:54:00:00:00:0c', 'office-00010', '10.0.0.12', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('d9287c9d-2b82-487a-872e-4c4c48d710ce', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-00000000000d', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00011', 'office-00011', '52:54:00:00:00:0d', 'office-00011', '10.0.0.13', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('3e3b4716-121e-4dd8-8bc6-b1157dbc3115', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-00000000000e', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00012', 'office-00012', '52:54:00:00:00:0e', 'office-00012', '10.0.0.14', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('66c842b8-4d01-4dc6-bab6-4ee4c75f9512', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-00000000000f', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00013', 'office-00013', '52:54:00:00:00:0f', 'office-00013', '10.0.0.15', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('8465aba8-0d95-47d2-a5b1-c21b58413c44', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000010', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00014', 'office-00014', '52:54:00:00:00:10', 'office-00014', '10.0.0.16', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('0e537d14-0d22-482b-ae43-b604c41809df', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000011', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00015', 'office-00015', '52:54:00:00:00:11', 'office-00015', '10.0.0.17', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('46c303c3-24f4-41a6-b456-ee8e12a0e055', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000012', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00016', 'office-00016', '52:54:00:00:00:12', 'office-00016', '10.0.0.18', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('084afbef-e864-424d-8b2b-0a18604f900a', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000013', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00017', 'office-00017', '52:54:00:00:00:13', 'office-00017', '10.0.0.19', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('89612d67-3759-4cca-89f4-8d69bb55701e', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000014', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00018', 'office-00018', '52:54:00:00:00:14', 'office-00018', '10.0.0.20', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('19c2addd-978e-4a58-9cdc-3aa81e2cff9e', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000015', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00019', 'office-00019', '52:54:00:00:00:15', 'office-00019', '10.0.0.21', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('4a6dc247-4c92-4b55-a79a-4dada7a04f14', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000016', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00020', 'office-00020', '52:54:00:00:00:16', 'office-00020', '10.0.0.22', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.299+00', NULL),
	('f8079ea8-8d25-4f6a-9c81-7e68a52a10bb', NULL, '{}', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'a4b96b73-1928-471a-8002-000000000001', 'a4b96b73-1928-471a-8001-000000000001', 'Design studio', 'design-studio-00001', 'design-studio-00001', '52:54:00:00:00:01', 'design-studio-00001', '10.0.0.1', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.3+00', NULL),
	('ef204ad5-9871-4d03-addc-8fc02c8ec6f2', NULL, '{}', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'a4b96b73-1928-471a-8002-000000000002', 'a4b96b73-1928-471a-8001-000000000001', 'Design studio', 'design-studio-00002', 'design-studio-00002', '52:54:00:00:00:02', 'design-studio-00002', '10.0.0.2', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.3+00', NULL),
	('0864ecd8-a0b4-465e-9e7e-3e8a0c697285', NULL, '{}', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'a4b96b73-1928-471a-8002-000000000003', 'a4b96b73-1928-471a-8001-000000000001', 'Design studio', 'design-studio-00003', 'design-studio-00003', '52:54:00:00:00:03', 'design-studio-00003', '10.0.0.3', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.3+00', NULL),
	('1fb58d2d-9028-4c80-ac4a-b19298da40a0', NULL, '{}', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'a4b96b73-1928-471a-8002-000000000004', 'a4b96b73-1928-471a-8001-000000000001', 'Design studio', 'design-studio-00004', 'design-studio-00004', '52:54:00:00:00:04', 'design-studio-00004', '10.0.0.4', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.3+00', NULL),
	('c94ff84c-555d-47f3-87e6-cb55a06fcb2d', NULL, '{}', '01a21da4-8b35-7643-8e5b-d3dce701d5e3', 'a4b96b73-1928-471a-8002-000000000005', 'a4b96b73-1928-471a-8001-000000000001', 'Design studio', 'design-studio-00005', 'design-studio-00005', '52:54:00:00:00:05', 'design-studio-00005', '10.0.0.5', 'ready', 'running', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', '7.0.0', NULL, 1, '2026-11-27 15:34:10.3+00', NULL),
	('cf9fc8df-8146-4116-b1ff-bac89dd2181e', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '3f7e4920-317d-4d3e-8cda-abfe338e06f7', 'f2df7a98-2ab7-4f07-9f8d-e7a3a132b249', 'Lab', 'Lab-c0', 'lab-c0', '02:00:00:00:00:0', 'Lab-c0', '10.0.0.0', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('5f9bc3fd-cf5d-41ff-acb8-f2d6dadb02e4', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '43280a1a-032d-4065-b531-b052f7ea15b1', 'f2df7a98-2ab7-4f07-9f8d-e7a3a132b249', 'Lab', 'Lab-c1', 'lab-c1', '02:00:00:00:00:1', 'Lab-c1', '10.0.0.1', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('7064056e-7184-4a5a-bcc3-42d0a27b07c6', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'cf06d627-afa9-4f7d-b12a-8fe4950be443', 'f2df7a98-2ab7-4f07-9f8d-e7a3a132b249', 'Lab', 'Lab-c2', 'lab-c2', '02:00:00:00:00:2', 'Lab-c2', '10.0.0.2', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('5b08721d-1186-4598-a88d-bf118442ee25', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '7534eb0b-90ae-4967-9835-9bf247afc4ca', '8851f910-3a3d-4aa6-acff-97d8def2b755', 'Lecture room', 'Lecture room-c0', 'lecture room-c0', '02:00:00:00:00:3', 'Lecture room-c0', '10.0.0.3', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('985b8138-d560-4b22-8aff-9ec0ce159d60', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '9dca816e-5007-4f01-8be2-d54c83622e82', '8851f910-3a3d-4aa6-acff-97d8def2b755', 'Lecture room', 'Lecture room-c1', 'lecture room-c1', '02:00:00:00:00:4', 'Lecture room-c1', '10.0.0.4', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('cc3d862f-734d-4bab-bbf0-9ab796b44d52', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', 'a540826f-b69f-48cc-bf26-cfd88df52be0', '8851f910-3a3d-4aa6-acff-97d8def2b755', 'Lecture room', 'Lecture room-c2', 'lecture room-c2', '02:00:00:00:00:5', 'Lecture room-c2', '10.0.0.5', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('e3199251-a881-473f-bd3b-a11af761b698', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '1377bfa4-2601-4fd6-b6a6-c3793e37615e', '8851f910-3a3d-4aa6-acff-97d8def2b755', 'Lecture room', 'Lecture room-c3', 'lecture room-c3', '02:00:00:00:00:6', 'Lecture room-c3', '10.0.0.6', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('3faa879e-3d09-4ba0-9870-0520e9df8ae7', NULL, '{}', '01a21da4-8ca0-73af-a8d5-8b64b4499624', '6084ee92-9c94-46b3-8dc4-a8acfc30adf9', '8851f910-3a3d-4aa6-acff-97d8def2b755', 'Lecture room', 'Lecture room-c4', 'lecture room-c4', '02:00:00:00:00:7', 'Lecture room-c4', '10.0.0.7', 'ready', 'unknown', NULL, NULL, NULL, false, NULL, NULL, NULL, false, '{}', NULL, NULL, NULL, '2026-11-27 15:34:10+00', NULL),
	('ec833f4d-b8d7-4075-ace4-7b455c1cd5c8', NULL, '{}', '01a21da4-8a2e-72fd-a847-125a2887b47c', '7651e4f5-7f68-469d-8002-000000000003', '7651e4f5-7f68-469d-8001-000000000002', 'Office', 'office-00001', 'office-00001', '52:54:00:00:00:03', 'office-00001', '10.0.0.3', 'in_use', 'running', 'demo', 'alice', 'demo\alice', true, '2026-11-27 15:34:18.348+00', '127.0.0.1', NULL, false, '{}', '7.0.0', '2026-11-27 15:34:18.348+00', 1, '2026-11-27 15:34:10.299+00', NULL);

SELECT pg_catalog.setval('drizzle.__drizzle_migrations_id_seq', 1, true);

SELECT pg_catalog.setval('public.changes_seq_seq', 53, true);

ALTER TABLE ONLY drizzle.__drizzle_migrations
    ADD CONSTRAINT __drizzle_migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY drizzle.sql_files
    ADD CONSTRAINT sql_files_pkey PRIMARY KEY (name);

ALTER TABLE ONLY pgboss.bam
    ADD CONSTRAINT bam_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pgboss.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT job_common_pkey PRIMARY KEY (name, id);

ALTER TABLE ONLY pgboss.job_dependency
    ADD CONSTRAINT job_dependency_pkey PRIMARY KEY (child_name, child_id, parent_name, parent_id);

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (name);

ALTER TABLE ONLY pgboss.queue_stats
    ADD CONSTRAINT queue_stats_pkey PRIMARY KEY (id, captured_on);

ALTER TABLE ONLY pgboss.queue_stats_20261127
    ADD CONSTRAINT queue_stats_20261127_pkey PRIMARY KEY (id, captured_on);

ALTER TABLE ONLY pgboss.queue_stats_20261128
    ADD CONSTRAINT queue_stats_20261128_pkey PRIMARY KEY (id, captured_on);

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (name, key);

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (event, name);

ALTER TABLE ONLY pgboss.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (version);

ALTER TABLE ONLY pgboss.warning
    ADD CONSTRAINT warning_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.agent_registrations
    ADD CONSTRAINT agent_registrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alert_mails
    ADD CONSTRAINT alert_mails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (record_id);

ALTER TABLE ONLY public.audit_checkpoints
    ADD CONSTRAINT audit_checkpoints_seq_base_seq_kid_pk PRIMARY KEY (seq, base_seq, kid);

ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_forwards
    ADD CONSTRAINT audit_forwards_pkey PRIMARY KEY (target);

ALTER TABLE ONLY public.audit_head
    ADD CONSTRAINT audit_head_pkey PRIMARY KEY ("only");

ALTER TABLE ONLY public.audit_refusals
    ADD CONSTRAINT audit_refusals_subject_minute_pk PRIMARY KEY (subject, minute);

ALTER TABLE ONLY public.authenticators
    ADD CONSTRAINT authenticators_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.change_marks
    ADD CONSTRAINT change_marks_pkey PRIMARY KEY ("only");

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_xid_seq_pk PRIMARY KEY (xid, seq);

ALTER TABLE ONLY public.client_keys
    ADD CONSTRAINT client_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.database_roles
    ADD CONSTRAINT database_roles_pkey PRIMARY KEY (process);

ALTER TABLE ONLY public.directory_refusals
    ADD CONSTRAINT directory_refusals_pkey PRIMARY KEY (authenticator_id);

ALTER TABLE ONLY public.dispatcher_sessions
    ADD CONSTRAINT dispatcher_sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.dispatchers
    ADD CONSTRAINT dispatchers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ended_node_keys
    ADD CONSTRAINT ended_node_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.event_marks
    ADD CONSTRAINT event_marks_pkey PRIMARY KEY ("only");

ALTER TABLE ONLY public.exported_chunks
    ADD CONSTRAINT exported_chunks_file_n_pk PRIMARY KEY (file, n);

ALTER TABLE ONLY public.exported_files
    ADD CONSTRAINT exported_files_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.farm_parts
    ADD CONSTRAINT farm_parts_farm_id_kind_pk PRIMARY KEY (farm_id, kind);

ALTER TABLE ONLY public.farm_tags
    ADD CONSTRAINT farm_tags_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.farms
    ADD CONSTRAINT farms_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.fleet_versions
    ADD CONSTRAINT fleet_versions_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.gateway_sites
    ADD CONSTRAINT gateway_sites_gateway_id_site_id_pk PRIMARY KEY (gateway_id, site_id);

ALTER TABLE ONLY public.gateway_tickets
    ADD CONSTRAINT gateway_tickets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.gateway_tunnels
    ADD CONSTRAINT gateway_tunnels_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.gateways
    ADD CONSTRAINT gateways_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_user_id_group_id_pk PRIMARY KEY (user_id, group_id);

ALTER TABLE ONLY public.group_parts
    ADD CONSTRAINT group_parts_group_id_part_id_pk PRIMARY KEY (group_id, part_id);

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.guards
    ADD CONSTRAINT guards_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_owner UNIQUE NULLS NOT DISTINCT (user_id, peer_id, key);

ALTER TABLE ONLY public.images
    ADD CONSTRAINT images_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY ("only");

ALTER TABLE ONLY public.issued_connections
    ADD CONSTRAINT issued_connections_user_id_rule_id_pk PRIMARY KEY (user_id, rule_id);

ALTER TABLE ONLY public.job_outbox
    ADD CONSTRAINT job_outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.job_workers
    ADD CONSTRAINT job_workers_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.login_challenges
    ADD CONSTRAINT login_challenges_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.login_locks
    ADD CONSTRAINT login_locks_account_network_pk PRIMARY KEY (account, network);

ALTER TABLE ONLY public.login_sessions
    ADD CONSTRAINT login_sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.maintenance_steps
    ADD CONSTRAINT maintenance_steps_window_id_farm_id_phase_target_pk PRIMARY KEY (window_id, farm_id, phase, target);

ALTER TABLE ONLY public.maintenance_templates
    ADD CONSTRAINT maintenance_templates_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.maintenance_windows
    ADD CONSTRAINT maintenance_windows_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.monitoring_records
    ADD CONSTRAINT monitoring_records_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.node_logins
    ADD CONSTRAINT node_logins_origin_credentials_pk PRIMARY KEY (origin, credentials);

ALTER TABLE ONLY public.page_tokens
    ADD CONSTRAINT page_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.passkey_recovery_codes
    ADD CONSTRAINT passkey_recovery_codes_user_id_code_hash_pk PRIMARY KEY (user_id, code_hash);

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.password_history
    ADD CONSTRAINT password_history_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.peer_roles
    ADD CONSTRAINT peer_roles_peer_id_role_id_pk PRIMARY KEY (peer_id, role_id);

ALTER TABLE ONLY public.peer_sessions
    ADD CONSTRAINT peer_sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.peers
    ADD CONSTRAINT peers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pictures
    ADD CONSTRAINT pictures_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.pkinit_challenges
    ADD CONSTRAINT pkinit_challenges_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.priority_group_farms
    ADD CONSTRAINT priority_group_farms_priority_group_id_farm_id_pk PRIMARY KEY (priority_group_id, farm_id);

ALTER TABLE ONLY public.priority_group_groups
    ADD CONSTRAINT priority_group_groups_priority_group_id_group_id_pk PRIMARY KEY (priority_group_id, group_id);

ALTER TABLE ONLY public.priority_group_users
    ADD CONSTRAINT priority_group_users_priority_group_id_user_id_pk PRIMARY KEY (priority_group_id, user_id);

ALTER TABLE ONLY public.priority_groups
    ADD CONSTRAINT priority_groups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.program_grants
    ADD CONSTRAINT program_grants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.provider_grants
    ADD CONSTRAINT provider_grants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.provider_logins
    ADD CONSTRAINT provider_logins_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.provider_sessions
    ADD CONSTRAINT provider_sessions_pkey PRIMARY KEY (session_id);

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_code_hash_pk PRIMARY KEY (user_id, code_hash);

ALTER TABLE ONLY public.removed_rows
    ADD CONSTRAINT removed_rows_farm_id_kind_uuid_pk PRIMARY KEY (farm_id, kind, uuid);

ALTER TABLE ONLY public.roles
    ADD CONSTRAINT roles_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rule_groups
    ADD CONSTRAINT rule_groups_rule_id_group_id_pk PRIMARY KEY (rule_id, group_id);

ALTER TABLE ONLY public.rule_members
    ADD CONSTRAINT rule_members_rule_id_farm_id_servicepool_uuid_pk PRIMARY KEY (rule_id, farm_id, servicepool_uuid);

ALTER TABLE ONLY public.rule_users
    ADD CONSTRAINT rule_users_rule_id_user_id_pk PRIMARY KEY (rule_id, user_id);

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY public.service_lists
    ADD CONSTRAINT service_lists_user_id_farm_id_pk PRIMARY KEY (user_id, farm_id);

ALTER TABLE ONLY public.service_preferences
    ADD CONSTRAINT service_preferences_user_id_site_id_service_id_pk PRIMARY KEY (user_id, site_id, service_id);

ALTER TABLE ONLY public.service_tokens
    ADD CONSTRAINT service_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.session_agents
    ADD CONSTRAINT session_agents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.session_messages
    ADD CONSTRAINT session_messages_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.site_authenticators
    ADD CONSTRAINT site_authenticators_site_id_authenticator_id_pk PRIMARY KEY (site_id, authenticator_id);

ALTER TABLE ONLY public.site_groups
    ADD CONSTRAINT site_groups_site_id_group_id_pk PRIMARY KEY (site_id, group_id);

ALTER TABLE ONLY public.site_users
    ADD CONSTRAINT site_users_site_id_user_id_pk PRIMARY KEY (site_id, user_id);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.spent_passkey_challenges
    ADD CONSTRAINT spent_passkey_challenges_pkey PRIMARY KEY (challenge_hash);

ALTER TABLE ONLY public.sync_rows
    ADD CONSTRAINT sync_rows_sync_id_uuid_pk PRIMARY KEY (sync_id, uuid);

ALTER TABLE ONLY public.system_parameters
    ADD CONSTRAINT system_parameters_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.telemetry_batches
    ADD CONSTRAINT telemetry_batches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.telemetry_marks
    ADD CONSTRAINT telemetry_marks_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.telemetry_sums
    ADD CONSTRAINT telemetry_sums_family_labels_pk PRIMARY KEY (family, labels);

ALTER TABLE ONLY public.themes
    ADD CONSTRAINT themes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.used_peer_tokens
    ADD CONSTRAINT used_peer_tokens_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY public.used_provider_values
    ADD CONSTRAINT used_provider_values_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY public.user_roles
    ADD CONSTRAINT user_roles_user_id_role_id_pk PRIMARY KEY (user_id, role_id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_sites
    ADD CONSTRAINT webhook_sites_webhook_id_site_id_pk PRIMARY KEY (webhook_id, site_id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workplace_agents
    ADD CONSTRAINT workplace_agents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workplace_sessions
    ADD CONSTRAINT workplace_sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workplaces
    ADD CONSTRAINT workplaces_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX job_common_i1 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'created'::pgboss.job_state) AND (policy = 'short'::text));

CREATE INDEX job_common_i10 ON pgboss.job_common USING btree (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked) AND (policy = 'key_strict_fifo'::text));

CREATE INDEX job_common_i11 ON pgboss.job_common USING btree (name, priority DESC, created_on, start_after) WHERE ((state < 'active'::pgboss.job_state) AND (NOT blocked));

CREATE INDEX job_common_i12 ON pgboss.job_common USING btree (source_root_id) WHERE (source_root_id IS NOT NULL);

CREATE UNIQUE INDEX job_common_i2 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state = 'active'::pgboss.job_state) AND (policy = 'singleton'::text));

CREATE UNIQUE INDEX job_common_i3 ON pgboss.job_common USING btree (name, state, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'stately'::text));

CREATE UNIQUE INDEX job_common_i4 ON pgboss.job_common USING btree (name, singleton_on, COALESCE(singleton_key, ''::text)) WHERE ((state <> 'cancelled'::pgboss.job_state) AND (singleton_on IS NOT NULL));

CREATE UNIQUE INDEX job_common_i6 ON pgboss.job_common USING btree (name, COALESCE(singleton_key, ''::text)) WHERE ((state <= 'active'::pgboss.job_state) AND (policy = 'exclusive'::text));

CREATE INDEX job_common_i7 ON pgboss.job_common USING btree (name, group_id) WHERE ((state = 'active'::pgboss.job_state) AND (group_id IS NOT NULL));

CREATE UNIQUE INDEX job_common_i8 ON pgboss.job_common USING btree (name, singleton_key) WHERE ((state = ANY (ARRAY['active'::pgboss.job_state, 'retry'::pgboss.job_state, 'failed'::pgboss.job_state])) AND (policy = 'key_strict_fifo'::text));

CREATE INDEX job_common_i9 ON pgboss.job_common USING btree (name, id) WHERE (blocking AND (state = 'completed'::pgboss.job_state));

CREATE INDEX job_dep_parent_idx ON pgboss.job_dependency USING btree (parent_name, parent_id);

CREATE INDEX queue_stats_i1 ON ONLY pgboss.queue_stats USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

CREATE INDEX queue_stats_20261127_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261127 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

CREATE INDEX queue_stats_20261128_name_captured_on_deferred_count_queued_idx ON pgboss.queue_stats_20261128 USING btree (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);

CREATE INDEX warning_i1 ON pgboss.warning USING btree (created_on DESC);

CREATE INDEX agent_registrations_machine ON public.agent_registrations USING btree (machine);

CREATE UNIQUE INDEX agent_registrations_token ON public.agent_registrations USING btree (token_hash);

CREATE INDEX alert_mails_sent ON public.alert_mails USING btree (sent_at);

CREATE INDEX alerts_cause ON public.alerts USING btree (cause, at);

CREATE INDEX audit_checkpoints_base ON public.audit_checkpoints USING btree (base_seq, seq);

CREATE INDEX audit_events_at ON public.audit_events USING btree (at, id);

CREATE INDEX audit_events_category ON public.audit_events USING btree (category, at, id);

CREATE INDEX audit_events_event ON public.audit_events USING btree (event, at, id);

CREATE INDEX audit_events_object_id ON public.audit_events USING btree (object_id, at, id);

CREATE INDEX audit_events_object_type ON public.audit_events USING btree (object_type, at, id);

CREATE INDEX audit_events_result ON public.audit_events USING btree (result, at, id);

CREATE UNIQUE INDEX audit_events_seq ON public.audit_events USING btree (seq);

CREATE INDEX audit_events_source ON public.audit_events USING btree (source_ip, at, id);

CREATE INDEX audit_events_unsealed ON public.audit_events USING btree (at, id) WHERE (seq IS NULL);

CREATE INDEX audit_events_user ON public.audit_events USING btree (lower(user_name), at, id);

CREATE INDEX audit_refusals_minute ON public.audit_refusals USING btree (minute);

CREATE UNIQUE INDEX authenticators_name_key ON public.authenticators USING btree (name_key);

CREATE UNIQUE INDEX authenticators_small_name_key ON public.authenticators USING btree (small_name_key);

CREATE UNIQUE INDEX changes_object ON public.changes USING btree (xid, kind, object_id, list);

CREATE INDEX client_keys_domain ON public.client_keys USING btree (authenticator_id, id);

CREATE INDEX dispatcher_sessions_expiry ON public.dispatcher_sessions USING btree (expires_at);

CREATE UNIQUE INDEX dispatcher_sessions_subject ON public.dispatcher_sessions USING btree (dispatcher_id, subject);

CREATE INDEX dispatcher_sessions_user ON public.dispatcher_sessions USING btree (user_id);

CREATE INDEX dispatchers_farm ON public.dispatchers USING btree (farm_id);

CREATE UNIQUE INDEX dispatchers_name_key ON public.dispatchers USING btree (name_key);

CREATE INDEX ended_node_keys_dispatcher ON public.ended_node_keys USING btree (dispatcher_id);

CREATE INDEX ended_node_keys_due ON public.ended_node_keys USING btree (log_out_after);

CREATE INDEX ended_node_keys_expiry ON public.ended_node_keys USING btree (expires_at);

CREATE INDEX exported_files_expiry ON public.exported_files USING btree (expires_at);

CREATE UNIQUE INDEX exported_files_file ON public.exported_files USING btree (file);

CREATE INDEX exported_files_owner ON public.exported_files USING btree (owner_id, subject, created_at);

CREATE UNIQUE INDEX exported_files_under_way ON public.exported_files USING btree (owner_id, fingerprint) WHERE (state = ANY (ARRAY['pending'::text, 'running'::text]));

CREATE INDEX farm_tags_ignored ON public.farm_tags USING btree (farm_id) WHERE (ignored <> '{}'::text[]);

CREATE INDEX farm_tags_name ON public.farm_tags USING btree (name_key);

CREATE UNIQUE INDEX farm_tags_uuid ON public.farm_tags USING btree (farm_id, uuid);

CREATE UNIQUE INDEX farms_name_key ON public.farms USING btree (name_key);

CREATE INDEX farms_site ON public.farms USING btree (site_id);

CREATE INDEX farms_template ON public.farms USING btree (maintenance_template_id);

CREATE INDEX gateway_sites_site ON public.gateway_sites USING btree (site_id);

CREATE INDEX gateway_tickets_gateway ON public.gateway_tickets USING btree (gateway_id);

CREATE INDEX gateway_tickets_issued ON public.gateway_tickets USING btree (issued_at);

CREATE INDEX gateway_tickets_session ON public.gateway_tickets USING btree (farm_id, session_uuid, used_at);

CREATE UNIQUE INDEX gateway_tickets_ticket ON public.gateway_tickets USING btree (ticket_hash);

CREATE INDEX gateway_tickets_user ON public.gateway_tickets USING btree (user_id);

CREATE UNIQUE INDEX gateway_tunnels_notify ON public.gateway_tunnels USING btree (notify_hash);

CREATE INDEX gateway_tunnels_open ON public.gateway_tunnels USING btree (began_at) WHERE (stopped_at IS NULL);

CREATE INDEX gateway_tunnels_ticket ON public.gateway_tunnels USING btree (ticket_id);

CREATE UNIQUE INDEX gateways_name_key ON public.gateways USING btree (name_key);

CREATE UNIQUE INDEX gateways_token ON public.gateways USING btree (token_hash);

CREATE INDEX group_members_group ON public.group_members USING btree (group_id);

CREATE INDEX group_parts_part ON public.group_parts USING btree (part_id);

CREATE INDEX groups_directory_id ON public.groups USING btree (authenticator_id, directory_id);

CREATE UNIQUE INDEX groups_name_key ON public.groups USING btree (authenticator_id, name_key);

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

CREATE UNIQUE INDEX images_digest ON public.images USING btree (digest);

CREATE INDEX issued_connections_age ON public.issued_connections USING btree (issued_at);

CREATE INDEX job_outbox_created_at ON public.job_outbox USING btree (created_at);

CREATE INDEX login_challenges_user ON public.login_challenges USING btree (user_id, expires_at);

CREATE INDEX login_locks_failure ON public.login_locks USING btree (last_failure_at);

CREATE INDEX login_sessions_seen ON public.login_sessions USING btree (last_seen_at);

CREATE UNIQUE INDEX login_sessions_token ON public.login_sessions USING btree (token_hash);

CREATE INDEX login_sessions_user ON public.login_sessions USING btree (user_id, created_at);

CREATE INDEX maintenance_steps_farm ON public.maintenance_steps USING btree (farm_id);

CREATE UNIQUE INDEX maintenance_templates_name_key ON public.maintenance_templates USING btree (name_key);

CREATE INDEX maintenance_windows_farm ON public.maintenance_windows USING btree (farm_id);

CREATE UNIQUE INDEX maintenance_windows_object ON public.maintenance_windows USING btree (about);

CREATE INDEX maintenance_windows_site ON public.maintenance_windows USING btree (site_id);

CREATE INDEX maintenance_windows_template ON public.maintenance_windows USING btree (template_id);

CREATE INDEX monitoring_records_at ON public.monitoring_records USING btree (at, id);

CREATE INDEX monitoring_records_code ON public.monitoring_records USING btree (code, at, id);

CREATE INDEX monitoring_records_level ON public.monitoring_records USING btree (level, at, id);

CREATE INDEX monitoring_records_message ON public.monitoring_records USING gin (message_key public.gin_trgm_ops);

CREATE INDEX monitoring_records_object_id ON public.monitoring_records USING btree (object_id, at, id);

CREATE INDEX monitoring_records_object_type ON public.monitoring_records USING btree (object_type, at, id);

CREATE INDEX monitoring_records_source ON public.monitoring_records USING btree (source, at, id);

CREATE INDEX monitoring_records_state ON public.monitoring_records USING btree (state, at, id);

CREATE INDEX node_logins_held ON public.node_logins USING btree (held_until);

CREATE INDEX page_tokens_age ON public.page_tokens USING btree (expires_at);

CREATE INDEX page_tokens_session ON public.page_tokens USING btree (session_id, expires_at);

CREATE UNIQUE INDEX page_tokens_token ON public.page_tokens USING btree (token_hash);

CREATE UNIQUE INDEX passkeys_credential ON public.passkeys USING btree (credential_id);

CREATE INDEX passkeys_user ON public.passkeys USING btree (user_id, created_at);

CREATE INDEX password_history_user ON public.password_history USING btree (user_id, at);

CREATE INDEX peer_roles_role ON public.peer_roles USING btree (role_id);

CREATE INDEX peer_sessions_age ON public.peer_sessions USING btree (created_at);

CREATE INDEX peer_sessions_peer ON public.peer_sessions USING btree (peer_id);

CREATE UNIQUE INDEX peer_sessions_token ON public.peer_sessions USING btree (token_hash);

CREATE UNIQUE INDEX peers_issuer ON public.peers USING btree (issuer);

CREATE UNIQUE INDEX peers_name_key ON public.peers USING btree (name_key);

CREATE UNIQUE INDEX pictures_name_key ON public.pictures USING btree (name_key);

CREATE INDEX pkinit_challenges_domain ON public.pkinit_challenges USING btree (authenticator_id);

CREATE INDEX pkinit_challenges_expiry ON public.pkinit_challenges USING btree (expires_at);

CREATE INDEX pools_by_uuid ON public.pools USING btree (uuid);

CREATE INDEX pools_farm ON public.pools USING btree (farm_id, name_key, id);

CREATE INDEX pools_ignored ON public.pools USING btree (farm_id) WHERE (ignored <> '{}'::text[]);

CREATE INDEX pools_name ON public.pools USING btree (name_key, id);

CREATE INDEX pools_template ON public.pools USING btree (maintenance_template_id);

CREATE UNIQUE INDEX pools_uuid ON public.pools USING btree (farm_id, uuid);

CREATE UNIQUE INDEX portals_name_key ON public.portals USING btree (name_key);

CREATE INDEX portals_seen ON public.portals USING btree (last_seen_at);

CREATE INDEX priority_group_farms_farm ON public.priority_group_farms USING btree (farm_id);

CREATE INDEX priority_group_groups_group ON public.priority_group_groups USING btree (group_id);

CREATE INDEX priority_group_users_user ON public.priority_group_users USING btree (user_id);

CREATE UNIQUE INDEX priority_groups_name_key ON public.priority_groups USING btree (name_key);

CREATE INDEX program_grants_age ON public.program_grants USING btree (kept_until);

CREATE INDEX program_grants_allowed ON public.program_grants USING btree (allowed_by);

CREATE UNIQUE INDEX program_grants_code ON public.program_grants USING btree (code_hash);

CREATE INDEX program_grants_domain ON public.program_grants USING btree (authenticator_id);

CREATE INDEX program_grants_session ON public.program_grants USING btree (session_id);

CREATE INDEX program_grants_source ON public.program_grants USING btree (source_ip, expires_at);

CREATE UNIQUE INDEX program_grants_user_code ON public.program_grants USING btree (user_code_hash);

CREATE INDEX provider_grants_domain ON public.provider_grants USING btree (authenticator_id);

CREATE INDEX provider_grants_due ON public.provider_grants USING btree (next_check_at);

CREATE INDEX provider_grants_user ON public.provider_grants USING btree (user_id);

CREATE INDEX provider_logins_domain ON public.provider_logins USING btree (authenticator_id);

CREATE INDEX provider_logins_expiry ON public.provider_logins USING btree (expires_at);

CREATE INDEX provider_sessions_grant ON public.provider_sessions USING btree (grant_id);

CREATE INDEX provider_sessions_sid ON public.provider_sessions USING btree (authenticator_id, sid);

CREATE INDEX provider_sessions_sub ON public.provider_sessions USING btree (authenticator_id, sub);

CREATE INDEX removed_rows_age ON public.removed_rows USING btree (removed_at);

CREATE UNIQUE INDEX roles_name_key ON public.roles USING btree (name_key);

CREATE INDEX rule_groups_group ON public.rule_groups USING btree (group_id);

CREATE INDEX rule_members_pool ON public.rule_members USING btree (farm_id, servicepool_uuid);

CREATE INDEX rule_users_user ON public.rule_users USING btree (user_id);

CREATE INDEX rules_image ON public.rules USING btree (image_id);

CREATE UNIQUE INDEX rules_name_key ON public.rules USING btree (name_key);

CREATE INDEX rules_site ON public.rules USING btree (site_id, name_key, id);

CREATE UNIQUE INDEX saved_views_name ON public.saved_views USING btree (user_id, list, name_key);

CREATE INDEX service_lists_age ON public.service_lists USING btree (fetched_at);

CREATE INDEX service_preferences_site ON public.service_preferences USING btree (site_id);

CREATE INDEX service_tokens_expiry ON public.service_tokens USING btree (expires_at);

CREATE UNIQUE INDEX service_tokens_hash ON public.service_tokens USING btree (token_hash);

CREATE UNIQUE INDEX service_tokens_name_key ON public.service_tokens USING btree (user_id, name_key);

CREATE INDEX session_agents_age ON public.session_agents USING btree (last_seen_at);

CREATE UNIQUE INDEX session_agents_session ON public.session_agents USING btree (agent_id, session_uuid);

CREATE UNIQUE INDEX session_agents_token ON public.session_agents USING btree (token_hash);

CREATE INDEX session_messages_age ON public.session_messages USING btree (created_at);

CREATE INDEX session_messages_agent ON public.session_messages USING btree (session_agent_id, id);

CREATE INDEX site_authenticators_domain ON public.site_authenticators USING btree (authenticator_id);

CREATE INDEX site_groups_group ON public.site_groups USING btree (group_id);

CREATE INDEX site_users_user ON public.site_users USING btree (user_id);

CREATE UNIQUE INDEX sites_name_key ON public.sites USING btree (name_key);

CREATE INDEX sites_template ON public.sites USING btree (maintenance_template_id);

CREATE UNIQUE INDEX sites_uri ON public.sites USING btree (uri);

CREATE INDEX spent_passkey_challenges_expiry ON public.spent_passkey_challenges USING btree (expires_at);

CREATE UNIQUE INDEX tags_name_key ON public.tags USING btree (name_key);

CREATE INDEX telemetry_batches_at ON public.telemetry_batches USING btree (at);

CREATE INDEX used_peer_tokens_age ON public.used_peer_tokens USING btree (kept_until);

CREATE INDEX used_provider_values_age ON public.used_provider_values USING btree (kept_until);

CREATE INDEX user_roles_role ON public.user_roles USING btree (role_id);

CREATE INDEX users_created ON public.users USING btree (created_at, id);

CREATE INDEX users_created_at ON public.users USING btree (authenticator_id, created_at, id);

CREATE UNIQUE INDEX users_directory_id ON public.users USING btree (authenticator_id, directory_id);

CREATE INDEX users_email_search ON public.users USING gin (lower(email) public.gin_trgm_ops);

CREATE INDEX users_name ON public.users USING btree (name_key, id);

CREATE UNIQUE INDEX users_name_key ON public.users USING btree (authenticator_id, name_key);

CREATE INDEX users_real_name_search ON public.users USING gin (lower(real_name) public.gin_trgm_ops);

CREATE INDEX users_search ON public.users USING gin (name_key public.gin_trgm_ops);

CREATE INDEX users_updated_at ON public.users USING btree (authenticator_id, updated_at, id);

CREATE INDEX webhook_deliveries_age ON public.webhook_deliveries USING btree (created_at) WHERE (state <> 'waiting'::text);

CREATE INDEX webhook_deliveries_dead ON public.webhook_deliveries USING btree (webhook_id) WHERE (state = 'dead'::text);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, due_at) WHERE (state = 'waiting'::text);

CREATE INDEX webhook_deliveries_list ON public.webhook_deliveries USING btree (webhook_id, created_at, id);

CREATE INDEX webhook_deliveries_object ON public.webhook_deliveries USING btree (webhook_id, object_id, event) WHERE (state = 'waiting'::text);

CREATE INDEX webhook_sites_site ON public.webhook_sites USING btree (site_id);

CREATE UNIQUE INDEX webhooks_name_key ON public.webhooks USING btree (name_key);

CREATE INDEX webhooks_owner ON public.webhooks USING btree (owner_id);

CREATE INDEX workplace_agents_registration ON public.workplace_agents USING btree (registration_id);

CREATE UNIQUE INDEX workplace_agents_token ON public.workplace_agents USING btree (token_hash);

CREATE UNIQUE INDEX workplace_agents_workplace ON public.workplace_agents USING btree (farm_id, workplace_uuid);

CREATE INDEX workplace_sessions_farm ON public.workplace_sessions USING btree (farm_id, started_at, id);

CREATE INDEX workplace_sessions_ignored ON public.workplace_sessions USING btree (farm_id) WHERE (ignored <> '{}'::text[]);

CREATE INDEX workplace_sessions_search ON public.workplace_sessions USING gin (user_key public.gin_trgm_ops);

CREATE INDEX workplace_sessions_started ON public.workplace_sessions USING btree (started_at, id);

CREATE INDEX workplace_sessions_user ON public.workplace_sessions USING btree (user_key, started_at, id);

CREATE INDEX workplace_sessions_user_name ON public.workplace_sessions USING btree (substr(user_key, (strpos(user_key, chr(92)) + 1)), started_at, id);

CREATE UNIQUE INDEX workplace_sessions_uuid ON public.workplace_sessions USING btree (farm_id, uuid);

CREATE INDEX workplace_sessions_workplace ON public.workplace_sessions USING btree (farm_id, workplace_uuid);

CREATE INDEX workplaces_created ON public.workplaces USING btree (made_at);

CREATE INDEX workplaces_farm ON public.workplaces USING btree (farm_id, name_key, id);

CREATE INDEX workplaces_ignored ON public.workplaces USING btree (farm_id) WHERE (ignored <> '{}'::text[]);

CREATE INDEX workplaces_machine ON public.workplaces USING btree (unique_id);

CREATE INDEX workplaces_name ON public.workplaces USING btree (name_key, id);

CREATE INDEX workplaces_owner ON public.workplaces USING btree (owner_key, name_key, id);

CREATE INDEX workplaces_owner_name ON public.workplaces USING btree (substr(owner_key, (strpos(owner_key, chr(92)) + 1)), name_key, id);

CREATE INDEX workplaces_pool ON public.workplaces USING btree (farm_id, servicepool_uuid, name_key, id);

CREATE INDEX workplaces_search ON public.workplaces USING gin (name_key public.gin_trgm_ops);

CREATE INDEX workplaces_tags ON public.workplaces USING gin (tags);

CREATE UNIQUE INDEX workplaces_uuid ON public.workplaces USING btree (farm_id, uuid);

ALTER INDEX pgboss.job_pkey ATTACH PARTITION pgboss.job_common_pkey;

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261127_name_captured_on_deferred_count_queued_idx;

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261127_pkey;

ALTER INDEX pgboss.queue_stats_i1 ATTACH PARTITION pgboss.queue_stats_20261128_name_captured_on_deferred_count_queued_idx;

ALTER INDEX pgboss.queue_stats_pkey ATTACH PARTITION pgboss.queue_stats_20261128_pkey;

CREATE TRIGGER audit_checkpoints_are_not_truncated BEFORE TRUNCATE ON public.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION public.audit_checkpoints_stay();

CREATE TRIGGER audit_checkpoints_stay BEFORE DELETE OR UPDATE ON public.audit_checkpoints FOR EACH ROW EXECUTE FUNCTION public.audit_checkpoints_stay();

CREATE TRIGGER audit_is_append_only BEFORE DELETE OR UPDATE ON public.audit_events FOR EACH ROW EXECUTE FUNCTION public.audit_is_append_only();

CREATE TRIGGER audit_is_not_truncated BEFORE TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION public.audit_is_append_only();

CREATE CONSTRAINT TRIGGER authenticators_version AFTER DELETE OR UPDATE OF name, small_name, state ON public.authenticators DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE TRIGGER delete_group_parts BEFORE DELETE ON public.groups FOR EACH ROW WHEN ((old.type = 'meta'::text)) EXECUTE FUNCTION public.delete_group_parts();

CREATE TRIGGER dispatcher_sessions_ended AFTER DELETE ON public.dispatcher_sessions FOR EACH ROW EXECUTE FUNCTION public.keep_ended_node_key();

CREATE TRIGGER dispatcher_sessions_replaced AFTER UPDATE OF sealed_key ON public.dispatcher_sessions FOR EACH ROW WHEN ((old.expires_at IS DISTINCT FROM new.expires_at)) EXECUTE FUNCTION public.keep_ended_node_key();

CREATE CONSTRAINT TRIGGER dispatchers_version AFTER INSERT OR DELETE OR UPDATE OF name, farm_id, kind, url, enabled, priority, verify_tls, ca_certificate, timeout_ms, account_domain, account_name, account_password, public_url ON public.dispatchers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER farms_version AFTER INSERT OR DELETE OR UPDATE OF name, site_id, enabled, maintenance, maintenance_template_id, weight, balancing, creates_users, identity_domains ON public.farms DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER group_members_version AFTER INSERT OR DELETE OR UPDATE ON public.group_members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER group_parts_version AFTER INSERT OR DELETE OR UPDATE ON public.group_parts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER groups_version AFTER DELETE OR UPDATE OF name, state, type, meta_if_any ON public.groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE TRIGGER login_sessions_ended AFTER DELETE ON public.login_sessions FOR EACH ROW EXECUTE FUNCTION public.end_node_keys_of_session();

CREATE CONSTRAINT TRIGGER noted_at_end AFTER INSERT ON public.gateways DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_at_end('gateway');

CREATE CONSTRAINT TRIGGER noted_at_end AFTER INSERT ON public.priority_groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.note_row_at_end('priority_group');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.authenticators FOR EACH ROW EXECUTE FUNCTION public.note_row('authenticator', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.dispatchers FOR EACH ROW EXECUTE FUNCTION public.note_row('dispatcher', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.farms FOR EACH ROW EXECUTE FUNCTION public.note_row('farm', 'id');

CREATE TRIGGER noted_change BEFORE DELETE ON public.gateways FOR EACH ROW EXECUTE FUNCTION public.note_row_before('gateway');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.groups FOR EACH ROW EXECUTE FUNCTION public.note_row('group', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.login_sessions FOR EACH ROW EXECUTE FUNCTION public.note_row('session', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.maintenance_templates FOR EACH ROW EXECUTE FUNCTION public.note_row('maintenance_template', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.maintenance_windows FOR EACH ROW EXECUTE FUNCTION public.note_row('maintenance_window', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.monitoring_records FOR EACH ROW EXECUTE FUNCTION public.note_monitoring_record();

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.peers FOR EACH ROW EXECUTE FUNCTION public.note_row('peer', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.pictures FOR EACH ROW EXECUTE FUNCTION public.note_row('picture', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.portals FOR EACH ROW EXECUTE FUNCTION public.note_row('portal', 'id');

CREATE TRIGGER noted_change BEFORE DELETE ON public.priority_groups FOR EACH ROW EXECUTE FUNCTION public.note_row_before('priority_group');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.roles FOR EACH ROW EXECUTE FUNCTION public.note_row('role', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.rules FOR EACH ROW EXECUTE FUNCTION public.note_row('rule', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.service_tokens FOR EACH ROW EXECUTE FUNCTION public.note_row('service_token', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.sites FOR EACH ROW EXECUTE FUNCTION public.note_row('site', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.system_parameters FOR EACH ROW EXECUTE FUNCTION public.note_row('system_parameter', 'name');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.tags FOR EACH ROW EXECUTE FUNCTION public.note_row('tag', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.themes FOR EACH ROW EXECUTE FUNCTION public.note_row('theme', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION public.note_row('user', 'id');

CREATE TRIGGER noted_change AFTER INSERT OR DELETE ON public.webhooks FOR EACH ROW EXECUTE FUNCTION public.note_row('webhook', 'id');

CREATE TRIGGER noted_circuit AFTER UPDATE ON public.dispatchers FOR EACH ROW WHEN (((old.circuit = 'closed'::text) IS DISTINCT FROM (new.circuit = 'closed'::text))) EXECUTE FUNCTION public.note_row('dispatcher', 'id');

CREATE TRIGGER noted_delete AFTER DELETE ON public.pools REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('servicespools', 'servicespool');

CREATE TRIGGER noted_delete AFTER DELETE ON public.workplace_sessions REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('spsessions', 'spsession');

CREATE TRIGGER noted_delete AFTER DELETE ON public.workplaces REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('workplaces', 'workplace');

CREATE TRIGGER noted_insert AFTER INSERT ON public.pools REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('servicespools', 'servicespool');

CREATE TRIGGER noted_insert AFTER INSERT ON public.workplace_sessions REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('spsessions', 'spsession');

CREATE TRIGGER noted_insert AFTER INSERT ON public.workplaces REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('workplaces', 'workplace');

CREATE TRIGGER noted_lock AFTER INSERT OR DELETE ON public.login_locks FOR EACH ROW EXECUTE FUNCTION public.note_lock_out();

CREATE TRIGGER noted_lock_update AFTER UPDATE ON public.login_locks FOR EACH ROW WHEN ((old.locked_until IS DISTINCT FROM new.locked_until)) EXECUTE FUNCTION public.note_lock_out();

CREATE TRIGGER noted_move AFTER UPDATE ON public.farms FOR EACH ROW WHEN ((old.site_id IS DISTINCT FROM new.site_id)) EXECUTE FUNCTION public.note_parts_of_farm();

CREATE TRIGGER noted_parts BEFORE DELETE ON public.farms FOR EACH ROW EXECUTE FUNCTION public.note_parts_of_farm();

CREATE TRIGGER noted_removal AFTER INSERT OR UPDATE ON public.removed_rows FOR EACH ROW EXECUTE FUNCTION public.note_removed_row();

CREATE TRIGGER noted_state AFTER UPDATE ON public.farm_parts FOR EACH ROW WHEN (((new.kind <> 'tags'::text) AND (old.error IS DISTINCT FROM new.error))) EXECUTE FUNCTION public.note_farm_part();

CREATE TRIGGER noted_update AFTER UPDATE ON public.authenticators FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('authenticator', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.dispatchers FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,circuit,circuit_failures,circuit_opened_at,circuit_probe_until,last_check_at,last_error,response_time_ms,certificate_notice,domains_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,circuit,circuit_failures,circuit_opened_at,circuit_probe_until,last_check_at,last_error,response_time_ms,certificate_notice,domains_at}'::text[]))) EXECUTE FUNCTION public.note_row('dispatcher', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.farms FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('farm', 'id');

CREATE TRIGGER noted_update BEFORE UPDATE ON public.gateways FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,process_counters,last_seen_at,reported_connections,reported_at,last_used_at,stats}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,process_counters,last_seen_at,reported_connections,reported_at,last_used_at,stats}'::text[]))) EXECUTE FUNCTION public.note_row_before('gateway');

CREATE TRIGGER noted_update AFTER UPDATE ON public.groups FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('group', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.login_sessions FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,last_seen_at,idle_until}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,last_seen_at,idle_until}'::text[]))) EXECUTE FUNCTION public.note_row('session', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.maintenance_templates FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('maintenance_template', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.maintenance_windows FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('maintenance_window', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.monitoring_records FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_monitoring_record();

CREATE TRIGGER noted_update AFTER UPDATE ON public.peers FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('peer', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.pictures FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('picture', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.pools REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('servicespools', 'servicespool');

CREATE TRIGGER noted_update AFTER UPDATE ON public.portals FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,last_seen_at,metrics}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,last_seen_at,metrics}'::text[]))) EXECUTE FUNCTION public.note_row('portal', 'id');

CREATE TRIGGER noted_update BEFORE UPDATE ON public.priority_groups FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row_before('priority_group');

CREATE TRIGGER noted_update AFTER UPDATE ON public.roles FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('role', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.rules FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('rule', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.service_tokens FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,last_seen_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,last_seen_at}'::text[]))) EXECUTE FUNCTION public.note_row('service_token', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.sites FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('site', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.system_parameters FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('system_parameter', 'name');

CREATE TRIGGER noted_update AFTER UPDATE ON public.tags FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('tag', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.themes FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row('theme', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.users FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,last_login_at,directory_checked_at,card_fingerprint}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,last_login_at,directory_checked_at,card_fingerprint}'::text[]))) EXECUTE FUNCTION public.note_row('user', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.webhooks FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,is_pause_noted,dropped,failing_since,last_success_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,is_pause_noted,dropped,failing_since,last_success_at}'::text[]))) EXECUTE FUNCTION public.note_row('webhook', 'id');

CREATE TRIGGER noted_update AFTER UPDATE ON public.workplace_sessions REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('spsessions', 'spsession');

CREATE TRIGGER noted_update AFTER UPDATE ON public.workplaces REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.note_rows_of_snapshot('workplaces', 'workplace');

CREATE CONSTRAINT TRIGGER noted_update_at_end AFTER UPDATE ON public.gateways DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at,process_counters,last_seen_at,reported_connections,reported_at,last_used_at,stats}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at,process_counters,last_seen_at,reported_connections,reported_at,last_used_at,stats}'::text[]))) EXECUTE FUNCTION public.note_row_at_end('gateway');

CREATE CONSTRAINT TRIGGER noted_update_at_end AFTER UPDATE ON public.priority_groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((to_jsonb(old.*) - '{updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(new.*) - '{updated_at}'::text[]))) EXECUTE FUNCTION public.note_row_at_end('priority_group');

CREATE CONSTRAINT TRIGGER pools_version AFTER INSERT OR DELETE ON public.pools DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER pools_version_changed AFTER UPDATE ON public.pools DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((((((((old.name IS DISTINCT FROM new.name) OR (old.short_name IS DISTINCT FROM new.short_name)) OR (old.visible IS DISTINCT FROM new.visible)) OR (old.maintenance IS DISTINCT FROM new.maintenance)) OR (old.maintenance_message IS DISTINCT FROM new.maintenance_message)) OR (old.maintenance_template_id IS DISTINCT FROM new.maintenance_template_id)) OR (old.protocols IS DISTINCT FROM new.protocols)) OR (old.tags IS DISTINCT FROM new.tags))) EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER priority_group_farms_version AFTER INSERT OR DELETE OR UPDATE ON public.priority_group_farms DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER priority_group_groups_version AFTER INSERT OR DELETE OR UPDATE ON public.priority_group_groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER priority_group_users_version AFTER INSERT OR DELETE OR UPDATE ON public.priority_group_users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER priority_groups_version AFTER INSERT OR DELETE OR UPDATE ON public.priority_groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER rule_groups_version AFTER INSERT OR DELETE OR UPDATE ON public.rule_groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER rule_members_version AFTER INSERT OR DELETE OR UPDATE ON public.rule_members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER rule_users_version AFTER INSERT OR DELETE OR UPDATE ON public.rule_users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER rules_version AFTER INSERT OR DELETE OR UPDATE ON public.rules DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER site_authenticators_version AFTER INSERT OR DELETE OR UPDATE ON public.site_authenticators DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER site_groups_version AFTER INSERT OR DELETE OR UPDATE ON public.site_groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER site_users_version AFTER INSERT OR DELETE OR UPDATE ON public.site_users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER sites_version AFTER INSERT OR DELETE OR UPDATE OF name, uri, enabled, maintenance, maintenance_template_id, priority ON public.sites DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

CREATE CONSTRAINT TRIGGER users_version AFTER DELETE OR UPDATE OF name, state, authenticator_id ON public.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.bump_fleet_version();

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.job_common
    ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY pgboss.queue
    ADD CONSTRAINT queue_dead_letter_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue(name);

ALTER TABLE ONLY pgboss.schedule
    ADD CONSTRAINT schedule_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;

ALTER TABLE ONLY pgboss.subscription
    ADD CONSTRAINT subscription_name_fkey FOREIGN KEY (name) REFERENCES pgboss.queue(name) ON DELETE CASCADE;

ALTER TABLE ONLY public.client_keys
    ADD CONSTRAINT client_keys_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.directory_refusals
    ADD CONSTRAINT directory_refusals_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dispatcher_sessions
    ADD CONSTRAINT dispatcher_sessions_dispatcher_id_dispatchers_id_fk FOREIGN KEY (dispatcher_id) REFERENCES public.dispatchers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dispatcher_sessions
    ADD CONSTRAINT dispatcher_sessions_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dispatchers
    ADD CONSTRAINT dispatchers_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.ended_node_keys
    ADD CONSTRAINT ended_node_keys_dispatcher_id_dispatchers_id_fk FOREIGN KEY (dispatcher_id) REFERENCES public.dispatchers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.farm_parts
    ADD CONSTRAINT farm_parts_dispatcher_id_dispatchers_id_fk FOREIGN KEY (dispatcher_id) REFERENCES public.dispatchers(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.farm_parts
    ADD CONSTRAINT farm_parts_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.farm_tags
    ADD CONSTRAINT farm_tags_dispatcher_id_dispatchers_id_fk FOREIGN KEY (dispatcher_id) REFERENCES public.dispatchers(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.farm_tags
    ADD CONSTRAINT farm_tags_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.farms
    ADD CONSTRAINT farms_maintenance_template_id_maintenance_templates_id_fk FOREIGN KEY (maintenance_template_id) REFERENCES public.maintenance_templates(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.farms
    ADD CONSTRAINT farms_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.gateway_sites
    ADD CONSTRAINT gateway_sites_gateway_id_gateways_id_fk FOREIGN KEY (gateway_id) REFERENCES public.gateways(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.gateway_sites
    ADD CONSTRAINT gateway_sites_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.gateway_tickets
    ADD CONSTRAINT gateway_tickets_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.gateway_tickets
    ADD CONSTRAINT gateway_tickets_gateway_id_gateways_id_fk FOREIGN KEY (gateway_id) REFERENCES public.gateways(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.gateway_tickets
    ADD CONSTRAINT gateway_tickets_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.gateway_tunnels
    ADD CONSTRAINT gateway_tunnels_ticket_id_gateway_tickets_id_fk FOREIGN KEY (ticket_id) REFERENCES public.gateway_tickets(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_groups_id_fk FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.group_parts
    ADD CONSTRAINT group_parts_group_id_groups_id_fk FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.group_parts
    ADD CONSTRAINT group_parts_part_id_groups_id_fk FOREIGN KEY (part_id) REFERENCES public.groups(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_peer_id_peers_id_fk FOREIGN KEY (peer_id) REFERENCES public.peers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.issued_connections
    ADD CONSTRAINT issued_connections_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.issued_connections
    ADD CONSTRAINT issued_connections_rule_id_rules_id_fk FOREIGN KEY (rule_id) REFERENCES public.rules(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.issued_connections
    ADD CONSTRAINT issued_connections_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.login_challenges
    ADD CONSTRAINT login_challenges_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.login_sessions
    ADD CONSTRAINT login_sessions_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.maintenance_steps
    ADD CONSTRAINT maintenance_steps_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.maintenance_steps
    ADD CONSTRAINT maintenance_steps_window_id_maintenance_windows_id_fk FOREIGN KEY (window_id) REFERENCES public.maintenance_windows(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.maintenance_windows
    ADD CONSTRAINT maintenance_windows_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.maintenance_windows
    ADD CONSTRAINT maintenance_windows_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.maintenance_windows
    ADD CONSTRAINT maintenance_windows_template_id_maintenance_templates_id_fk FOREIGN KEY (template_id) REFERENCES public.maintenance_templates(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.page_tokens
    ADD CONSTRAINT page_tokens_session_id_login_sessions_id_fk FOREIGN KEY (session_id) REFERENCES public.login_sessions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.passkey_recovery_codes
    ADD CONSTRAINT passkey_recovery_codes_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.password_history
    ADD CONSTRAINT password_history_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.peer_roles
    ADD CONSTRAINT peer_roles_peer_id_peers_id_fk FOREIGN KEY (peer_id) REFERENCES public.peers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.peer_roles
    ADD CONSTRAINT peer_roles_role_id_roles_id_fk FOREIGN KEY (role_id) REFERENCES public.roles(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.peer_sessions
    ADD CONSTRAINT peer_sessions_peer_id_peers_id_fk FOREIGN KEY (peer_id) REFERENCES public.peers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pictures
    ADD CONSTRAINT pictures_id_images_id_fk FOREIGN KEY (id) REFERENCES public.images(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.pkinit_challenges
    ADD CONSTRAINT pkinit_challenges_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pools
    ADD CONSTRAINT pools_maintenance_template_id_maintenance_templates_id_fk FOREIGN KEY (maintenance_template_id) REFERENCES public.maintenance_templates(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.priority_group_farms
    ADD CONSTRAINT priority_group_farms_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.priority_group_farms
    ADD CONSTRAINT priority_group_farms_priority_group_id_priority_groups_id_fk FOREIGN KEY (priority_group_id) REFERENCES public.priority_groups(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.priority_group_groups
    ADD CONSTRAINT priority_group_groups_group_id_groups_id_fk FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.priority_group_groups
    ADD CONSTRAINT priority_group_groups_priority_group_id_priority_groups_id_fk FOREIGN KEY (priority_group_id) REFERENCES public.priority_groups(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.priority_group_users
    ADD CONSTRAINT priority_group_users_priority_group_id_priority_groups_id_fk FOREIGN KEY (priority_group_id) REFERENCES public.priority_groups(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.priority_group_users
    ADD CONSTRAINT priority_group_users_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.program_grants
    ADD CONSTRAINT program_grants_allowed_by_login_sessions_id_fk FOREIGN KEY (allowed_by) REFERENCES public.login_sessions(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.program_grants
    ADD CONSTRAINT program_grants_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.program_grants
    ADD CONSTRAINT program_grants_session_id_login_sessions_id_fk FOREIGN KEY (session_id) REFERENCES public.login_sessions(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.provider_grants
    ADD CONSTRAINT provider_grants_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.provider_grants
    ADD CONSTRAINT provider_grants_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.provider_logins
    ADD CONSTRAINT provider_logins_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.provider_sessions
    ADD CONSTRAINT provider_sessions_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.provider_sessions
    ADD CONSTRAINT provider_sessions_grant_id_provider_grants_id_fk FOREIGN KEY (grant_id) REFERENCES public.provider_grants(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.provider_sessions
    ADD CONSTRAINT provider_sessions_session_id_login_sessions_id_fk FOREIGN KEY (session_id) REFERENCES public.login_sessions(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_second_factors_user_id_fk FOREIGN KEY (user_id) REFERENCES public.second_factors(user_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rule_groups
    ADD CONSTRAINT rule_groups_group_id_groups_id_fk FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.rule_groups
    ADD CONSTRAINT rule_groups_rule_id_rules_id_fk FOREIGN KEY (rule_id) REFERENCES public.rules(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rule_members
    ADD CONSTRAINT rule_members_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.rule_members
    ADD CONSTRAINT rule_members_rule_id_rules_id_fk FOREIGN KEY (rule_id) REFERENCES public.rules(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rule_users
    ADD CONSTRAINT rule_users_rule_id_rules_id_fk FOREIGN KEY (rule_id) REFERENCES public.rules(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.rule_users
    ADD CONSTRAINT rule_users_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_image_id_images_id_fk FOREIGN KEY (image_id) REFERENCES public.images(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.saved_views
    ADD CONSTRAINT saved_views_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_lists
    ADD CONSTRAINT service_lists_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_lists
    ADD CONSTRAINT service_lists_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_preferences
    ADD CONSTRAINT service_preferences_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_preferences
    ADD CONSTRAINT service_preferences_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.service_tokens
    ADD CONSTRAINT service_tokens_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.session_agents
    ADD CONSTRAINT session_agents_agent_id_workplace_agents_id_fk FOREIGN KEY (agent_id) REFERENCES public.workplace_agents(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.session_messages
    ADD CONSTRAINT session_messages_session_agent_id_session_agents_id_fk FOREIGN KEY (session_agent_id) REFERENCES public.session_agents(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.site_authenticators
    ADD CONSTRAINT site_authenticators_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.site_authenticators
    ADD CONSTRAINT site_authenticators_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.site_groups
    ADD CONSTRAINT site_groups_group_id_groups_id_fk FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.site_groups
    ADD CONSTRAINT site_groups_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.site_users
    ADD CONSTRAINT site_users_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.site_users
    ADD CONSTRAINT site_users_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_maintenance_template_id_maintenance_templates_id_fk FOREIGN KEY (maintenance_template_id) REFERENCES public.maintenance_templates(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.user_roles
    ADD CONSTRAINT user_roles_role_id_roles_id_fk FOREIGN KEY (role_id) REFERENCES public.roles(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.user_roles
    ADD CONSTRAINT user_roles_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_authenticator_id_authenticators_id_fk FOREIGN KEY (authenticator_id) REFERENCES public.authenticators(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_id_webhooks_id_fk FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_sites
    ADD CONSTRAINT webhook_sites_site_id_sites_id_fk FOREIGN KEY (site_id) REFERENCES public.sites(id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.webhook_sites
    ADD CONSTRAINT webhook_sites_webhook_id_webhooks_id_fk FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_owner_id_users_id_fk FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.workplace_agents
    ADD CONSTRAINT workplace_agents_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workplace_agents
    ADD CONSTRAINT workplace_agents_registration_id_agent_registrations_id_fk FOREIGN KEY (registration_id) REFERENCES public.agent_registrations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workplace_sessions
    ADD CONSTRAINT workplace_sessions_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workplaces
    ADD CONSTRAINT workplaces_farm_id_farms_id_fk FOREIGN KEY (farm_id) REFERENCES public.farms(id) ON DELETE CASCADE;

GRANT USAGE ON SCHEMA drizzle TO aggregator_portal;
GRANT USAGE ON SCHEMA drizzle TO aggregator_sidecar;

GRANT USAGE ON SCHEMA pgboss TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.add_audit_checkpoint(checkpoint jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.add_audit_checkpoint(checkpoint jsonb) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.audit_checkpoints_stay() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.audit_hash(prev_hash text, sealed_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_hash(prev_hash text, sealed_text text) TO aggregator_portal;
GRANT ALL ON FUNCTION public.audit_hash(prev_hash text, sealed_text text) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.audit_is_append_only() FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.audit_events TO aggregator_portal;
GRANT SELECT,INSERT ON TABLE public.audit_events TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.audit_text(e public.audit_events) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_text(e public.audit_events) TO aggregator_portal;
GRANT ALL ON FUNCTION public.audit_text(e public.audit_events) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.bump_fleet_version() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.continue_counters(counters jsonb, reported bigint, OUT moved bigint, OUT continued jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.continue_counters(counters jsonb, reported bigint, OUT moved bigint, OUT continued jsonb) TO aggregator_portal;

REVOKE ALL ON FUNCTION public.delete_group_parts() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.effective_groups(member uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.effective_groups(member uuid) TO aggregator_portal;
GRANT ALL ON FUNCTION public.effective_groups(member uuid) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.end_node_keys_of_session() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.keep_ended_node_key() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.must(ok boolean, code text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.must(ok boolean, code text) TO aggregator_portal;
GRANT ALL ON FUNCTION public.must(ok boolean, code text) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.note_change(changed_kind text, changed_id text, changed_list text, at_sites uuid[], changed_by text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_farm_part() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_lock_out() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_monitoring_record() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_parts_of_farm() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_removed_row() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_row() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_row_at_end() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_row_before() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.note_rows_of_snapshot() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.noted_action(operation text) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.remove_outlived_audit(up_to bigint, batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.remove_outlived_audit(up_to bigint, batch integer) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.remove_outlived_checkpoints(up_to bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.remove_outlived_checkpoints(up_to bigint) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.seal_audit(batch integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.seal_audit(batch integer) TO aggregator_sidecar;

REVOKE ALL ON FUNCTION public.sites_of_monitoring_record(record jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.sites_of_object(kind text, object jsonb) FROM PUBLIC;

GRANT SELECT ON TABLE drizzle.__drizzle_migrations TO aggregator_portal;
GRANT SELECT ON TABLE drizzle.__drizzle_migrations TO aggregator_sidecar;

GRANT SELECT ON TABLE drizzle.sql_files TO aggregator_portal;
GRANT SELECT ON TABLE drizzle.sql_files TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.bam TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.job TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.job_common TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.job_dependency TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.queue TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.queue_stats TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.queue_stats_20261127 TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.queue_stats_20261128 TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.schedule TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.subscription TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.version TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE pgboss.warning TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.agent_registrations TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.agent_registrations TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.alert_mails TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.alerts TO aggregator_sidecar;

GRANT SELECT ON TABLE public.audit_checkpoints TO aggregator_portal;
GRANT SELECT ON TABLE public.audit_checkpoints TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_forwards TO aggregator_sidecar;

GRANT SELECT ON TABLE public.audit_head TO aggregator_portal;
GRANT SELECT ON TABLE public.audit_head TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_refusals TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_refusals TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.authenticators TO aggregator_portal;
GRANT SELECT ON TABLE public.authenticators TO aggregator_sidecar;

GRANT SELECT ON TABLE public.change_marks TO aggregator_portal;
GRANT SELECT,UPDATE ON TABLE public.change_marks TO aggregator_sidecar;

GRANT SELECT ON TABLE public.changes TO aggregator_portal;
GRANT SELECT,DELETE ON TABLE public.changes TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.client_keys TO aggregator_portal;
GRANT SELECT ON TABLE public.client_keys TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.directory_refusals TO aggregator_portal;
GRANT SELECT ON TABLE public.directory_refusals TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dispatcher_sessions TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dispatcher_sessions TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dispatchers TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.dispatchers TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ended_node_keys TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ended_node_keys TO aggregator_sidecar;

GRANT SELECT,UPDATE ON TABLE public.event_marks TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exported_chunks TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exported_chunks TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exported_files TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.exported_files TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.farm_parts TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.farm_parts TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.farm_tags TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.farm_tags TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.farms TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.farms TO aggregator_sidecar;

GRANT SELECT,UPDATE ON TABLE public.fleet_versions TO aggregator_portal;
GRANT SELECT,UPDATE ON TABLE public.fleet_versions TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateway_sites TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateway_sites TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateway_tickets TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateway_tickets TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateway_tunnels TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateway_tunnels TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateways TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateways TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.group_members TO aggregator_portal;
GRANT SELECT,INSERT,DELETE ON TABLE public.group_members TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.group_parts TO aggregator_portal;
GRANT SELECT ON TABLE public.group_parts TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.groups TO aggregator_portal;
GRANT SELECT ON TABLE public.groups TO aggregator_sidecar;

GRANT SELECT,UPDATE ON TABLE public.guards TO aggregator_portal;
GRANT SELECT,UPDATE ON TABLE public.guards TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_keys TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.images TO aggregator_portal;

GRANT SELECT,UPDATE ON TABLE public.installation TO aggregator_portal;
GRANT SELECT,UPDATE ON TABLE public.installation TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.issued_connections TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.issued_connections TO aggregator_sidecar;

GRANT SELECT,INSERT ON TABLE public.job_outbox TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job_outbox TO aggregator_sidecar;

GRANT SELECT ON TABLE public.job_workers TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job_workers TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.leases TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_challenges TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_challenges TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_locks TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_locks TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_sessions TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.login_sessions TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.maintenance_steps TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.maintenance_steps TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.maintenance_templates TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.maintenance_templates TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.maintenance_windows TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.maintenance_windows TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.monitoring_records TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.monitoring_records TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.node_logins TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.node_logins TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.page_tokens TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.page_tokens TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.passkey_recovery_codes TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.passkeys TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.password_history TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.peer_roles TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.peer_sessions TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.peer_sessions TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.peers TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.peers TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pictures TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pkinit_challenges TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pkinit_challenges TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pools TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.pools TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.portals TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.portals TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.priority_group_farms TO aggregator_portal;
GRANT SELECT ON TABLE public.priority_group_farms TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.priority_group_groups TO aggregator_portal;
GRANT SELECT ON TABLE public.priority_group_groups TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.priority_group_users TO aggregator_portal;
GRANT SELECT ON TABLE public.priority_group_users TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.priority_groups TO aggregator_portal;
GRANT SELECT ON TABLE public.priority_groups TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.program_grants TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.program_grants TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.provider_grants TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.provider_grants TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.provider_logins TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.provider_logins TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.provider_sessions TO aggregator_portal;
GRANT SELECT ON TABLE public.provider_sessions TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.recovery_codes TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.removed_rows TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.removed_rows TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.roles TO aggregator_portal;
GRANT SELECT ON TABLE public.roles TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rule_groups TO aggregator_portal;
GRANT SELECT ON TABLE public.rule_groups TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rule_members TO aggregator_portal;
GRANT SELECT ON TABLE public.rule_members TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rule_users TO aggregator_portal;
GRANT SELECT ON TABLE public.rule_users TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rules TO aggregator_portal;
GRANT SELECT ON TABLE public.rules TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.saved_views TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.second_factors TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.service_lists TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.service_lists TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.service_preferences TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.service_tokens TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.session_agents TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.session_agents TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.session_messages TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.session_messages TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.site_authenticators TO aggregator_portal;
GRANT SELECT ON TABLE public.site_authenticators TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.site_groups TO aggregator_portal;
GRANT SELECT ON TABLE public.site_groups TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.site_users TO aggregator_portal;
GRANT SELECT ON TABLE public.site_users TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sites TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sites TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.spent_passkey_challenges TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.spent_passkey_challenges TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sync_rows TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sync_rows TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.system_parameters TO aggregator_portal;
GRANT SELECT ON TABLE public.system_parameters TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tags TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tags TO aggregator_sidecar;

GRANT SELECT,INSERT ON TABLE public.telemetry_batches TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.telemetry_batches TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.telemetry_marks TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.telemetry_sums TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.themes TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.used_peer_tokens TO aggregator_portal;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.used_provider_values TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.used_provider_values TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.user_roles TO aggregator_portal;
GRANT SELECT ON TABLE public.user_roles TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.users TO aggregator_portal;
GRANT SELECT ON TABLE public.users TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_deliveries TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_deliveries TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_sites TO aggregator_portal;
GRANT SELECT ON TABLE public.webhook_sites TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhooks TO aggregator_portal;
GRANT SELECT,UPDATE ON TABLE public.webhooks TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workplace_agents TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workplace_agents TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workplace_sessions TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workplace_sessions TO aggregator_sidecar;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workplaces TO aggregator_portal;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workplaces TO aggregator_sidecar;

