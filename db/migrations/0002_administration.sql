create extension if not exists pg_trgm;--> statement-breakpoint
CREATE TABLE "audit_head" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_refusals" (
	"subject" text collate "C" NOT NULL,
	"minute" timestamp (3) with time zone NOT NULL,
	"count" integer DEFAULT 1 NOT NULL,
	"event" jsonb NOT NULL,
	CONSTRAINT "audit_refusals_subject_minute_pk" PRIMARY KEY("subject","minute")
);
--> statement-breakpoint
CREATE TABLE "gateway_sites" (
	"gateway_id" uuid NOT NULL,
	"site_id" uuid NOT NULL,
	CONSTRAINT "gateway_sites_gateway_id_site_id_pk" PRIMARY KEY("gateway_id","site_id")
);
--> statement-breakpoint
CREATE TABLE "gateways" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"host" text NOT NULL,
	"port" integer DEFAULT 443 NOT NULL,
	"protocols" text[] DEFAULT '{"rdp","spice"}' NOT NULL,
	"networks" text[] DEFAULT '{}' NOT NULL,
	"priority" integer DEFAULT 1 NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"maintenance" boolean DEFAULT false NOT NULL,
	"token_hash" text NOT NULL,
	"version" text,
	"last_seen_at" timestamp (3) with time zone,
	"stats" jsonb
);
--> statement-breakpoint
CREATE TABLE "group_parts" (
	"group_id" uuid NOT NULL,
	"part_id" uuid NOT NULL,
	CONSTRAINT "group_parts_group_id_part_id_pk" PRIMARY KEY("group_id","part_id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"user_id" uuid NOT NULL,
	"key" text collate "C" NOT NULL,
	"fingerprint" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"status" integer,
	"headers" jsonb,
	"sealed_body" text,
	CONSTRAINT "idempotency_keys_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE TABLE "images" (
	"id" uuid PRIMARY KEY NOT NULL,
	"digest" text NOT NULL,
	"media_type" text NOT NULL,
	"bytes" integer NOT NULL,
	"content" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "maintenance_templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"message" text NOT NULL,
	"start_at" timestamp (3) with time zone,
	"end_at" timestamp (3) with time zone,
	"warn_minutes" integer DEFAULT 10 NOT NULL,
	"block_new_sessions" boolean DEFAULT true NOT NULL,
	"disconnect_sessions" boolean DEFAULT false NOT NULL,
	"logoff_sessions" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "monitoring_records" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"level" text NOT NULL,
	"source" text DEFAULT 'portal' NOT NULL,
	"object_type" text,
	"object_id" text,
	"object_name" text,
	"code" text DEFAULT '' NOT NULL,
	"message" text NOT NULL,
	"message_key" text collate "C" NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"acknowledged_by" text,
	"acknowledged_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "portals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"fqdn" text NOT NULL,
	"portal_type" text NOT NULL,
	"runtime" text NOT NULL,
	"version" text NOT NULL,
	"build" text DEFAULT '' NOT NULL,
	"os" text DEFAULT '' NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"metrics" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "priority_group_farms" (
	"priority_group_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"priority" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "priority_group_farms_priority_group_id_farm_id_pk" PRIMARY KEY("priority_group_id","farm_id")
);
--> statement-breakpoint
CREATE TABLE "priority_group_groups" (
	"priority_group_id" uuid NOT NULL,
	"group_id" uuid NOT NULL,
	CONSTRAINT "priority_group_groups_priority_group_id_group_id_pk" PRIMARY KEY("priority_group_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "priority_group_users" (
	"priority_group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "priority_group_users_priority_group_id_user_id_pk" PRIMARY KEY("priority_group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "priority_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"priority" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rule_groups" (
	"rule_id" uuid NOT NULL,
	"group_id" uuid NOT NULL,
	CONSTRAINT "rule_groups_rule_id_group_id_pk" PRIMARY KEY("rule_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "rule_members" (
	"rule_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"servicepool_uuid" uuid NOT NULL,
	"priority" integer DEFAULT 1 NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	CONSTRAINT "rule_members_rule_id_farm_id_pk" PRIMARY KEY("rule_id","farm_id")
);
--> statement-breakpoint
CREATE TABLE "rule_users" (
	"rule_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "rule_users_rule_id_user_id_pk" PRIMARY KEY("rule_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"site_id" uuid NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"display_name" text NOT NULL,
	"image_id" uuid,
	"policy" text DEFAULT 'priority' NOT NULL,
	"failover" boolean DEFAULT true NOT NULL,
	"affinity" text DEFAULT 'session' NOT NULL,
	"match_tags" jsonb
);
--> statement-breakpoint
CREATE TABLE "service_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"token_hash" text NOT NULL,
	"permissions" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"color" text,
	"comments" text DEFAULT '' NOT NULL,
	"source" text DEFAULT 'manual' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "themes" (
	"id" integer PRIMARY KEY NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"branding" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "sealed_text" text;--> statement-breakpoint
ALTER TABLE "gateway_sites" ADD CONSTRAINT "gateway_sites_gateway_id_gateways_id_fk" FOREIGN KEY ("gateway_id") REFERENCES "public"."gateways"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_sites" ADD CONSTRAINT "gateway_sites_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_parts" ADD CONSTRAINT "group_parts_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_parts" ADD CONSTRAINT "group_parts_part_id_groups_id_fk" FOREIGN KEY ("part_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_farms" ADD CONSTRAINT "priority_group_farms_priority_group_id_priority_groups_id_fk" FOREIGN KEY ("priority_group_id") REFERENCES "public"."priority_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_farms" ADD CONSTRAINT "priority_group_farms_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_groups" ADD CONSTRAINT "priority_group_groups_priority_group_id_priority_groups_id_fk" FOREIGN KEY ("priority_group_id") REFERENCES "public"."priority_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_groups" ADD CONSTRAINT "priority_group_groups_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_users" ADD CONSTRAINT "priority_group_users_priority_group_id_priority_groups_id_fk" FOREIGN KEY ("priority_group_id") REFERENCES "public"."priority_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_users" ADD CONSTRAINT "priority_group_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_groups" ADD CONSTRAINT "rule_groups_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_groups" ADD CONSTRAINT "rule_groups_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_members" ADD CONSTRAINT "rule_members_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_members" ADD CONSTRAINT "rule_members_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_users" ADD CONSTRAINT "rule_users_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_users" ADD CONSTRAINT "rule_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_image_id_images_id_fk" FOREIGN KEY ("image_id") REFERENCES "public"."images"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_tokens" ADD CONSTRAINT "service_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_refusals_minute" ON "audit_refusals" USING btree ("minute");--> statement-breakpoint
CREATE INDEX "gateway_sites_site" ON "gateway_sites" USING btree ("site_id");--> statement-breakpoint
CREATE UNIQUE INDEX "gateways_name_key" ON "gateways" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "gateways_token" ON "gateways" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "group_parts_part" ON "group_parts" USING btree ("part_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "images_digest" ON "images" USING btree ("digest");--> statement-breakpoint
CREATE UNIQUE INDEX "maintenance_templates_name_key" ON "maintenance_templates" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "monitoring_records_at" ON "monitoring_records" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_level" ON "monitoring_records" USING btree ("level","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_source" ON "monitoring_records" USING btree ("source","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_state" ON "monitoring_records" USING btree ("state","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_object_type" ON "monitoring_records" USING btree ("object_type","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_object_id" ON "monitoring_records" USING btree ("object_id","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_code" ON "monitoring_records" USING btree ("code","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_message" ON "monitoring_records" USING gin ("message_key" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "portals_name_key" ON "portals" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "portals_seen" ON "portals" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "priority_group_farms_farm" ON "priority_group_farms" USING btree ("farm_id");--> statement-breakpoint
CREATE INDEX "priority_group_groups_group" ON "priority_group_groups" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "priority_group_users_user" ON "priority_group_users" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "priority_groups_name_key" ON "priority_groups" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "rule_groups_group" ON "rule_groups" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "rule_members_pool" ON "rule_members" USING btree ("farm_id","servicepool_uuid");--> statement-breakpoint
CREATE INDEX "rule_users_user" ON "rule_users" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "rules_name_key" ON "rules" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "rules_site" ON "rules" USING btree ("site_id","name_key","id");--> statement-breakpoint
CREATE INDEX "rules_image" ON "rules" USING btree ("image_id");--> statement-breakpoint
CREATE UNIQUE INDEX "service_tokens_hash" ON "service_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "service_tokens_name_key" ON "service_tokens" USING btree ("user_id","name_key");--> statement-breakpoint
CREATE INDEX "service_tokens_expiry" ON "service_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name_key" ON "tags" USING btree ("name_key");--> statement-breakpoint
ALTER TABLE "farms" ADD CONSTRAINT "farms_maintenance_template_id_maintenance_templates_id_fk" FOREIGN KEY ("maintenance_template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sites" ADD CONSTRAINT "sites_maintenance_template_id_maintenance_templates_id_fk" FOREIGN KEY ("maintenance_template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_events_seq" ON "audit_events" USING btree ("seq");--> statement-breakpoint
CREATE INDEX "audit_events_unsealed" ON "audit_events" USING btree ("at","id") WHERE "audit_events"."seq" is null;--> statement-breakpoint
CREATE INDEX "audit_events_event" ON "audit_events" USING btree ("event","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_category" ON "audit_events" USING btree ("category","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_result" ON "audit_events" USING btree ("result","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_user" ON "audit_events" USING btree (lower("user_name"),"at","id");--> statement-breakpoint
CREATE INDEX "audit_events_object_type" ON "audit_events" USING btree ("object_type","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_object_id" ON "audit_events" USING btree ("object_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_source" ON "audit_events" USING btree ("source_ip","at","id");--> statement-breakpoint
CREATE INDEX "farms_template" ON "farms" USING btree ("maintenance_template_id");--> statement-breakpoint
CREATE INDEX "sites_template" ON "sites" USING btree ("maintenance_template_id");--> statement-breakpoint
CREATE INDEX "users_updated_at" ON "users" USING btree ("authenticator_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ("name_key" gin_trgm_ops);