CREATE TABLE "farm_parts" (
	"farm_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"dispatcher_id" uuid,
	"fetched_at" timestamp (3) with time zone,
	"full_at" timestamp (3) with time zone,
	"as_of" text,
	"etag" text,
	"is_incremental" boolean,
	"bad_rows" integer DEFAULT 0 NOT NULL,
	"took_ms" integer,
	"tried_at" timestamp (3) with time zone,
	"error" text,
	"sync_id" uuid,
	"sync_started_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "farm_parts_farm_id_kind_pk" PRIMARY KEY("farm_id","kind")
);
--> statement-breakpoint
CREATE TABLE "farm_tags" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"touched_at" timestamp (3) with time zone,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"dispatcher_id" uuid
);
--> statement-breakpoint
CREATE TABLE "fleet_versions" (
	"name" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issued_connections" (
	"user_id" uuid NOT NULL,
	"rule_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "issued_connections_user_id_rule_id_pk" PRIMARY KEY("user_id","rule_id")
);
--> statement-breakpoint
CREATE TABLE "pools" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"touched_at" timestamp (3) with time zone,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"short_name" text NOT NULL,
	"comments" text NOT NULL,
	"state" text NOT NULL,
	"visible" boolean NOT NULL,
	"maintenance" boolean NOT NULL,
	"maintenance_message" text,
	"maintenance_template_id" uuid,
	"maintenance_since" timestamp (3) with time zone,
	"protocols" text[] NOT NULL,
	"initial_srvs" integer NOT NULL,
	"cache_l1_srvs" integer NOT NULL,
	"cache_l2_srvs" integer NOT NULL,
	"max_srvs" integer NOT NULL,
	"workplaces_count" integer NOT NULL,
	"in_use_count" integer NOT NULL,
	"in_preparation_count" integer NOT NULL,
	"usage_percent" real NOT NULL,
	"restrained" boolean NOT NULL,
	"tags" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_lists" (
	"user_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"subject" text collate "C" NOT NULL,
	"entitlement" bigint NOT NULL,
	"fetched_at" timestamp (3) with time zone NOT NULL,
	"services" jsonb NOT NULL,
	"etag" text,
	CONSTRAINT "service_lists_user_id_farm_id_pk" PRIMARY KEY("user_id","farm_id")
);
--> statement-breakpoint
CREATE TABLE "removed_rows" (
	"farm_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"uuid" uuid NOT NULL,
	"removed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "removed_rows_farm_id_kind_uuid_pk" PRIMARY KEY("farm_id","kind","uuid")
);
--> statement-breakpoint
CREATE TABLE "sync_rows" (
	"sync_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"content" jsonb NOT NULL,
	CONSTRAINT "sync_rows_sync_id_uuid_pk" PRIMARY KEY("sync_id","uuid")
);
--> statement-breakpoint
CREATE TABLE "workplace_sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"touched_at" timestamp (3) with time zone,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"servicepool_uuid" uuid NOT NULL,
	"servicepool_name" text NOT NULL,
	"workplace_uuid" uuid NOT NULL,
	"workplace_name" text NOT NULL,
	"workplace_ip" text NOT NULL,
	"user_name" text NOT NULL,
	"user_domain" text NOT NULL,
	"user_key" text collate "C" NOT NULL,
	"protocol" text NOT NULL,
	"client_ip" text,
	"client_host" text,
	"gateway_id" uuid,
	"state" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workplaces" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"touched_at" timestamp (3) with time zone,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"servicepool_uuid" uuid NOT NULL,
	"servicepool_name" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"unique_id" text NOT NULL,
	"hostname" text NOT NULL,
	"ip" text NOT NULL,
	"state" text NOT NULL,
	"machine_state" text NOT NULL,
	"owner_domain" text,
	"owner_name" text,
	"owner_key" text collate "C",
	"in_use" boolean NOT NULL,
	"in_use_since" timestamp (3) with time zone,
	"client_ip" text,
	"client_host" text,
	"maintenance" boolean NOT NULL,
	"tags" text[] NOT NULL,
	"agent_version" text,
	"agent_seen_at" timestamp (3) with time zone,
	"node_revision" integer NOT NULL,
	"made_at" timestamp (3) with time zone,
	"assigning_until" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "circuit_failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "circuit_opened_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD COLUMN "circuit_probe_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD CONSTRAINT "farm_parts_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD CONSTRAINT "farm_parts_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farm_tags" ADD CONSTRAINT "farm_tags_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farm_tags" ADD CONSTRAINT "farm_tags_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issued_connections" ADD CONSTRAINT "issued_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issued_connections" ADD CONSTRAINT "issued_connections_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issued_connections" ADD CONSTRAINT "issued_connections_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pools" ADD CONSTRAINT "pools_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pools" ADD CONSTRAINT "pools_maintenance_template_id_maintenance_templates_id_fk" FOREIGN KEY ("maintenance_template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_lists" ADD CONSTRAINT "service_lists_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_lists" ADD CONSTRAINT "service_lists_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ADD CONSTRAINT "workplace_sessions_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workplaces" ADD CONSTRAINT "workplaces_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "farm_tags_uuid" ON "farm_tags" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "issued_connections_age" ON "issued_connections" USING btree ("issued_at");--> statement-breakpoint
CREATE UNIQUE INDEX "pools_uuid" ON "pools" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "pools_name" ON "pools" USING btree ("name_key","id");--> statement-breakpoint
CREATE INDEX "pools_farm" ON "pools" USING btree ("farm_id","name_key","id");--> statement-breakpoint
CREATE INDEX "pools_by_uuid" ON "pools" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "pools_template" ON "pools" USING btree ("maintenance_template_id");--> statement-breakpoint
CREATE INDEX "service_lists_age" ON "service_lists" USING btree ("fetched_at");--> statement-breakpoint
CREATE INDEX "removed_rows_age" ON "removed_rows" USING btree ("removed_at");--> statement-breakpoint
CREATE UNIQUE INDEX "workplace_sessions_uuid" ON "workplace_sessions" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "workplace_sessions_started" ON "workplace_sessions" USING btree ("started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_farm" ON "workplace_sessions" USING btree ("farm_id","started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_user" ON "workplace_sessions" USING btree ("user_key","started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_user_name" ON "workplace_sessions" USING btree (substr("user_key", strpos("user_key", chr(92)) + 1),"started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_search" ON "workplace_sessions" USING gin ("user_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "workplace_sessions_workplace" ON "workplace_sessions" USING btree ("farm_id","workplace_uuid");--> statement-breakpoint
CREATE UNIQUE INDEX "workplaces_uuid" ON "workplaces" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "workplaces_name" ON "workplaces" USING btree ("name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_farm" ON "workplaces" USING btree ("farm_id","name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_pool" ON "workplaces" USING btree ("farm_id","servicepool_uuid","name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_owner" ON "workplaces" USING btree ("owner_key","name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_owner_name" ON "workplaces" USING btree (substr("owner_key", strpos("owner_key", chr(92)) + 1),"name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_search" ON "workplaces" USING gin ("name_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "workplaces_machine" ON "workplaces" USING btree ("unique_id");--> statement-breakpoint
ALTER TABLE "farms" DROP COLUMN "last_sync_at";--> statement-breakpoint
ALTER TABLE "farms" DROP COLUMN "last_sync_error";