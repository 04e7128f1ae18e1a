CREATE TABLE "page_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"session_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "page_tokens" ADD CONSTRAINT "page_tokens_session_id_login_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."login_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "page_tokens_token" ON "page_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "page_tokens_session" ON "page_tokens" USING btree ("session_id","expires_at");--> statement-breakpoint
CREATE INDEX "page_tokens_age" ON "page_tokens" USING btree ("expires_at");