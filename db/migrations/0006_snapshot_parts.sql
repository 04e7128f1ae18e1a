ALTER TABLE "farm_parts" ALTER COLUMN "as_of" SET DATA TYPE text;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD COLUMN "full_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD COLUMN "is_incremental" boolean;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD COLUMN "bad_rows" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "workplace_sessions_user_name" ON "workplace_sessions" USING btree (substr("user_key", strpos("user_key", chr(92)) + 1),"started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_search" ON "workplace_sessions" USING gin ("user_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "workplaces_owner_name" ON "workplaces" USING btree (substr("owner_key", strpos("owner_key", chr(92)) + 1),"name_key","id");--> statement-breakpoint
ALTER TABLE "farm_tags" DROP COLUMN "fetched_at";--> statement-breakpoint
ALTER TABLE "farms" DROP COLUMN "last_sync_at";--> statement-breakpoint
ALTER TABLE "farms" DROP COLUMN "last_sync_error";--> statement-breakpoint
ALTER TABLE "pools" DROP COLUMN "fetched_at";--> statement-breakpoint
ALTER TABLE "workplace_sessions" DROP COLUMN "fetched_at";--> statement-breakpoint
ALTER TABLE "workplaces" DROP COLUMN "fetched_at";