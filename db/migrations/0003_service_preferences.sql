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
ALTER TABLE "service_preferences" ADD CONSTRAINT "service_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_preferences" ADD CONSTRAINT "service_preferences_site_id_sites_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."sites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "service_preferences_site" ON "service_preferences" USING btree ("site_id");