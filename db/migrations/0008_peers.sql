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
	"source_ip" text NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL
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
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_user_id_key_pk";--> statement-breakpoint
ALTER TABLE "idempotency_keys" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "peer_id" uuid;--> statement-breakpoint
ALTER TABLE "peer_roles" ADD CONSTRAINT "peer_roles_peer_id_peers_id_fk" FOREIGN KEY ("peer_id") REFERENCES "public"."peers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "peer_roles" ADD CONSTRAINT "peer_roles_role_id_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."roles"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "peer_sessions" ADD CONSTRAINT "peer_sessions_peer_id_peers_id_fk" FOREIGN KEY ("peer_id") REFERENCES "public"."peers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "peer_roles_role" ON "peer_roles" USING btree ("role_id");--> statement-breakpoint
CREATE UNIQUE INDEX "peer_sessions_token" ON "peer_sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "peer_sessions_peer" ON "peer_sessions" USING btree ("peer_id");--> statement-breakpoint
CREATE INDEX "peer_sessions_age" ON "peer_sessions" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "peers_name_key" ON "peers" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "peers_issuer" ON "peers" USING btree ("issuer");--> statement-breakpoint
CREATE INDEX "used_peer_tokens_age" ON "used_peer_tokens" USING btree ("kept_until");--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_peer_id_peers_id_fk" FOREIGN KEY ("peer_id") REFERENCES "public"."peers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_owner" UNIQUE NULLS NOT DISTINCT("user_id","peer_id","key");--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_one_owner" CHECK (num_nonnulls("idempotency_keys"."user_id", "idempotency_keys"."peer_id") = 1);