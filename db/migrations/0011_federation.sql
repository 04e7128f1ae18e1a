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
CREATE TABLE "client_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"sealed_private_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
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
	"sealed_id_token" text
);
--> statement-breakpoint
CREATE TABLE "used_provider_values" (
	"digest" text collate "C" PRIMARY KEY NOT NULL,
	"kept_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "given_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "family_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deprovisioned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "passkey_recovery_codes" ADD CONSTRAINT "passkey_recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_keys" ADD CONSTRAINT "client_keys_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_allowed_by_login_sessions_id_fk" FOREIGN KEY ("allowed_by") REFERENCES "public"."login_sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_session_id_login_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."login_sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_logins" ADD CONSTRAINT "provider_logins_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_sessions" ADD CONSTRAINT "provider_sessions_session_id_login_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."login_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_sessions" ADD CONSTRAINT "provider_sessions_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "spent_passkey_challenges_expiry" ON "spent_passkey_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential" ON "passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_user" ON "passkeys" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "client_keys_domain" ON "client_keys" USING btree ("authenticator_id","id");--> statement-breakpoint
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
CREATE INDEX "used_provider_values_age" ON "used_provider_values" USING btree ("kept_until");