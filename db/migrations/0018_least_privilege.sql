CREATE TABLE "database_roles" (
	"process" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"secret_key_check" text,
	"written_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"fence" bigint DEFAULT 1 NOT NULL,
	"renewed_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);

--> statement-breakpoint
insert into installation default values;
--> statement-breakpoint
-- The audit is append-only for every role, the owner of the tables included. No setting opens it: a change is accepted
-- when it is the one that its place in the chain demands. An UPDATE may only append an unsealed event to the sealed ones,
-- and the text and the hash are computed here. A DELETE needs a checkpoint that declares the event as removed.
-- Qualified names, because the functions below run this with their own search path.
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
--> statement-breakpoint
-- A checkpoint is written once. It may be deleted when a later one declares its event as removed.
create or replace function audit_checkpoints_stay() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from public.audit_checkpoints where base_seq > old.seq) then
    return old;
  end if;
  raise exception using errcode = 'AG002', message = 'checkpoints of the audit cannot be changed or deleted';
end $$;
--> statement-breakpoint
-- The functions below run with the rights of the owner of the tables (SECURITY DEFINER): the roles of the portal and the
-- sidecar have none to change audit rows. Each is one statement for the caller, so that no lock waits for a client.
--
-- Seals up to `batch` committed events and returns how many. The guard row serializes sealers; the statements after it
-- see what the sealer before has committed. A loop, because each hash needs the one before.
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
--> statement-breakpoint
-- Writes a signed checkpoint; of several processes that sign the same, the first one counts.
create function add_audit_checkpoint(checkpoint jsonb) returns void language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  insert into public.audit_checkpoints
    select * from jsonb_populate_record(null::public.audit_checkpoints, checkpoint) on conflict do nothing
$$;
--> statement-breakpoint
-- Deletes up to `batch` of the oldest events up to `up_to`, and returns how many. Without a checkpoint that declares them
-- as removed the trigger refuses.
create function remove_outlived_audit(up_to bigint, batch int) returns int language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  with removed as (
    delete from public.audit_events where seq = any (array(
      select seq from public.audit_events where seq <= up_to order by seq limit batch)) returning 1)
  select count(*)::int from removed
$$;
--> statement-breakpoint
-- Deletes the checkpoints of events before `up_to`, which retention has removed.
create function remove_outlived_checkpoints(up_to bigint) returns void language sql
  security definer set search_path = pg_catalog, pg_temp as $$
  delete from public.audit_checkpoints where seq < up_to
$$;
--> statement-breakpoint
-- PostgreSQL lets every role execute a new function. `db/privileges.ts` grants what the roles need.
revoke execute on function must(boolean, text), effective_groups(uuid), audit_text(audit_events), audit_hash(text, text),
  seal_audit(int), add_audit_checkpoint(jsonb), remove_outlived_audit(bigint, int), remove_outlived_checkpoints(bigint),
  audit_is_append_only(), audit_checkpoints_stay(), let_parts_go(), move_version() from public;
