CREATE TABLE "ended_node_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"dispatcher_id" uuid NOT NULL,
	"subject" text collate "C" NOT NULL,
	"sealed_key" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"log_out_after" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "access_ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "peer_sessions" ADD COLUMN "idle_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pkinit_challenges" ADD COLUMN "begun_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "access_ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "ended_node_keys" ADD CONSTRAINT "ended_node_keys_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ended_node_keys_due" ON "ended_node_keys" USING btree ("log_out_after");--> statement-breakpoint
CREATE INDEX "ended_node_keys_expiry" ON "ended_node_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "ended_node_keys_dispatcher" ON "ended_node_keys" USING btree ("dispatcher_id");--> statement-breakpoint
-- The keys of a user that is deleted go by cascade: they are kept to be logged out at their nodes.
create function keep_ended_node_key() returns trigger language plpgsql as $$
begin
  insert into ended_node_keys (id, dispatcher_id, subject, sealed_key, expires_at)
  select old.id, old.dispatcher_id, old.subject, old.sealed_key, old.expires_at
  where old.expires_at > now()
    and not exists (select from users where id = old.user_id)
    and exists (select from dispatchers where id = old.dispatcher_id);
  return null;
end $$;
--> statement-breakpoint
create trigger dispatcher_sessions_ended after delete on dispatcher_sessions
  for each row when (old.user_id is not null) execute function keep_ended_node_key();
--> statement-breakpoint
revoke all on function keep_ended_node_key() from public;
