CREATE TABLE "directory_refusals" (
	"authenticator_id" uuid PRIMARY KEY NOT NULL,
	"account_fingerprint" text NOT NULL,
	"refusals" integer NOT NULL,
	"refused_at" timestamp (3) with time zone NOT NULL,
	"retry_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "password_history" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"sealed_hash" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "directory_id" text;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD COLUMN "idle_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "directory_id" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "directory_checked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "card_fingerprint" text;--> statement-breakpoint
ALTER TABLE "directory_refusals" ADD CONSTRAINT "directory_refusals_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_history" ADD CONSTRAINT "password_history_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "password_history_user" ON "password_history" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "groups_directory_id" ON "groups" USING btree ("authenticator_id","directory_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_directory_id" ON "users" USING btree ("authenticator_id","directory_id");