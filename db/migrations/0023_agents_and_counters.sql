ALTER TABLE "workplace_agents" ADD COLUMN "nonce" text;--> statement-breakpoint
ALTER TABLE "workplace_agents" ADD COLUMN "used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "gateway_tunnels" ADD COLUMN "presumed_ended" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "byte_counters" text DEFAULT 'tunnel' NOT NULL;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "process_counters" jsonb DEFAULT '{"sent":[],"received":[]}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "reported_connections" integer;--> statement-breakpoint
ALTER TABLE "gateways" ADD COLUMN "reported_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "gateway_tunnels_open" ON "gateway_tunnels" USING btree ("began_at") WHERE "gateway_tunnels"."stopped_at" is null;--> statement-breakpoint
-- Continues the counters of the processes of a gateway by a report of one of them, which does not name the process.
-- A counter is {counter, recent, before, since}: `recent` is its value at `since` (Unix seconds), when a window of 10 s began,
-- and `before` that at the beginning of the window before. Ascending by counter.
-- moved: what the report adds. Every process only counts up, so a report continues the largest counter that is not above it; a
-- report below all of them is the first of a process. A report within what a counter has moved in the last windows may
-- have been overtaken by a later one of the same process, because the tunnel server waits 10 s for an answer: it adds nothing,
-- and the next report of its process includes what it reports.
CREATE FUNCTION continue_counters(counters jsonb, reported bigint, OUT moved bigint, OUT continued jsonb)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  at bigint := extract(epoch FROM now())::bigint;
  former jsonb;
  place integer;
BEGIN
  IF EXISTS (
    SELECT FROM jsonb_to_recordset(counters) AS line(counter bigint, before bigint, since bigint)
    WHERE line.before <= reported AND reported < line.counter AND line.since > at - 20
  ) THEN
    moved := 0;
    continued := counters;
    RETURN;
  END IF;
  SELECT value, ordinality - 1 INTO former, place FROM jsonb_array_elements(counters) WITH ORDINALITY
  WHERE (value->>'counter')::bigint <= reported ORDER BY ordinality DESC LIMIT 1;
  moved := reported - coalesce((former->>'counter')::bigint, 0);
  continued := CASE WHEN former IS NULL THEN counters ELSE counters - place END || CASE
    WHEN former IS NULL THEN jsonb_build_object('counter', reported, 'recent', 0, 'before', 0, 'since', at)
    WHEN (former->>'since')::bigint > at - 10 THEN former || jsonb_build_object('counter', reported)
    ELSE jsonb_build_object('counter', reported, 'recent', former->'counter', 'since', at, 'before',
      CASE WHEN (former->>'since')::bigint > at - 20 THEN former->'recent' ELSE former->'counter' END)
  END;
  -- Beyond 64 the smallest one goes: if its process is still there, its next report counts that little twice.
  SELECT jsonb_agg(value ORDER BY counter) INTO continued FROM (
    SELECT value, (value->>'counter')::bigint AS counter FROM jsonb_array_elements(continued) ORDER BY counter DESC LIMIT 64
  ) AS largest;
END $$;
--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION continue_counters(jsonb, bigint) FROM PUBLIC;
