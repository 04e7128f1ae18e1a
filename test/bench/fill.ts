import type pg from 'pg';
import { domain } from '../simulator/demo/seed.ts';

/** How many rows the lists are measured on. */
export type Rows = { users: number; audit_events: number; monitoring_records: number };

/**
 * Fills the tables of the long lists with SQL, oldest rows first as in
 * production: users of the demo domain in 200 groups, sealed audit events of a thousand users, monitoring records.
 */
export async function fillLists(database: pg.Pool, rows: Rows): Promise<void> {
  await fillUsers(database, rows.users);
  await withoutIndexes(database, 'audit_events', () =>
    database.query(fillAudit, [rows.audit_events, domain.small_name]),
  );
  await database.query(fillMonitoring, [rows.monitoring_records]);
  // The state after autovacuum; a GIN index also has its pending entries merged.
  await database.query('vacuum analyze');
}

/** Users of the demo domain, in 200 groups. */
export async function fillUsers(database: pg.Pool, users: number): Promise<void> {
  await database.query(insertGroups, [domain.small_name]);
  await database.query(insertUsers, [domain.small_name, users]);
  await database.query(insertMembers);
}

/** Bulk inserts are faster when the indexes are built afterwards; those of constraints remain. */
async function withoutIndexes(database: pg.Pool, table: string, fill: () => Promise<unknown>): Promise<void> {
  const { rows: indexes } = await database.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where schemaname = current_schema and tablename = $1
     and indexname not in (select conname from pg_constraint)`,
    [table],
  );
  for (const { indexname } of indexes) await database.query(`drop index "${indexname}"`);
  await fill();
  for (const { indexdef } of indexes) await database.query(indexdef);
}

const insertGroups = `
  insert into groups (id, authenticator_id, name, name_key)
  select gen_random_uuid(), d.id, 'Group ' || n, 'group ' || n
  from authenticators as d, generate_series(0, 199) as n where d.small_name = $1`;

const insertUsers = `
  insert into users (id, authenticator_id, name, name_key, real_name, email, comments, state, kind, attributes,
    last_login_at, created_at, updated_at)
  select gen_random_uuid(), d.id, 'User-' || number, 'user-' || number, 'Real name of ' || number,
    'user-' || number || '@bench.test', 'Works in room ' || n % 400,
    case when n % 100 = 0 then 'inactive' else 'active' end, case when n % 50 = 0 then 'service' else 'person' end,
    '{"department": "Research", "phone": "0123 456789"}', at, at, at
  from authenticators as d, generate_series(1, $2::int) as n, lpad(n::text, 6, '0') as number,
    (select now() as started) as clock, lateral (select started - ($2 - n) * interval '1 minute' as at) as moment
  where d.small_name = $1 order by n`;

const insertMembers = `
  insert into group_members (group_id, user_id)
  select g.id, u.id from users as u
    join groups as g on g.authenticator_id = u.authenticator_id and g.name_key = 'group ' || substr(u.name_key, 6)::int % 200
  where u.name_key like 'user-%'`;

const fillAudit = `
  insert into audit_events (id, seq, at, event, category, level, result, user_name, user_id, domain, portal, source_ip,
    user_agent, request_id, method, path, object_type, object_id, object_name, action, changes, details, message,
    prev_hash, hash)
  select gen_random_uuid(), n, now() - ($1 - n) * interval '8 seconds',
    ('{auth.LoggedIn,portal.EntityAction,aggregator.ConnectionIssued,auth.LoggedOut}'::text[])[1 + n % 4],
    ('{auth,config,workplace,session}'::text[])[1 + n % 4], 'info', case when n % 20 = 0 then 'failure' else 'success' end,
    'User-' || lpad((n * 7919::bigint % 1000)::text, 6, '0'), gen_random_uuid(), $2, 'user',
    '10.20.' || n % 5000 / 250 || '.' || n % 250, 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0',
    md5(n::text), 'POST', '/api/webui/aggregator/sites/{id}',
    ('{site,farm,dispatcher,user,group,role,rule,gateway}'::text[])[1 + n / 4 % 8], md5('object' || n % 10000),
    'Object ' || n % 10000, 'update', '[{"field": "comments", "before": "cold", "after": "warm"}]', '{"attempt": 1}', '',
    repeat(md5((n - 1)::text), 2), repeat(md5(n::text), 2)
  from generate_series(1, $1::int) as n`;

const fillMonitoring = `
  insert into monitoring_records (id, at, level, source, object_type, object_id, object_name, code, message,
    message_key, details, state)
  select gen_random_uuid(), now() - ($1 - n) * interval '5 minutes',
    case when n % 100 = 0 then 'critical' else ('{info,warning,error}'::text[])[1 + n % 3] end, 'dispatcher',
    'dispatcher', md5('node' || n % 500), 'north-' || n % 500, 'dispatcher.unreachable',
    'Node-' || lpad(n::text, 5, '0') || ' does not answer', 'node-' || lpad(n::text, 5, '0') || ' does not answer',
    '{"failures": 3}', case when n % 10 = 0 then 'open' else 'closed' end
  from generate_series(1, $1::int) as n`;
