ALTER TABLE "idempotency_keys" ADD COLUMN "rights" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "service_tokens" ADD COLUMN "scopes" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
-- Tokens made before are bound by their user's rights alone, as they were.
UPDATE "service_tokens" SET "scopes" = (
  SELECT coalesce(jsonb_object_agg(permission, '"*"'::jsonb), '{}') FROM unnest("permissions") AS permission);
