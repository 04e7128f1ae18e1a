ALTER TABLE "workplace_agents" ADD COLUMN "nonce" text;--> statement-breakpoint
ALTER TABLE "workplace_agents" ADD COLUMN "used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "gateway_tunnels" ADD COLUMN "presumed_ended" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "byte_counters" text DEFAULT 'tunnel' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "process_counters" jsonb DEFAULT '{"sent":[],"received":[]}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "reported_connections" integer;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "reported_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "gateway_tunnels_open" ON "gateway_tunnels" USING btree ("began_at") WHERE "gateway_tunnels"."stopped_at" is null;