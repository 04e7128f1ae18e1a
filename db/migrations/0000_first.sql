CREATE TABLE "audit_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint,
	"at" timestamp (3) with time zone NOT NULL,
	"event" text NOT NULL,
	"category" text NOT NULL,
	"level" text NOT NULL,
	"result" text NOT NULL,
	"user_name" text,
	"user_id" uuid,
	"domain" text,
	"portal" text,
	"service_token" text,
	"source_ip" text,
	"user_agent" text,
	"request_id" text,
	"method" text,
	"path" text,
	"object_type" text,
	"object_id" text,
	"object_name" text,
	"action" text,
	"changes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"count" integer DEFAULT 1 NOT NULL,
	"prev_hash" text,
	"hash" text
);
--> statement-breakpoint
CREATE TABLE "authenticators" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"small_name" text NOT NULL,
	"small_name_key" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"priority" integer DEFAULT 1 NOT NULL,
	"state" text DEFAULT 'visible' NOT NULL,
	"subjects" text DEFAULT 'all' NOT NULL,
	"two_factor" boolean DEFAULT false NOT NULL,
	"params" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"attributes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"builtin" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dispatcher_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"dispatcher_id" uuid NOT NULL,
	"user_id" uuid,
	"subject" text collate "C" NOT NULL,
	"sealed_key" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dispatchers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"farm_id" uuid NOT NULL,
	"kind" text DEFAULT 'dispatcher' NOT NULL,
	"url" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"priority" integer DEFAULT 1 NOT NULL,
	"verify_tls" boolean DEFAULT true NOT NULL,
	"ca_certificate" text,
	"health_key" text,
	"timeout_ms" integer DEFAULT 5000 NOT NULL,
	"version" text,
	"status" text DEFAULT 'unknown' NOT NULL,
	"circuit" text DEFAULT 'closed' NOT NULL,
	"last_check_at" timestamp (3) with time zone,
	"last_error" text,
	"response_time_ms" integer,
	"certificate" jsonb,
	"domains" jsonb,
	"domains_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "farms" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"site_id" uuid NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"maintenance" boolean DEFAULT false NOT NULL,
	"maintenance_template_id" uuid,
	"weight" integer DEFAULT 10 NOT NULL,
	"balancing" text DEFAULT 'priority' NOT NULL,
	"last_sync_at" timestamp (3) with time zone,
	"last_sync_error" text
);
--> statement-breakpoint
CREATE TABLE "group_members" (
	"group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "group_members_user_id_group_id_pk" PRIMARY KEY("user_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"external_id" text,
	"comments" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"type" text DEFAULT 'group' NOT NULL,
	"meta_if_any" boolean DEFAULT false NOT NULL,
	"skip_two_factor" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "guards" (
	"name" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_workers" (
	"name" text PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_locks" (
	"account" text collate "C" NOT NULL,
	"network" text collate "C" NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"locks" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp (3) with time zone,
	"last_failure_at" timestamp (3) with time zone,
	"last_good_at" timestamp (3) with time zone,
	CONSTRAINT "login_locks_account_network_pk" PRIMARY KEY("account","network")
);
--> statement-breakpoint
CREATE TABLE "login_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"portal" text NOT NULL,
	"source_ip" text NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"platform" text DEFAULT '' NOT NULL,
	"locale" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"permissions" text[] DEFAULT '{}' NOT NULL,
	"scope" jsonb DEFAULT '{"sites":"*"}'::jsonb NOT NULL,
	"builtin" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_roles" (
	"user_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	CONSTRAINT "user_roles_user_id_role_id_pk" PRIMARY KEY("user_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "site_authenticators" (
	"site_id" uuid NOT NULL,
	"authenticator_id" uuid NOT NULL,
	CONSTRAINT "site_authenticators_site_id_authenticator_id_pk" PRIMARY KEY("site_id","authenticator_id")
);
--> statement-breakpoint
CREATE TABLE "site_groups" (
	"site_id" uuid NOT NULL,
	"group_id" uuid NOT NULL,
	CONSTRAINT "site_groups_site_id_group_id_pk" PRIMARY KEY("site_id","group_id")
);
--> statement-breakpoint
CREATE TABLE "site_users" (
	"site_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "site_users_site_id_user_id_pk" PRIMARY KEY("site_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "sites" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"uri" text collate "C" NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"maintenance" boolean DEFAULT false NOT NULL,
	"maintenance_template_id" uuid,
	"priority" integer DEFAULT 1 NOT NULL,
	"location" jsonb
);
--> statement-breakpoint
CREATE TABLE "system_parameters" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"real_name" text DEFAULT '' NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"kind" text DEFAULT 'person' NOT NULL,
	"language" text,
	"password_hash" text,
	"password_changed_at" timestamp (3) with time zone,
	"must_change_password" boolean DEFAULT false NOT NULL,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"last_login_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD CONSTRAINT "dispatcher_sessions_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD CONSTRAINT "dispatcher_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD CONSTRAINT "dispatchers_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farms" ADD CONSTRAINT "farms_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD CONSTRAINT "login_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_roles" ADD CONSTRAINT "user_roles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_roles" ADD CONSTRAINT "user_roles_role_id_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."roles"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_authenticators" ADD CONSTRAINT "site_authenticators_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_authenticators" ADD CONSTRAINT "site_authenticators_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_groups" ADD CONSTRAINT "site_groups_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_groups" ADD CONSTRAINT "site_groups_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_users" ADD CONSTRAINT "site_users_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_users" ADD CONSTRAINT "site_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_events_at" ON "audit_events" USING btree ("at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "authenticators_name_key" ON "authenticators" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "authenticators_small_name_key" ON "authenticators" USING btree ("small_name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "dispatcher_sessions_subject" ON "dispatcher_sessions" USING btree ("dispatcher_id","subject");--> statement-breakpoint
CREATE INDEX "dispatcher_sessions_user" ON "dispatcher_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "dispatcher_sessions_expiry" ON "dispatcher_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "dispatchers_name_key" ON "dispatchers" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "dispatchers_farm" ON "dispatchers" USING btree ("farm_id");--> statement-breakpoint
CREATE UNIQUE INDEX "farms_name_key" ON "farms" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "farms_site" ON "farms" USING btree ("site_id");--> statement-breakpoint
CREATE INDEX "group_members_group" ON "group_members" USING btree ("group_id");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_name_key" ON "groups" USING btree ("authenticator_id","name_key");--> statement-breakpoint
CREATE INDEX "login_locks_failure" ON "login_locks" USING btree ("last_failure_at");--> statement-breakpoint
CREATE UNIQUE INDEX "login_sessions_token" ON "login_sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "login_sessions_user" ON "login_sessions" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "login_sessions_seen" ON "login_sessions" USING btree ("last_seen_at");--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name_key" ON "roles" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "user_roles_role" ON "user_roles" USING btree ("role_id");--> statement-breakpoint
CREATE INDEX "site_authenticators_domain" ON "site_authenticators" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "site_groups_group" ON "site_groups" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "site_users_user" ON "site_users" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sites_name_key" ON "sites" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "sites_uri" ON "sites" USING btree ("uri");--> statement-breakpoint
CREATE UNIQUE INDEX "users_name_key" ON "users" USING btree ("authenticator_id","name_key");--> statement-breakpoint
CREATE INDEX "users_created_at" ON "users" USING btree ("authenticator_id","created_at","id");