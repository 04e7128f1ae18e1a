CREATE TABLE "sign_in_tests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"authenticator_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"sealed_result" text,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "sign_in_tests" ADD CONSTRAINT "sign_in_tests_authenticator_id_authenticators_id_fk" FOREIGN KEY ("authenticator_id") REFERENCES "public"."authenticators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_tests" ADD CONSTRAINT "sign_in_tests_session_id_login_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."login_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sign_in_tests_domain" ON "sign_in_tests" USING btree ("authenticator_id");--> statement-breakpoint
CREATE INDEX "sign_in_tests_session" ON "sign_in_tests" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "sign_in_tests_expiry" ON "sign_in_tests" USING btree ("expires_at");