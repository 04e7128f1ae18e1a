CREATE TABLE "provider_states" (
	"authenticator_id" uuid PRIMARY KEY NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"reason" text,
	"seen_by" text,
	"late_since" timestamp (3) with time zone
);
--> statement-breakpoint
DROP INDEX "provider_grants_domain";--> statement-breakpoint
ALTER TABLE "provider_grants" ADD COLUMN "failing_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "provider_states" ADD CONSTRAINT "provider_states_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "provider_grants_domain" ON "provider_grants" USING btree ("authenticator_id","next_check_at");