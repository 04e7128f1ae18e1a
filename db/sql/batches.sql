-- Ends a batch of statements, which cannot branch: the error rolls the whole batch back. `db/errors.ts` reads its code.
create or replace function must(ok boolean, code text) returns void language plpgsql as $$
begin
  if ok is not true then
    raise exception using errcode = 'AG001', message = code;
  end if;
end $$;

revoke execute on function must(boolean, text) from public;
