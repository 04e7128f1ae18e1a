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
	"sites" uuid[],
	CONSTRAINT "changes_xid_seq_pk" PRIMARY KEY("xid","seq")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "changes_object" ON "changes" USING btree ("xid","kind","object_id","list");