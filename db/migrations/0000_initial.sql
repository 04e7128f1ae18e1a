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
	"nonce" text,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
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
CREATE TABLE "alert_mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"mail_id" uuid NOT NULL,
	"cause" text collate "C" NOT NULL,
	"records" integer NOT NULL,
	"sent_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"record_id" uuid PRIMARY KEY NOT NULL,
	"cause" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"message" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_checkpoints" (
	"seq" bigint NOT NULL,
	"hash" text NOT NULL,
	"base_seq" bigint NOT NULL,
	"base_hash" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kid" text NOT NULL,
	"jws" text NOT NULL,
	CONSTRAINT "audit_checkpoints_seq_base_seq_kid_pk" PRIMARY KEY("seq","base_seq","kid")
);
--> statement-breakpoint
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
	"hash" text,
	"sealed_text" text
);
--> statement-breakpoint
CREATE TABLE "audit_forwards" (
	"target" text PRIMARY KEY NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"error" text
);
--> statement-breakpoint
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
CREATE TABLE "change_marks" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" uuid DEFAULT gen_random_uuid() NOT NULL,
	"removed_to" "xid8" DEFAULT '0'::xid8 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "changes_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"object_id" text NOT NULL,
	"list" text DEFAULT '' NOT NULL,
	"action" text DEFAULT 'updated' NOT NULL,
	"sites" uuid[],
	CONSTRAINT "changes_xid_seq_pk" PRIMARY KEY("xid","seq")
);
--> statement-breakpoint
CREATE TABLE "exported_chunks" (
	"file" uuid NOT NULL,
	"n" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "exported_chunks_file_n_pk" PRIMARY KEY("file","n")
);
--> statement-breakpoint
CREATE TABLE "exported_files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"format" text NOT NULL,
	"filters" jsonb NOT NULL,
	"fingerprint" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"rows" bigint,
	"bytes" bigint,
	"sha256" text,
	"progress" double precision DEFAULT 0 NOT NULL,
	"store" text DEFAULT 'database' NOT NULL,
	"file" uuid,
	"upload_id" text,
	"reason" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
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
	"client_address" text DEFAULT 'family' NOT NULL,
	"byte_counters" text DEFAULT 'tunnel' NOT NULL,
	"process_counters" jsonb DEFAULT '{"sent":[],"received":[]}'::jsonb NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	"reported_connections" integer,
	"reported_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"stats" jsonb,
	"noted_status" text DEFAULT 'unknown' NOT NULL
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
	"presumed_ended" boolean DEFAULT false NOT NULL,
	"sent" bigint DEFAULT 0 NOT NULL,
	"received" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "guards" (
	"name" text PRIMARY KEY NOT NULL
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
	"builtin" boolean DEFAULT false NOT NULL,
	"access_ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "directory_refusals" (
	"authenticator_id" uuid PRIMARY KEY NOT NULL,
	"account_fingerprint" text NOT NULL,
	"refusals" integer NOT NULL,
	"refused_at" timestamp (3) with time zone NOT NULL,
	"retry_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "group_parts" (
	"group_id" uuid NOT NULL,
	"part_id" uuid NOT NULL,
	CONSTRAINT "group_parts_group_id_part_id_pk" PRIMARY KEY("group_id","part_id")
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
	"directory_id" text,
	"comments" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"type" text DEFAULT 'group' NOT NULL,
	"meta_if_any" boolean DEFAULT false NOT NULL,
	"skip_two_factor" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"network" text collate "C" NOT NULL,
	"session_id" uuid,
	"sealed_secret" text,
	"wrong_codes" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
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
	"counted_from" timestamp (3) with time zone,
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
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"idle_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "page_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"session_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spent_passkey_challenges" (
	"challenge_hash" text collate "C" PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkey_recovery_codes" (
	"user_id" uuid NOT NULL,
	"code_hash" text NOT NULL,
	CONSTRAINT "passkey_recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"user_handle" text NOT NULL,
	"credential_id" text collate "C" NOT NULL,
	"public_key" text NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] DEFAULT '{}' NOT NULL,
	"synced" boolean NOT NULL,
	"backed_up" boolean NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"blocked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "peer_roles" (
	"peer_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	CONSTRAINT "peer_roles_peer_id_role_id_pk" PRIMARY KEY("peer_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "peer_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"peer_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"idle_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "peers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"issuer" text collate "C" NOT NULL,
	"jwks" jsonb,
	"jwks_url" text,
	"ca_certificate" text,
	"enabled" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "used_peer_tokens" (
	"digest" text PRIMARY KEY NOT NULL,
	"kept_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pkinit_challenges" (
	"token_hash" text collate "C" PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"sealed_state" text NOT NULL,
	"begun_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "client_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"sealed_private_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "provider_grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"sealed_grant" text NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"next_check_at" timestamp (3) with time zone NOT NULL,
	"claim" uuid
);
--> statement-breakpoint
CREATE TABLE "program_grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"code_hash" text collate "C" NOT NULL,
	"user_code_hash" text collate "C",
	"program" text NOT NULL,
	"portal" text,
	"source_ip" text collate "C" NOT NULL,
	"code_challenge" text,
	"redirect_uri" text,
	"interval_s" integer NOT NULL,
	"polled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"kept_until" timestamp (3) with time zone NOT NULL,
	"allowed_by" uuid,
	"session_id" uuid
);
--> statement-breakpoint
CREATE TABLE "provider_logins" (
	"token_hash" text collate "C" PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"sealed_state" text NOT NULL,
	"begun_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "provider_sessions" (
	"session_id" uuid PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"issuer" text collate "C" NOT NULL,
	"sub" text collate "C" NOT NULL,
	"sid" text collate "C",
	"sealed_id_token" text,
	"grant_id" uuid
);
--> statement-breakpoint
CREATE TABLE "used_provider_values" (
	"digest" text collate "C" PRIMARY KEY NOT NULL,
	"kept_until" timestamp (3) with time zone NOT NULL
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
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"code_hash" text NOT NULL,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"sealed_secret" text NOT NULL,
	"last_step" integer NOT NULL,
	"enrolled_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"token_hash" text NOT NULL,
	"permissions" text[] DEFAULT '{}' NOT NULL,
	"scopes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	"own" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "password_history" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"sealed_hash" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
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
	"given_name" text DEFAULT '' NOT NULL,
	"family_name" text DEFAULT '' NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"kind" text DEFAULT 'person' NOT NULL,
	"language" text,
	"password_hash" text,
	"password_changed_at" timestamp (3) with time zone,
	"must_change_password" boolean DEFAULT false NOT NULL,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"last_login_at" timestamp (3) with time zone,
	"directory_id" text,
	"directory_checked_at" timestamp (3) with time zone,
	"card_fingerprint" text,
	"access_ended_at" timestamp (3) with time zone,
	"deprovisioned_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"user_id" uuid,
	"key" text collate "C" NOT NULL,
	"fingerprint" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"status" integer,
	"headers" jsonb,
	"sealed_body" text,
	"peer_id" uuid,
	"rights" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "idempotency_keys_owner" UNIQUE NULLS NOT DISTINCT("user_id","peer_id","key"),
	CONSTRAINT "idempotency_keys_one_owner" CHECK (num_nonnulls("idempotency_keys"."user_id", "idempotency_keys"."peer_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"fence" bigint DEFAULT 1 NOT NULL,
	"renewed_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_outbox" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"payload" jsonb NOT NULL,
	"start_after" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_workers" (
	"name" text PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "maintenance_steps" (
	"window_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"phase" text NOT NULL,
	"target" uuid NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"done_at" timestamp (3) with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "maintenance_steps_window_id_farm_id_phase_target_pk" PRIMARY KEY("window_id","farm_id","phase","target")
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
CREATE TABLE "maintenance_windows" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"object_type" text NOT NULL,
	"about" text NOT NULL,
	"object_name" text NOT NULL,
	"site_id" uuid,
	"farm_id" uuid,
	"pool_uuid" uuid,
	"workplace_uuid" uuid,
	"template_id" uuid,
	"message" text,
	"begun_at" timestamp (3) with time zone
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
CREATE TABLE "telemetry_batches" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"counts" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "telemetry_marks" (
	"name" text PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "telemetry_sums" (
	"family" text NOT NULL,
	"labels" text[] NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "telemetry_sums_family_labels_pk" PRIMARY KEY("family","labels")
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
CREATE TABLE "ended_node_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"dispatcher_id" uuid NOT NULL,
	"subject" text collate "C" NOT NULL,
	"sealed_key" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"log_out_after" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issued_connections" (
	"user_id" uuid NOT NULL,
	"rule_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"servicepool_uuid" uuid,
	"issued_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "issued_connections_user_id_rule_id_pk" PRIMARY KEY("user_id","rule_id")
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
	CONSTRAINT "rule_members_rule_id_farm_id_servicepool_uuid_pk" PRIMARY KEY("rule_id","farm_id","servicepool_uuid")
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
CREATE TABLE "service_preferences" (
	"user_id" uuid NOT NULL,
	"site_id" uuid NOT NULL,
	"service_id" text collate "C" NOT NULL,
	"favourite" boolean DEFAULT false NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"launch" text,
	CONSTRAINT "service_preferences_user_id_site_id_service_id_pk" PRIMARY KEY("user_id","site_id","service_id")
);
--> statement-breakpoint
CREATE TABLE "database_roles" (
	"process" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL
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
CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"secret_key_check" text,
	"written_at" timestamp (3) with time zone,
	"resting_since" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "pictures" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"list" text collate "C" NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"query" text NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "system_parameters" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "themes" (
	"id" integer PRIMARY KEY NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"branding" jsonb DEFAULT '{}'::jsonb NOT NULL
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
	"account_domain" text,
	"account_name" text,
	"account_password" text,
	"public_url" text,
	"version" text,
	"status" text DEFAULT 'unknown' NOT NULL,
	"circuit" text DEFAULT 'closed' NOT NULL,
	"circuit_failures" integer DEFAULT 0 NOT NULL,
	"circuit_opened_at" timestamp (3) with time zone,
	"circuit_probe_until" timestamp (3) with time zone,
	"last_check_at" timestamp (3) with time zone,
	"last_error" text,
	"response_time_ms" integer,
	"certificate" jsonb,
	"certificate_notice" jsonb,
	"domains" jsonb,
	"domains_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "farm_tags" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"touched_at" timestamp (3) with time zone,
	"ignored" text[] DEFAULT '{}' NOT NULL,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"dispatcher_id" uuid
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
	"creates_users" boolean DEFAULT false NOT NULL,
	"identity_domains" jsonb DEFAULT '[]'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fleet_versions" (
	"name" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "node_logins" (
	"origin" text NOT NULL,
	"credentials" text NOT NULL,
	"state" text NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "node_logins_origin_credentials_pk" PRIMARY KEY("origin","credentials")
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
	"direct_when_gateways_fail" boolean DEFAULT false NOT NULL,
	"location" jsonb
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
CREATE TABLE "farm_parts" (
	"farm_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"dispatcher_id" uuid,
	"fetched_at" timestamp (3) with time zone,
	"full_at" timestamp (3) with time zone,
	"as_of" text,
	"etag" text,
	"is_incremental" boolean,
	"dropped" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"ignored" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"took_ms" integer,
	"tried_at" timestamp (3) with time zone,
	"error" text,
	"sync_id" uuid,
	"sync_started_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "farm_parts_farm_id_kind_pk" PRIMARY KEY("farm_id","kind")
);
--> statement-breakpoint
CREATE TABLE "pools" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"touched_at" timestamp (3) with time zone,
	"ignored" text[] DEFAULT '{}' NOT NULL,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"name" text,
	"name_key" text collate "C" NOT NULL,
	"short_name" text,
	"comments" text,
	"state" text NOT NULL,
	"visible" boolean,
	"maintenance" boolean,
	"maintenance_message" text,
	"maintenance_template_id" uuid,
	"maintenance_since" timestamp (3) with time zone,
	"protocols" text[],
	"initial_srvs" integer,
	"cache_l1_srvs" integer,
	"cache_l2_srvs" integer,
	"max_srvs" integer,
	"workplaces_count" integer,
	"in_use_count" integer,
	"in_preparation_count" integer,
	"usage_percent" real,
	"restrained" boolean,
	"tags" text[]
);
--> statement-breakpoint
CREATE TABLE "service_lists" (
	"user_id" uuid NOT NULL,
	"farm_id" uuid NOT NULL,
	"subject" text collate "C" NOT NULL,
	"entitlement" bigint NOT NULL,
	"fetched_at" timestamp (3) with time zone NOT NULL,
	"services" jsonb NOT NULL,
	"revision" text GENERATED ALWAYS AS (left(translate(encode(sha256(replace(services::text, '\', '\\')::bytea), 'base64'), '+/', '-_'), 22)) STORED NOT NULL,
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
	"ignored" text[] DEFAULT '{}' NOT NULL,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"servicepool_uuid" uuid,
	"servicepool_name" text,
	"workplace_uuid" uuid,
	"workplace_name" text,
	"workplace_ip" text,
	"user_name" text,
	"user_domain" text,
	"user_key" text collate "C" NOT NULL,
	"protocol" text,
	"client_ip" text,
	"client_host" text,
	"gateway_id" uuid,
	"state" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "workplaces" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"touched_at" timestamp (3) with time zone,
	"ignored" text[] DEFAULT '{}' NOT NULL,
	"farm_id" uuid NOT NULL,
	"uuid" uuid NOT NULL,
	"servicepool_uuid" uuid,
	"servicepool_name" text,
	"name" text,
	"name_key" text collate "C" NOT NULL,
	"unique_id" text,
	"hostname" text,
	"ip" text,
	"state" text NOT NULL,
	"machine_state" text NOT NULL,
	"owner_domain" text,
	"owner_name" text,
	"owner_key" text collate "C",
	"in_use" boolean,
	"in_use_since" timestamp (3) with time zone,
	"client_ip" text,
	"client_host" text,
	"maintenance" boolean,
	"tags" text[],
	"agent_version" text,
	"agent_seen_at" timestamp (3) with time zone,
	"node_revision" integer,
	"made_at" timestamp (3) with time zone,
	"assigning_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "event_marks" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"xid" "xid8" DEFAULT '0'::xid8 NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL,
	"mail_due_at" timestamp (3) with time zone,
	"mail_failures" integer DEFAULT 0 NOT NULL,
	"mail_error" text
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event" text NOT NULL,
	"kind" text NOT NULL,
	"object_id" text DEFAULT '' NOT NULL,
	"list" text DEFAULT '' NOT NULL,
	"sites" uuid[],
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"last_attempt_at" timestamp (3) with time zone,
	"status" integer,
	"error" text,
	"duration_ms" integer
);
--> statement-breakpoint
CREATE TABLE "webhook_sites" (
	"webhook_id" uuid NOT NULL,
	"site_id" uuid NOT NULL,
	CONSTRAINT "webhook_sites_webhook_id_site_id_pk" PRIMARY KEY("webhook_id","site_id")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"name" text NOT NULL,
	"name_key" text collate "C" NOT NULL,
	"comments" text DEFAULT '' NOT NULL,
	"url" text NOT NULL,
	"ca_certificate" text,
	"events" text[] NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"owner_id" uuid,
	"sealed_secret" text NOT NULL,
	"sealed_former_secret" text,
	"former_until" timestamp (3) with time zone,
	"active_since" timestamp (3) with time zone NOT NULL,
	"disabled_reason" text,
	"failing_since" timestamp (3) with time zone,
	"last_success_at" timestamp (3) with time zone,
	"dropped" integer DEFAULT 0 NOT NULL,
	"is_pause_noted" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "workplace_agents" ADD CONSTRAINT "workplace_agents_registration_id_agent_registrations_id_fk" FOREIGN KEY ("registration_id") REFERENCES "public"."agent_registrations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workplace_agents" ADD CONSTRAINT "workplace_agents_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_agents" ADD CONSTRAINT "session_agents_agent_id_workplace_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."workplace_agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_messages" ADD CONSTRAINT "session_messages_session_agent_id_session_agents_id_fk" FOREIGN KEY ("session_agent_id") REFERENCES "public"."session_agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_sites" ADD CONSTRAINT "gateway_sites_gateway_id_gateways_id_fk" FOREIGN KEY ("gateway_id") REFERENCES "public"."gateways"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_sites" ADD CONSTRAINT "gateway_sites_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_gateway_id_gateways_id_fk" FOREIGN KEY ("gateway_id") REFERENCES "public"."gateways"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tickets" ADD CONSTRAINT "gateway_tickets_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gateway_tunnels" ADD CONSTRAINT "gateway_tunnels_ticket_id_gateway_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."gateway_tickets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "directory_refusals" ADD CONSTRAINT "directory_refusals_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_parts" ADD CONSTRAINT "group_parts_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_parts" ADD CONSTRAINT "group_parts_part_id_groups_id_fk" FOREIGN KEY ("part_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_challenges" ADD CONSTRAINT "login_challenges_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD CONSTRAINT "login_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "page_tokens" ADD CONSTRAINT "page_tokens_session_id_login_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."login_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkey_recovery_codes" ADD CONSTRAINT "passkey_recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "peer_roles" ADD CONSTRAINT "peer_roles_peer_id_peers_id_fk" FOREIGN KEY ("peer_id") REFERENCES "public"."peers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "peer_roles" ADD CONSTRAINT "peer_roles_role_id_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."roles"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "peer_sessions" ADD CONSTRAINT "peer_sessions_peer_id_peers_id_fk" FOREIGN KEY ("peer_id") REFERENCES "public"."peers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pkinit_challenges" ADD CONSTRAINT "pkinit_challenges_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_keys" ADD CONSTRAINT "client_keys_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_grants" ADD CONSTRAINT "provider_grants_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_grants" ADD CONSTRAINT "provider_grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_allowed_by_login_sessions_id_fk" FOREIGN KEY ("allowed_by") REFERENCES "public"."login_sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_session_id_login_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."login_sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_logins" ADD CONSTRAINT "provider_logins_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_sessions" ADD CONSTRAINT "provider_sessions_session_id_login_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."login_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_sessions" ADD CONSTRAINT "provider_sessions_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_sessions" ADD CONSTRAINT "provider_sessions_grant_id_provider_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."provider_grants"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_roles" ADD CONSTRAINT "user_roles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_roles" ADD CONSTRAINT "user_roles_role_id_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."roles"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_second_factors_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."second_factors"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_tokens" ADD CONSTRAINT "service_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_history" ADD CONSTRAINT "password_history_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_peer_id_peers_id_fk" FOREIGN KEY ("peer_id") REFERENCES "public"."peers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_steps" ADD CONSTRAINT "maintenance_steps_window_id_maintenance_windows_id_fk" FOREIGN KEY ("window_id") REFERENCES "public"."maintenance_windows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_steps" ADD CONSTRAINT "maintenance_steps_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD CONSTRAINT "maintenance_windows_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD CONSTRAINT "maintenance_windows_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD CONSTRAINT "maintenance_windows_template_id_maintenance_templates_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD CONSTRAINT "dispatcher_sessions_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatcher_sessions" ADD CONSTRAINT "dispatcher_sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ended_node_keys" ADD CONSTRAINT "ended_node_keys_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issued_connections" ADD CONSTRAINT "issued_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issued_connections" ADD CONSTRAINT "issued_connections_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "issued_connections" ADD CONSTRAINT "issued_connections_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_groups" ADD CONSTRAINT "rule_groups_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_groups" ADD CONSTRAINT "rule_groups_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_members" ADD CONSTRAINT "rule_members_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_members" ADD CONSTRAINT "rule_members_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_users" ADD CONSTRAINT "rule_users_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rule_users" ADD CONSTRAINT "rule_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_image_id_images_id_fk" FOREIGN KEY ("image_id") REFERENCES "public"."images"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_preferences" ADD CONSTRAINT "service_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_preferences" ADD CONSTRAINT "service_preferences_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pictures" ADD CONSTRAINT "pictures_id_images_id_fk" FOREIGN KEY ("id") REFERENCES "public"."images"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispatchers" ADD CONSTRAINT "dispatchers_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farm_tags" ADD CONSTRAINT "farm_tags_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farm_tags" ADD CONSTRAINT "farm_tags_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farms" ADD CONSTRAINT "farms_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farms" ADD CONSTRAINT "farms_maintenance_template_id_maintenance_templates_id_fk" FOREIGN KEY ("maintenance_template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_farms" ADD CONSTRAINT "priority_group_farms_priority_group_id_priority_groups_id_fk" FOREIGN KEY ("priority_group_id") REFERENCES "public"."priority_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_farms" ADD CONSTRAINT "priority_group_farms_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_groups" ADD CONSTRAINT "priority_group_groups_priority_group_id_priority_groups_id_fk" FOREIGN KEY ("priority_group_id") REFERENCES "public"."priority_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_groups" ADD CONSTRAINT "priority_group_groups_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_users" ADD CONSTRAINT "priority_group_users_priority_group_id_priority_groups_id_fk" FOREIGN KEY ("priority_group_id") REFERENCES "public"."priority_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "priority_group_users" ADD CONSTRAINT "priority_group_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_authenticators" ADD CONSTRAINT "site_authenticators_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_authenticators" ADD CONSTRAINT "site_authenticators_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_groups" ADD CONSTRAINT "site_groups_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_groups" ADD CONSTRAINT "site_groups_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_users" ADD CONSTRAINT "site_users_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "site_users" ADD CONSTRAINT "site_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sites" ADD CONSTRAINT "sites_maintenance_template_id_maintenance_templates_id_fk" FOREIGN KEY ("maintenance_template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD CONSTRAINT "farm_parts_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farm_parts" ADD CONSTRAINT "farm_parts_dispatcher_id_dispatchers_id_fk" FOREIGN KEY ("dispatcher_id") REFERENCES "public"."dispatchers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pools" ADD CONSTRAINT "pools_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pools" ADD CONSTRAINT "pools_maintenance_template_id_maintenance_templates_id_fk" FOREIGN KEY ("maintenance_template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_lists" ADD CONSTRAINT "service_lists_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_lists" ADD CONSTRAINT "service_lists_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workplace_sessions" ADD CONSTRAINT "workplace_sessions_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workplaces" ADD CONSTRAINT "workplaces_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_sites" ADD CONSTRAINT "webhook_sites_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_sites" ADD CONSTRAINT "webhook_sites_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_registrations_token" ON "agent_registrations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "agent_registrations_machine" ON "agent_registrations" USING btree ("machine");--> statement-breakpoint
CREATE UNIQUE INDEX "workplace_agents_token" ON "workplace_agents" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "workplace_agents_workplace" ON "workplace_agents" USING btree ("farm_id","workplace_uuid");--> statement-breakpoint
CREATE INDEX "workplace_agents_registration" ON "workplace_agents" USING btree ("registration_id");--> statement-breakpoint
CREATE UNIQUE INDEX "session_agents_token" ON "session_agents" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "session_agents_session" ON "session_agents" USING btree ("agent_id","session_uuid");--> statement-breakpoint
CREATE INDEX "session_agents_age" ON "session_agents" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "session_messages_agent" ON "session_messages" USING btree ("session_agent_id","id");--> statement-breakpoint
CREATE INDEX "session_messages_age" ON "session_messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "alert_mails_sent" ON "alert_mails" USING btree ("sent_at");--> statement-breakpoint
CREATE INDEX "alerts_cause" ON "alerts" USING btree ("cause","at");--> statement-breakpoint
CREATE INDEX "audit_checkpoints_base" ON "audit_checkpoints" USING btree ("base_seq","seq");--> statement-breakpoint
CREATE INDEX "audit_events_at" ON "audit_events" USING btree ("at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_events_seq" ON "audit_events" USING btree ("seq");--> statement-breakpoint
CREATE INDEX "audit_events_unsealed" ON "audit_events" USING btree ("at","id") WHERE "audit_events"."seq" is null;--> statement-breakpoint
CREATE INDEX "audit_events_event" ON "audit_events" USING btree ("event","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_category" ON "audit_events" USING btree ("category","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_result" ON "audit_events" USING btree ("result","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_user" ON "audit_events" USING btree (lower("user_name"),"at","id");--> statement-breakpoint
CREATE INDEX "audit_events_object_type" ON "audit_events" USING btree ("object_type","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_object_id" ON "audit_events" USING btree ("object_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_source" ON "audit_events" USING btree ("source_ip","at","id");--> statement-breakpoint
CREATE INDEX "audit_refusals_minute" ON "audit_refusals" USING btree ("minute");--> statement-breakpoint
CREATE UNIQUE INDEX "changes_object" ON "changes" USING btree ("xid","kind","object_id","list");--> statement-breakpoint
CREATE UNIQUE INDEX "exported_files_under_way" ON "exported_files" USING btree ("owner_id","fingerprint") WHERE "exported_files"."state" in ('pending', 'running');--> statement-breakpoint
CREATE INDEX "exported_files_owner" ON "exported_files" USING btree ("owner_id","subject","created_at");--> statement-breakpoint
CREATE INDEX "exported_files_expiry" ON "exported_files" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "exported_files_file" ON "exported_files" USING btree ("file");--> statement-breakpoint
CREATE INDEX "gateway_sites_site" ON "gateway_sites" USING btree ("site_id");--> statement-breakpoint
CREATE UNIQUE INDEX "gateways_name_key" ON "gateways" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "gateways_token" ON "gateways" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_tickets_ticket" ON "gateway_tickets" USING btree ("ticket_hash");--> statement-breakpoint
CREATE INDEX "gateway_tickets_session" ON "gateway_tickets" USING btree ("farm_id","session_uuid","used_at");--> statement-breakpoint
CREATE INDEX "gateway_tickets_gateway" ON "gateway_tickets" USING btree ("gateway_id");--> statement-breakpoint
CREATE INDEX "gateway_tickets_user" ON "gateway_tickets" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "gateway_tickets_issued" ON "gateway_tickets" USING btree ("issued_at");--> statement-breakpoint
CREATE UNIQUE INDEX "gateway_tunnels_notify" ON "gateway_tunnels" USING btree ("notify_hash");--> statement-breakpoint
CREATE INDEX "gateway_tunnels_ticket" ON "gateway_tunnels" USING btree ("ticket_id");--> statement-breakpoint
CREATE INDEX "gateway_tunnels_open" ON "gateway_tunnels" USING btree ("began_at") WHERE "gateway_tunnels"."stopped_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "authenticators_name_key" ON "authenticators" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "authenticators_small_name_key" ON "authenticators" USING btree ("small_name_key");--> statement-breakpoint
CREATE INDEX "group_parts_part" ON "group_parts" USING btree ("part_id");--> statement-breakpoint
CREATE INDEX "group_members_group" ON "group_members" USING btree ("group_id");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_name_key" ON "groups" USING btree ("authenticator_id","name_key");--> statement-breakpoint
CREATE INDEX "groups_directory_id" ON "groups" USING btree ("authenticator_id","directory_id");--> statement-breakpoint
CREATE INDEX "login_challenges_user" ON "login_challenges" USING btree ("user_id","expires_at");--> statement-breakpoint
CREATE INDEX "login_locks_failure" ON "login_locks" USING btree ("last_failure_at");--> statement-breakpoint
CREATE UNIQUE INDEX "login_sessions_token" ON "login_sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "login_sessions_user" ON "login_sessions" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "login_sessions_seen" ON "login_sessions" USING btree ("last_seen_at");--> statement-breakpoint
CREATE UNIQUE INDEX "page_tokens_token" ON "page_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "page_tokens_session" ON "page_tokens" USING btree ("session_id","expires_at");--> statement-breakpoint
CREATE INDEX "page_tokens_age" ON "page_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "spent_passkey_challenges_expiry" ON "spent_passkey_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_user" ON "passkeys" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "peer_roles_role" ON "peer_roles" USING btree ("role_id");--> statement-breakpoint
CREATE UNIQUE INDEX "peer_sessions_token" ON "peer_sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "peer_sessions_peer" ON "peer_sessions" USING btree ("peer_id");--> statement-breakpoint
CREATE INDEX "peer_sessions_age" ON "peer_sessions" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "peers_name_key" ON "peers" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "peers_issuer" ON "peers" USING btree ("issuer");--> statement-breakpoint
CREATE INDEX "used_peer_tokens_age" ON "used_peer_tokens" USING btree ("kept_until");--> statement-breakpoint
CREATE INDEX "pkinit_challenges_expiry" ON "pkinit_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "pkinit_challenges_domain" ON "pkinit_challenges" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "client_keys_domain" ON "client_keys" USING btree ("authenticator_id","id");--> statement-breakpoint
CREATE INDEX "provider_grants_due" ON "provider_grants" USING btree ("next_check_at");--> statement-breakpoint
CREATE INDEX "provider_grants_domain" ON "provider_grants" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "provider_grants_user" ON "provider_grants" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "program_grants_code" ON "program_grants" USING btree ("code_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "program_grants_user_code" ON "program_grants" USING btree ("user_code_hash");--> statement-breakpoint
CREATE INDEX "program_grants_domain" ON "program_grants" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "program_grants_age" ON "program_grants" USING btree ("kept_until");--> statement-breakpoint
CREATE INDEX "program_grants_source" ON "program_grants" USING btree ("source_ip","expires_at");--> statement-breakpoint
CREATE INDEX "program_grants_allowed" ON "program_grants" USING btree ("allowed_by");--> statement-breakpoint
CREATE INDEX "program_grants_session" ON "program_grants" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "provider_logins_expiry" ON "provider_logins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "provider_logins_domain" ON "provider_logins" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "provider_sessions_sub" ON "provider_sessions" USING btree ("authenticator_id","sub");--> statement-breakpoint
CREATE INDEX "provider_sessions_sid" ON "provider_sessions" USING btree ("authenticator_id","sid");--> statement-breakpoint
CREATE INDEX "provider_sessions_grant" ON "provider_sessions" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "used_provider_values_age" ON "used_provider_values" USING btree ("kept_until");--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name_key" ON "roles" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "user_roles_role" ON "user_roles" USING btree ("role_id");--> statement-breakpoint
CREATE UNIQUE INDEX "service_tokens_hash" ON "service_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "service_tokens_name_key" ON "service_tokens" USING btree ("user_id","name_key");--> statement-breakpoint
CREATE INDEX "service_tokens_expiry" ON "service_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "password_history_user" ON "password_history" USING btree ("user_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_name_key" ON "users" USING btree ("authenticator_id","name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "users_directory_id" ON "users" USING btree ("authenticator_id","directory_id");--> statement-breakpoint
CREATE INDEX "users_name" ON "users" USING btree ("name_key","id");--> statement-breakpoint
CREATE INDEX "users_created" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_created_at" ON "users" USING btree ("authenticator_id","created_at","id");--> statement-breakpoint
CREATE INDEX "users_updated_at" ON "users" USING btree ("authenticator_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ("name_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_real_name_search" ON "users" USING gin (lower("real_name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_email_search" ON "users" USING gin (lower("email") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "job_outbox_created_at" ON "job_outbox" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "maintenance_steps_farm" ON "maintenance_steps" USING btree ("farm_id");--> statement-breakpoint
CREATE UNIQUE INDEX "maintenance_templates_name_key" ON "maintenance_templates" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "maintenance_windows_object" ON "maintenance_windows" USING btree ("about");--> statement-breakpoint
CREATE INDEX "maintenance_windows_template" ON "maintenance_windows" USING btree ("template_id");--> statement-breakpoint
CREATE INDEX "maintenance_windows_farm" ON "maintenance_windows" USING btree ("farm_id");--> statement-breakpoint
CREATE INDEX "maintenance_windows_site" ON "maintenance_windows" USING btree ("site_id");--> statement-breakpoint
CREATE INDEX "monitoring_records_at" ON "monitoring_records" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_level" ON "monitoring_records" USING btree ("level","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_source" ON "monitoring_records" USING btree ("source","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_state" ON "monitoring_records" USING btree ("state","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_object_type" ON "monitoring_records" USING btree ("object_type","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_object_id" ON "monitoring_records" USING btree ("object_id","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_code" ON "monitoring_records" USING btree ("code","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_message" ON "monitoring_records" USING gin ("message_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "telemetry_batches_at" ON "telemetry_batches" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "dispatcher_sessions_subject" ON "dispatcher_sessions" USING btree ("dispatcher_id","subject");--> statement-breakpoint
CREATE INDEX "dispatcher_sessions_user" ON "dispatcher_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "dispatcher_sessions_expiry" ON "dispatcher_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "ended_node_keys_due" ON "ended_node_keys" USING btree ("log_out_after");--> statement-breakpoint
CREATE INDEX "ended_node_keys_expiry" ON "ended_node_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "ended_node_keys_dispatcher" ON "ended_node_keys" USING btree ("dispatcher_id");--> statement-breakpoint
CREATE INDEX "issued_connections_age" ON "issued_connections" USING btree ("issued_at");--> statement-breakpoint
CREATE INDEX "rule_groups_group" ON "rule_groups" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "rule_members_pool" ON "rule_members" USING btree ("farm_id","servicepool_uuid");--> statement-breakpoint
CREATE INDEX "rule_users_user" ON "rule_users" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "rules_name_key" ON "rules" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "rules_site" ON "rules" USING btree ("site_id","name_key","id");--> statement-breakpoint
CREATE INDEX "rules_image" ON "rules" USING btree ("image_id");--> statement-breakpoint
CREATE INDEX "service_preferences_site" ON "service_preferences" USING btree ("site_id");--> statement-breakpoint
CREATE UNIQUE INDEX "images_digest" ON "images" USING btree ("digest");--> statement-breakpoint
CREATE UNIQUE INDEX "pictures_name_key" ON "pictures" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "saved_views" USING btree ("user_id","list","name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "dispatchers_name_key" ON "dispatchers" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "dispatchers_farm" ON "dispatchers" USING btree ("farm_id");--> statement-breakpoint
CREATE UNIQUE INDEX "farm_tags_uuid" ON "farm_tags" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "farm_tags_name" ON "farm_tags" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "farm_tags_ignored" ON "farm_tags" USING btree ("farm_id") WHERE "farm_tags"."ignored" <> '{}';--> statement-breakpoint
CREATE UNIQUE INDEX "farms_name_key" ON "farms" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "farms_site" ON "farms" USING btree ("site_id");--> statement-breakpoint
CREATE INDEX "farms_template" ON "farms" USING btree ("maintenance_template_id");--> statement-breakpoint
CREATE INDEX "node_logins_held" ON "node_logins" USING btree ("held_until");--> statement-breakpoint
CREATE UNIQUE INDEX "portals_name_key" ON "portals" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "portals_seen" ON "portals" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "priority_group_farms_farm" ON "priority_group_farms" USING btree ("farm_id");--> statement-breakpoint
CREATE INDEX "priority_group_groups_group" ON "priority_group_groups" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "priority_group_users_user" ON "priority_group_users" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "priority_groups_name_key" ON "priority_groups" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "site_authenticators_domain" ON "site_authenticators" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "site_groups_group" ON "site_groups" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "site_users_user" ON "site_users" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sites_name_key" ON "sites" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "sites_uri" ON "sites" USING btree ("uri");--> statement-breakpoint
CREATE INDEX "sites_template" ON "sites" USING btree ("maintenance_template_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name_key" ON "tags" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "pools_uuid" ON "pools" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "pools_name" ON "pools" USING btree ("name_key","id");--> statement-breakpoint
CREATE INDEX "pools_farm" ON "pools" USING btree ("farm_id","name_key","id");--> statement-breakpoint
CREATE INDEX "pools_by_uuid" ON "pools" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "pools_template" ON "pools" USING btree ("maintenance_template_id");--> statement-breakpoint
CREATE INDEX "pools_ignored" ON "pools" USING btree ("farm_id") WHERE "pools"."ignored" <> '{}';--> statement-breakpoint
CREATE INDEX "service_lists_age" ON "service_lists" USING btree ("fetched_at");--> statement-breakpoint
CREATE INDEX "removed_rows_age" ON "removed_rows" USING btree ("removed_at");--> statement-breakpoint
CREATE UNIQUE INDEX "workplace_sessions_uuid" ON "workplace_sessions" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "workplace_sessions_started" ON "workplace_sessions" USING btree ("started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_farm" ON "workplace_sessions" USING btree ("farm_id","started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_user" ON "workplace_sessions" USING btree ("user_key","started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_user_name" ON "workplace_sessions" USING btree (substr("user_key", strpos("user_key", chr(92)) + 1),"started_at","id");--> statement-breakpoint
CREATE INDEX "workplace_sessions_search" ON "workplace_sessions" USING gin ("user_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "workplace_sessions_workplace" ON "workplace_sessions" USING btree ("farm_id","workplace_uuid");--> statement-breakpoint
CREATE INDEX "workplace_sessions_ignored" ON "workplace_sessions" USING btree ("farm_id") WHERE "workplace_sessions"."ignored" <> '{}';--> statement-breakpoint
CREATE UNIQUE INDEX "workplaces_uuid" ON "workplaces" USING btree ("farm_id","uuid");--> statement-breakpoint
CREATE INDEX "workplaces_name" ON "workplaces" USING btree ("name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_created" ON "workplaces" USING btree ("made_at");--> statement-breakpoint
CREATE INDEX "workplaces_farm" ON "workplaces" USING btree ("farm_id","name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_pool" ON "workplaces" USING btree ("farm_id","servicepool_uuid","name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_owner" ON "workplaces" USING btree ("owner_key","name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_owner_name" ON "workplaces" USING btree (substr("owner_key", strpos("owner_key", chr(92)) + 1),"name_key","id");--> statement-breakpoint
CREATE INDEX "workplaces_search" ON "workplaces" USING gin ("name_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "workplaces_tags" ON "workplaces" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "workplaces_machine" ON "workplaces" USING btree ("unique_id");--> statement-breakpoint
CREATE INDEX "workplaces_ignored" ON "workplaces" USING btree ("farm_id") WHERE "workplaces"."ignored" <> '{}';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_list" ON "webhook_deliveries" USING btree ("webhook_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("webhook_id","due_at") WHERE "webhook_deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_object" ON "webhook_deliveries" USING btree ("webhook_id","object_id","event") WHERE "webhook_deliveries"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_dead" ON "webhook_deliveries" USING btree ("webhook_id") WHERE "webhook_deliveries"."state" = 'dead';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_age" ON "webhook_deliveries" USING btree ("created_at") WHERE "webhook_deliveries"."state" <> 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_sites_site" ON "webhook_sites" USING btree ("site_id");--> statement-breakpoint
CREATE UNIQUE INDEX "webhooks_name_key" ON "webhooks" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "webhooks_owner" ON "webhooks" USING btree ("owner_id");