-- The effective groups of a user: the active groups that have the user as a member, and the active meta groups of the same
-- domain whose condition these groups meet.
create or replace function effective_groups(member uuid) returns table (group_id uuid) language sql stable as $$
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

-- Deletes the composition of a meta group with the group. The foreign key of `group_parts` refuses to delete a group that is
-- a part; when a whole domain is deleted in one statement, this removes the references before they are checked.
create or replace function delete_group_parts() returns trigger language plpgsql as $$
begin
  delete from group_parts where group_id = old.id;
  return old;
end $$;

revoke execute on function effective_groups(uuid), delete_group_parts() from public;

drop trigger if exists delete_group_parts on groups;
create trigger delete_group_parts before delete on groups
  for each row when (old.type = 'meta') execute function delete_group_parts();
