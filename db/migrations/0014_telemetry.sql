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
ALTER TABLE "dispatchers" ADD COLUMN "certificate_notice" jsonb;--> statement-breakpoint
CREATE INDEX "telemetry_batches_at" ON "telemetry_batches" USING btree ("at");
--> statement-breakpoint
INSERT INTO telemetry_marks (name, seq) VALUES ('logins', 0);
