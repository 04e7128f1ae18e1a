-- Continues the counters of the processes of a gateway by a report of one of them, which does not name the process.
-- A counter is {counter, recent, before, since}: `recent` is its value at `since` (Unix seconds), when a window of 10 s began,
-- and `before` is its value at the start of the previous window. Counters are in ascending order.
-- `moved` is what the report adds. Processes only count up, so a report continues the largest counter that is not above it. A
-- report below all counters is the first one of a process. The tunnel server waits 10 s for an answer, so a report may arrive
-- after a later one of the same process: a report within the range of a counter in the last two windows adds nothing, and the
-- next report of its process includes its value.
create or replace function continue_counters(counters jsonb, reported bigint, OUT moved bigint, OUT continued jsonb)
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

revoke execute on function continue_counters(jsonb, bigint) from public;
