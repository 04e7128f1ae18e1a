ALTER TABLE "pools" ALTER COLUMN "name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "short_name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "comments" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "visible" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "maintenance" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "protocols" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "initial_srvs" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "cache_l1_srvs" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "cache_l2_srvs" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "max_srvs" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "workplaces_count" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "in_use_count" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "in_preparation_count" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "usage_percent" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "restrained" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ALTER COLUMN "tags" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "servicepool_uuid" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "servicepool_name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "workplace_uuid" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "workplace_name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "workplace_ip" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "user_name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "user_domain" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "protocol" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ALTER COLUMN "last_seen_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "servicepool_uuid" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "servicepool_name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "name" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "unique_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "hostname" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "ip" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "in_use" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "maintenance" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "tags" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ALTER COLUMN "node_revision" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "exported_files" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD COLUMN "dropped" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD COLUMN "ignored" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "farm_tags" ADD COLUMN "ignored" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "pools" ADD COLUMN "ignored" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ADD COLUMN "ignored" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "workplaces" ADD COLUMN "ignored" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "farm_tags_name" ON "farm_tags" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "farm_tags_ignored" ON "farm_tags" USING btree ("farm_id") WHERE "farm_tags"."ignored" <> '{}';--> statement-breakpoint
CREATE INDEX "pools_ignored" ON "pools" USING btree ("farm_id") WHERE "pools"."ignored" <> '{}';--> statement-breakpoint
CREATE INDEX "workplace_sessions_ignored" ON "workplace_sessions" USING btree ("farm_id") WHERE "workplace_sessions"."ignored" <> '{}';--> statement-breakpoint
CREATE INDEX "workplaces_ignored" ON "workplaces" USING btree ("farm_id") WHERE "workplaces"."ignored" <> '{}';--> statement-breakpoint
insert into guards (name) values ('tags');
