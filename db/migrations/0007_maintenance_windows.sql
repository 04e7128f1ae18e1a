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
ALTER TABLE "maintenance_steps" ADD CONSTRAINT "maintenance_steps_window_id_maintenance_windows_id_fk" FOREIGN KEY ("window_id") REFERENCES "public"."maintenance_windows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_steps" ADD CONSTRAINT "maintenance_steps_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD CONSTRAINT "maintenance_windows_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD CONSTRAINT "maintenance_windows_farm_id_farms_id_fk" FOREIGN KEY ("farm_id") REFERENCES "public"."farms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_windows" ADD CONSTRAINT "maintenance_windows_template_id_maintenance_templates_id_fk" FOREIGN KEY ("template_id") REFERENCES "public"."maintenance_templates"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "maintenance_steps_farm" ON "maintenance_steps" USING btree ("farm_id");--> statement-breakpoint
CREATE UNIQUE INDEX "maintenance_windows_object" ON "maintenance_windows" USING btree ("about");--> statement-breakpoint
CREATE INDEX "maintenance_windows_template" ON "maintenance_windows" USING btree ("template_id");--> statement-breakpoint
CREATE INDEX "maintenance_windows_farm" ON "maintenance_windows" USING btree ("farm_id");--> statement-breakpoint
CREATE INDEX "maintenance_windows_site" ON "maintenance_windows" USING btree ("site_id");