-- Keeps session keys of nodes that a job must log out: those of deleted users, which the foreign key deletes with the user, and
-- every key of a node on which the portal has an account, because such a node keeps unused keys for a long time.
create or replace function keep_ended_node_key() returns trigger language plpgsql as $$
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

drop trigger if exists dispatcher_sessions_ended on dispatcher_sessions;
create trigger dispatcher_sessions_ended after delete on dispatcher_sessions
  for each row execute function keep_ended_node_key();

-- A key that is sealed again has the same end.
drop trigger if exists dispatcher_sessions_replaced on dispatcher_sessions;
create trigger dispatcher_sessions_replaced after update of sealed_key on dispatcher_sessions
  for each row when (old.expires_at is distinct from new.expires_at) execute function keep_ended_node_key();

-- With the last session of a user, the keys of the user end on nodes on which the portal has an account.
create or replace function end_node_keys_of_session() returns trigger language plpgsql as $$
begin
  delete from dispatcher_sessions s using dispatchers d
  where s.user_id = old.user_id and d.id = s.dispatcher_id and d.account_name is not null
    and not exists (select from login_sessions where user_id = old.user_id);
  return null;
end $$;

drop trigger if exists login_sessions_ended on login_sessions;
create trigger login_sessions_ended after delete on login_sessions
  for each row execute function end_node_keys_of_session();

revoke execute on function keep_ended_node_key(), end_node_keys_of_session() from public;
