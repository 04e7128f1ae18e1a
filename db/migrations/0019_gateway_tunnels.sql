CREATE TABLE "gateway_tunnels" (
	"id" uuid PRIMARY KEY NOT NULL,
	"ticket_id" uuid NOT NULL,
	"notify_hash" text collate "C" NOT NULL,
	"began_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp (3) with time zone,
	"sent" bigint DEFAULT 0 NOT NULL,
	"received" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
-- What tickets opened until now goes on, and can be ended.
INSERT INTO "gateway_tunnels" SELECT gen_random_uuid(), "id", "notify_hash", "used_at", "stopped_at", "sent", "received"
  FROM "gateway_tickets" WHERE "used_at" IS NOT NULL;--> statement-breakpoint
DROP INDEX "gateway_tickets_notify";--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD COLUMN "tunnels_left" integer;--> statement-breakpoint
UPDATE "gateway_tickets" SET "tunnels_left" = CASE WHEN "used_at" IS NULL THEN 1 ELSE 0 END;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ALTER COLUMN "tunnels_left" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_tunnels" ADD CONSTRAINT "gateway_tunnels_ticket_id_gateway_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."gateway_tickets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_tunnels_notify" ON "gateway_tunnels" USING btree ("notify_hash");--> statement-breakpoint
CREATE INDEX "gateway_tunnels_ticket" ON "gateway_tunnels" USING btree ("ticket_id");--> statement-breakpoint
ALTER TABLE "gateway_tickets" DROP COLUMN "notify_hash";--> statement-breakpoint
ALTER TABLE "gateway_tickets" DROP COLUMN "stopped_at";--> statement-breakpoint
ALTER TABLE "gateway_tickets" DROP COLUMN "sent";--> statement-breakpoint
ALTER TABLE "gateway_tickets" DROP COLUMN "received";