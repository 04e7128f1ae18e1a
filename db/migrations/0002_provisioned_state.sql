ALTER TABLE "users" ADD COLUMN "deactivated_by" text;--> statement-breakpoint
UPDATE "users" SET "deactivated_by" = 'provisioning' WHERE "deprovisioned_at" IS NOT NULL;
