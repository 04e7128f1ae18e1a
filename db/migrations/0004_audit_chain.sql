CREATE TABLE "audit_head" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
DROP INDEX "audit_events_object";--> statement-breakpoint
DROP INDEX "audit_events_user";--> statement-breakpoint
CREATE INDEX "audit_events_object_type" ON "audit_events" USING btree ("object_type","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_object_id" ON "audit_events" USING btree ("object_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_user" ON "audit_events" USING btree (lower("user_name"),"at","id");