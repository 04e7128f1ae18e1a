CREATE TABLE "full_pools" (
	"farm_id" uuid NOT NULL,
	"servicepool_uuid" uuid NOT NULL,
	"full_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "full_pools_farm_id_servicepool_uuid_pk" PRIMARY KEY("farm_id","servicepool_uuid")
);
--> statement-breakpoint
ALTER TABLE "issued_connections" ADD COLUMN "outcome" text DEFAULT 'issued' NOT NULL;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "failover_from_owned" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "sends_client_address" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "node_logins" ADD COLUMN "dispatcher_id" uuid;--> statement-breakpoint
ALTER TABLE "node_logins" ADD COLUMN "accepted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "node_logins" ADD COLUMN "refused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "full_pools" ADD CONSTRAINT "full_pools_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "node_logins" ADD CONSTRAINT "node_logins_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "node_logins_dispatcher" ON "node_logins" USING btree ("dispatcher_id");