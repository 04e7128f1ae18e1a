DROP INDEX "monitoring_records_object";--> statement-breakpoint
CREATE INDEX "monitoring_records_object_type" ON "monitoring_records" USING btree ("object_type","at","id");--> statement-breakpoint
CREATE INDEX "monitoring_records_object_id" ON "monitoring_records" USING btree ("object_id","at","id");