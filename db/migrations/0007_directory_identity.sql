ALTER TABLE "authenticators" ADD COLUMN "directory_authority" text;--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "other_directory" text;--> statement-breakpoint
ALTER TABLE "authenticators" ADD COLUMN "other_directory_at" timestamp (3) with time zone;