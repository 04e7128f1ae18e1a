CREATE TABLE "gateway_tickets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"ticket_hash" text collate "C" NOT NULL,
	"gateway_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"session_uuid" uuid,
	"client_ip" text,
	"host" text NOT NULL,
	"port" integer NOT NULL,
	"issued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"notify_hash" text collate "C",
	"stopped_at" timestamp (3) with time zone,
	"sent" bigint DEFAULT 0 NOT NULL,
	"received" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "noted_status" text DEFAULT 'unknown' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_gateway_id_gateways_id_fk" FOREIGN KEY ("gateway_id") REFERENCES "public"."gateways"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_tickets_ticket" ON "gateway_tickets" USING btree ("ticket_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_tickets_notify" ON "gateway_tickets" USING btree ("notify_hash");--> statement-breakpoint
CREATE INDEX "gateway_tickets_session" ON "gateway_tickets" USING btree ("farm_id","session_uuid","used_at");--> statement-breakpoint
CREATE INDEX "gateway_tickets_gateway" ON "gateway_tickets" USING btree ("gateway_id");--> statement-breakpoint
CREATE INDEX "gateway_tickets_user" ON "gateway_tickets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "gateway_tickets_issued" ON "gateway_tickets" USING btree ("issued_at");