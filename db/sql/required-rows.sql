-- Rows that the program updates or locks and never inserts.

-- Rows that a batch locks before it checks a rule over several rows.
insert into guards (name) values ('administrators'), ('audit'), ('parameters'), ('roles'), ('tags')
  on conflict do nothing;

-- The chain of the audit starts with a hash of zeros.
insert into audit_head (seq, hash) values (0, repeat('0', 64)) on conflict do nothing;

insert into fleet_versions (name, version) values ('entitlement', 1) on conflict do nothing;

insert into installation default values on conflict do nothing;

insert into telemetry_marks (name, seq) values ('logins', 0) on conflict do nothing;

insert into change_marks default values on conflict do nothing;

insert into event_marks default values on conflict do nothing;
