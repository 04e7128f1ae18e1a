CREATE TABLE "provider_grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"sealed_grant" text NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"next_check_at" timestamp (3) with time zone NOT NULL,
	"claim" uuid
);
--> statement-breakpoint
ALTER TABLE "provider_sessions" ADD COLUMN "grant_id" uuid;--> statement-breakpoint
ALTER TABLE "provider_grants" ADD CONSTRAINT "provider_grants_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_grants" ADD CONSTRAINT "provider_grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "provider_grants_due" ON "provider_grants" USING btree ("next_check_at");--> statement-breakpoint
CREATE INDEX "provider_grants_domain" ON "provider_grants" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "provider_grants_user" ON "provider_grants" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "provider_sessions" ADD CONSTRAINT "provider_sessions_grant_id_provider_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."provider_grants"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "provider_sessions_grant" ON "provider_sessions" USING btree ("grant_id");