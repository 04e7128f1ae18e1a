ALTER TABLE "rule_members" DROP CONSTRAINT "rule_members_rule_id_farm_id_pk";--> statement-breakpoint
ALTER TABLE "rule_members" ADD CONSTRAINT "rule_members_rule_id_farm_id_servicepool_uuid_pk" PRIMARY KEY("rule_id","farm_id","servicepool_uuid");--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "client_address" text DEFAULT 'family' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "issued_connections" ADD COLUMN "servicepool_uuid" uuid;--> statement-breakpoint
ALTER TABLE "sites" ADD COLUMN "direct_when_gateways_fail" boolean DEFAULT false NOT NULL;