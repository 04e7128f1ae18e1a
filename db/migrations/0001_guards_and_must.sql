-- Ends a batch that cannot branch: raises our own code, which rolls everything back (see db/errors.ts).
create function must(ok boolean, code text) returns void language plpgsql as $$
begin
  if ok is not true then
    raise exception using errcode = 'AG001', message = code;
  end if;
end $$;
--> statement-breakpoint
insert into guards (name) values ('administrators'), ('roles');
