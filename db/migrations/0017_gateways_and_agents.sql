CREATE TABLE "agent_registrations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"machine" text collate "C" NOT NULL,
	"sites" uuid[],
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workplace_agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"registration_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"workplace_uuid" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
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
	"tunnels_left" integer NOT NULL,
	"issued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
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
CREATE TABLE "session_agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"session_uuid" uuid NOT NULL,
	"user_name" text NOT NULL,
	"user_key" text collate "C" NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"session_agent_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"title" text,
	"message" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"handed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "noted_status" text DEFAULT 'unknown' NOT NULL;--> statement-breakpoint
ALTER TABLE "workplace_agents" ADD CONSTRAINT "workplace_agents_registration_id_agent_registrations_id_fk" FOREIGN KEY ("registration_id") REFERENCES "public"."agent_registrations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workplace_agents" ADD CONSTRAINT "workplace_agents_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_gateway_id_gateways_id_fk" FOREIGN KEY ("gateway_id") REFERENCES "public"."gateways"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tunnels" ADD CONSTRAINT "gateway_tunnels_ticket_id_gateway_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."gateway_tickets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_agents" ADD CONSTRAINT "session_agents_agent_id_workplace_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."workplace_agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_messages" ADD CONSTRAINT "session_messages_session_agent_id_session_agents_id_fk" FOREIGN KEY ("session_agent_id") REFERENCES "public"."session_agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_registrations_token" ON "agent_registrations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "agent_registrations_machine" ON "agent_registrations" USING btree ("machine");--> statement-breakpoint
CREATE UNIQUE INDEX "workplace_agents_token" ON "workplace_agents" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "workplace_agents_workplace" ON "workplace_agents" USING btree ("farm_id","workplace_uuid");--> statement-breakpoint
CREATE INDEX "workplace_agents_registration" ON "workplace_agents" USING btree ("registration_id");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_tickets_ticket" ON "gateway_tickets" USING btree ("ticket_hash");--> statement-breakpoint
CREATE INDEX "gateway_tickets_session" ON "gateway_tickets" USING btree ("farm_id","session_uuid","used_at");--> statement-breakpoint
CREATE INDEX "gateway_tickets_gateway" ON "gateway_tickets" USING btree ("gateway_id");--> statement-breakpoint
CREATE INDEX "gateway_tickets_user" ON "gateway_tickets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "gateway_tickets_issued" ON "gateway_tickets" USING btree ("issued_at");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_tunnels_notify" ON "gateway_tunnels" USING btree ("notify_hash");--> statement-breakpoint
CREATE INDEX "gateway_tunnels_ticket" ON "gateway_tunnels" USING btree ("ticket_id");--> statement-breakpoint
CREATE UNIQUE INDEX "session_agents_token" ON "session_agents" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "session_agents_session" ON "session_agents" USING btree ("agent_id","session_uuid");--> statement-breakpoint
CREATE INDEX "session_agents_age" ON "session_agents" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "session_messages_agent" ON "session_messages" USING btree ("session_agent_id","id");--> statement-breakpoint
CREATE INDEX "session_messages_age" ON "session_messages" USING btree ("created_at");