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
