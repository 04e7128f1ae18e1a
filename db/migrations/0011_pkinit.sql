CREATE TABLE "pkinit_challenges" (
	"token_hash" text collate "C" PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"sealed_state" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "pkinit_challenges" ADD CONSTRAINT "pkinit_challenges_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "pkinit_challenges_expiry" ON "pkinit_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "pkinit_challenges_domain" ON "pkinit_challenges" USING btree ("authenticator_id");