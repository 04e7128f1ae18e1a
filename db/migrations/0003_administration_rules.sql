-- The groups that count for a user: his active ones, and the active meta groups of his domain that these fulfil.
create function effective_groups(member uuid) returns table (group_id uuid) language sql stable as $$
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
--> statement-breakpoint
-- The audit is append-only: the sealer may fill its own columns of an event once, retention may delete, both only in a
-- transaction that says so.
create function audit_is_append_only() returns trigger language plpgsql as $$
declare
  purpose text := current_setting('aggregator.audit', true);
begin
  if tg_op = 'DELETE' and purpose = 'retention' then
    return old;
  end if;
  if tg_op = 'UPDATE' and purpose = 'sealer' and old.seq is null
    and to_jsonb(new) - array['seq', 'prev_hash', 'hash', 'sealed_text']
      = to_jsonb(old) - array['seq', 'prev_hash', 'hash', 'sealed_text'] then
    return new;
  end if;
  raise exception using errcode = 'AG002', message = 'audit events cannot be changed or deleted';
end $$;
--> statement-breakpoint
create trigger audit_is_append_only before update or delete on audit_events
  for each row execute function audit_is_append_only();
--> statement-breakpoint
create trigger audit_is_not_truncated before truncate on audit_events
  for each statement execute function audit_is_append_only();
--> statement-breakpoint
insert into guards (name) values ('audit'), ('parameters');
--> statement-breakpoint
insert into audit_head (seq, hash) values (0, repeat('0', 64));
--> statement-breakpoint
-- The canonical text of an event: the members that the API shows, always these and in this order, the moment in UTC
-- whatever the session's time zone. The sealer hashes it and the verification makes it anew, so both use this function.
create function audit_text(e audit_events) returns text language sql stable parallel safe as $$
  select json_build_object(
    'seq', e.seq, 'id', e.id, 'at', to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'event', e.event, 'category', e.category, 'level', e.level, 'result', e.result,
    'user', e.user_name, 'user_id', e.user_id, 'domain', e.domain, 'portal', e.portal,
    'service_token', e.service_token, 'source_ip', e.source_ip, 'user_agent', e.user_agent,
    'request_id', e.request_id, 'method', e.method, 'path', e.path, 'object_type', e.object_type,
    'object_id', e.object_id, 'object_name', e.object_name, 'action', e.action, 'changes', e.changes,
    'details', e.details, 'message', e.message, 'count', e.count)::text
$$;
--> statement-breakpoint
-- Both texts one after the other: whoever holds them checks the hash with any SHA-256 program.
create function audit_hash(prev_hash text, sealed_text text) returns text language sql immutable parallel safe as $$
  select encode(sha256(convert_to(prev_hash || sealed_text, 'UTF8')), 'hex')
$$;
--> statement-breakpoint
-- Chains committed events that no one has sealed yet, up to `batch`, and tells how many. The caller holds the guard row
-- 'audit' by an earlier statement, so that this sees all that the sealer before him has done. A loop, because each
-- hash needs the one before; a recursive query over the same rows takes time in the square of their number.
create function seal_audit(batch int) returns int language plpgsql as $$
declare
  head audit_head;
  next audit_events;
  sealed int := 0;
begin
  select * into strict head from audit_head;
  for next in select * from audit_events where seq is null order by at, id limit batch loop
    next.seq := head.seq + 1;
    head.seq := next.seq;
    next.prev_hash := head.hash;
    next.sealed_text := audit_text(next);
    head.hash := audit_hash(next.prev_hash, next.sealed_text);
    update audit_events
      set seq = next.seq, prev_hash = next.prev_hash, sealed_text = next.sealed_text, hash = head.hash
      where id = next.id;
    sealed := sealed + 1;
  end loop;
  update audit_head set seq = head.seq, hash = head.hash where sealed > 0;
  return sealed;
end $$;
--> statement-breakpoint
-- A meta group goes with its composition. Parts that go in the same statement, as with their domain, are then no longer
-- referred to when that is checked, whichever row comes first.
create function let_parts_go() returns trigger language plpgsql as $$
begin
  delete from group_parts where group_id = old.id;
  return old;
end $$;
--> statement-breakpoint
create trigger let_parts_go before delete on groups
  for each row when (old.type = 'meta') execute function let_parts_go();
