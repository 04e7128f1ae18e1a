DROP INDEX "users_directory_id";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "directory_authority" text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE "users" SET "directory_authority" = "authenticators"."params" ->> 'issuer' FROM "authenticators"
 WHERE "authenticators"."id" = "users"."authenticator_id" AND "authenticators"."type" = 'oidc' AND "users"."directory_id" IS NOT NULL
 AND "authenticators"."params" ->> 'issuer' !~ '/(common|organizations|consumers)/v2\.0$';--> statement-breakpoint
CREATE UNIQUE INDEX "users_directory_id" ON "users" USING btree ("authenticator_id","directory_id","directory_authority");
