CREATE TABLE "node_logins" (
	"origin" text NOT NULL,
	"credentials" text NOT NULL,
	"state" text NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "node_logins_origin_credentials_pk" PRIMARY KEY("origin","credentials")
);
--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "account_domain" text;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "account_name" text;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "account_password" text;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "public_url" text;--> statement-breakpoint
ALTER TABLE "farms" ADD COLUMN "creates_users" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "farms" ADD COLUMN "identity_domains" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "node_logins_held" ON "node_logins" USING btree ("held_until");