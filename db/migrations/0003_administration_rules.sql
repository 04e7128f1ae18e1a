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
