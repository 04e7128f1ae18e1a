-- The audit: a chain of hashes that no role can change, the owner of the tables included.

-- The canonical text of an event: the members that the API returns, always in this order, the time in UTC whatever the time
-- zone of the session is. The sealer hashes it and the verification computes it again, so a change of one byte breaks the
-- chains of all installations. A member that was added later is absent if it is null, so that older events keep their text.
-- Concatenation takes a quarter of the time of json_build_object.
create or replace function audit_text(e audit_events) returns text language sql stable parallel safe as $$
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
    || ', "count" : ' || e.count
    || coalesce(', "actor" : ' || to_json(e.actor), '') || '}'
$$;

-- The hash of an event: SHA-256 of the previous hash and the text, so that any SHA-256 program can check it.
create or replace function audit_hash(prev_hash text, sealed_text text) returns text language sql immutable parallel safe as $$
  select encode(sha256(convert_to(prev_hash || sealed_text, 'UTF8')), 'hex')
$$;

-- Refuses every UPDATE and DELETE that is not the next step of the chain. An UPDATE may only append an unsealed event to the
-- sealed ones; the text and the hash are computed here. A DELETE needs a checkpoint that declares the event as removed.
-- Names are qualified, because the functions below run this with their own search path. Rows are compared as they are
-- stored: a comparison through JSON was a third of the sealer's time.
create or replace function audit_is_append_only() returns trigger language plpgsql as $$
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

drop trigger if exists audit_is_append_only on audit_events;
create trigger audit_is_append_only before update or delete on audit_events
  for each row execute function audit_is_append_only();

drop trigger if exists audit_is_not_truncated on audit_events;
create trigger audit_is_not_truncated before truncate on audit_events
  for each statement execute function audit_is_append_only();

-- A checkpoint is written once. It may be deleted when a later one declares its event as removed.
create or replace function audit_checkpoints_stay() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from public.audit_checkpoints where base_seq > old.seq) then
    return old;
  end if;
  raise exception using errcode = 'AG002', message = 'checkpoints of the audit cannot be changed or deleted';
end $$;

drop trigger if exists audit_checkpoints_stay on audit_checkpoints;
create trigger audit_checkpoints_stay before update or delete on audit_checkpoints
  for each row execute function audit_checkpoints_stay();

drop trigger if exists audit_checkpoints_are_not_truncated on audit_checkpoints;
create trigger audit_checkpoints_are_not_truncated before truncate on audit_checkpoints
  for each statement execute function audit_checkpoints_stay();

-- The functions below run with the rights of the owner of the tables (SECURITY DEFINER), because the roles of the portal and
-- the sidecar may not change audit rows. Each is one statement for the caller, so that no lock waits for a client.

-- Seals up to `batch` committed events and returns how many. The guard row serializes sealers; the statements after it
-- see what the previous sealer has committed. It is a loop, because each hash needs the previous one; a recursive query takes
-- time in the square of the number of rows.
create or replace function seal_audit(batch int) returns int language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
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

-- Writes a signed checkpoint. If several processes sign the same one, the first one is kept.
create or replace function add_audit_checkpoint(checkpoint jsonb) returns void language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  insert into public.audit_checkpoints
    select * from jsonb_populate_record(null::public.audit_checkpoints, checkpoint) on conflict do nothing
$$;

-- Deletes up to `batch` of the oldest events up to `up_to`, and returns how many. Without a checkpoint that declares them
-- as removed the trigger refuses.
create or replace function remove_outlived_audit(up_to bigint, batch int) returns int language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  with removed as (
    delete from public.audit_events where seq = any (array(
      select seq from public.audit_events where seq <= up_to order by seq limit batch)) returning 1)
  select count(*)::int from removed
$$;

-- Deletes the checkpoints of events before `up_to`, which retention has removed.
create or replace function remove_outlived_checkpoints(up_to bigint) returns void language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  delete from public.audit_checkpoints where seq < up_to
$$;

revoke execute on function audit_text(audit_events), audit_hash(text, text), audit_is_append_only(),
  audit_checkpoints_stay(), seal_audit(int), add_audit_checkpoint(jsonb), remove_outlived_audit(bigint, int),
  remove_outlived_checkpoints(bigint) from public;
