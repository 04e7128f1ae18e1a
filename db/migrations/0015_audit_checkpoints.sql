CREATE TABLE "audit_checkpoints" (
	"seq" bigint NOT NULL,
	"hash" text NOT NULL,
	"base_seq" bigint NOT NULL,
	"base_hash" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kid" text NOT NULL,
	"jws" text NOT NULL,
	CONSTRAINT "audit_checkpoints_seq_base_seq_kid_pk" PRIMARY KEY("seq","base_seq","kid")
);
--> statement-breakpoint
CREATE TABLE "audit_forwards" (
	"target" text PRIMARY KEY NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"error" text
);
--> statement-breakpoint
CREATE INDEX "audit_checkpoints_base" ON "audit_checkpoints" USING btree ("base_seq","seq");
--> statement-breakpoint
-- Compares the row as it is stored: through JSON, this check was a third of the sealer's time.
create or replace function audit_is_append_only() returns trigger language plpgsql as $$
declare
  purpose text := current_setting('aggregator.audit', true);
  unsealed audit_events := new;
begin
  if tg_op = 'DELETE' and purpose = 'retention' then
    return old;
  end if;
  if tg_op = 'UPDATE' and purpose = 'sealer' and old.seq is null then
    unsealed.seq := old.seq;
    unsealed.prev_hash := old.prev_hash;
    unsealed.hash := old.hash;
    unsealed.sealed_text := old.sealed_text;
    if unsealed *= old then
      return new;
    end if;
  end if;
  raise exception using errcode = 'AG002', message = 'audit events cannot be changed or deleted';
end $$;
--> statement-breakpoint
-- A checkpoint is written once; those before what retention has removed say nothing any more, and go with it.
create function audit_checkpoints_stay() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('aggregator.audit', true) = 'retention' then
    return old;
  end if;
  raise exception using errcode = 'AG002', message = 'checkpoints of the audit cannot be changed or deleted';
end $$;
--> statement-breakpoint
create trigger audit_checkpoints_stay before update or delete on audit_checkpoints
  for each row execute function audit_checkpoints_stay();
--> statement-breakpoint
create trigger audit_checkpoints_are_not_truncated before truncate on audit_checkpoints
  for each statement execute function audit_checkpoints_stay();
--> statement-breakpoint
-- The same text as before, to the byte, in a quarter of the time: json_build_object looks up the type of each of its
-- fifty arguments for every row.
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
    || ', "count" : ' || e.count || '}'
$$;
