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
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "exported_files_under_way" ON "exported_files" USING btree ("owner_id","fingerprint") WHERE "exported_files"."state" in ('pending', 'running');--> statement-breakpoint
CREATE INDEX "exported_files_owner" ON "exported_files" USING btree ("owner_id","subject","created_at");--> statement-breakpoint
CREATE INDEX "exported_files_expiry" ON "exported_files" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "exported_files_file" ON "exported_files" USING btree ("file");
--> statement-breakpoint
ALTER TABLE "exported_chunks" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
