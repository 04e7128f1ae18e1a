ALTER TABLE "dispatcher_sessions" DROP CONSTRAINT "dispatcher_sessions_user_id_users_id_fk";
--> statement-breakpoint
DROP INDEX "dispatcher_sessions_subject";--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "access_ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD COLUMN "ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD COLUMN "log_out_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD COLUMN "log_out_after" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "peer_sessions" ADD COLUMN "idle_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pkinit_challenges" ADD COLUMN "begun_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "access_ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD CONSTRAINT "dispatcher_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dispatcher_sessions_ended" ON "dispatcher_sessions" USING btree ("log_out_after") WHERE "dispatcher_sessions"."ended_at" is not null or ("dispatcher_sessions"."user_id" is null and "dispatcher_sessions"."subject" <> 'aggregator');--> statement-breakpoint
CREATE UNIQUE INDEX "dispatcher_sessions_subject" ON "dispatcher_sessions" USING btree ("dispatcher_id","subject") WHERE "dispatcher_sessions"."ended_at" is null;