-- Keeps the session keys of a deleted user, which the foreign key deletes with the user: a job logs them out at their nodes.
create or replace function keep_ended_node_key() returns trigger language plpgsql as $$
begin
  insert into ended_node_keys (id, dispatcher_id, subject, sealed_key, expires_at)
  select old.id, old.dispatcher_id, old.subject, old.sealed_key, old.expires_at
  where old.expires_at > now()
    and not exists (select from users where id = old.user_id)
    and exists (select from dispatchers where id = old.dispatcher_id);
  return null;
end $$;

drop trigger if exists dispatcher_sessions_ended on dispatcher_sessions;
create trigger dispatcher_sessions_ended after delete on dispatcher_sessions
  for each row when (old.user_id is not null) execute function keep_ended_node_key();

revoke execute on function keep_ended_node_key() from public;
