import type { ClientBase } from 'pg';

/** Names of the database roles that the processes log in as. */
export type DatabaseRoles = { portal?: string | undefined; sidecar?: string | undefined };
type Process = keyof DatabaseRoles;

const accesses = {
  none: [],
  read: ['SELECT'],
  insert: ['INSERT'],
  append: ['SELECT', 'INSERT'],
  trim: ['SELECT', 'DELETE'],
  members: ['SELECT', 'INSERT', 'DELETE'],
  update: ['SELECT', 'UPDATE'],
  keep: ['SELECT', 'INSERT', 'UPDATE'],
  write: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
} as const;
type Access = keyof typeof accesses;

/** Access to the tables of `public`. Default: `write` for both processes. Row locks (`for update`) require UPDATE. */
const tables: Readonly<Record<string, Readonly<Record<Process, Access>>>> = {
  audit_checkpoints: { portal: 'read', sidecar: 'read' },
  audit_events: { portal: 'append', sidecar: 'append' },
  audit_forwards: { portal: 'none', sidecar: 'write' },
  audit_head: { portal: 'read', sidecar: 'read' },
  authenticators: { portal: 'write', sidecar: 'read' },
  client_keys: { portal: 'write', sidecar: 'read' },
  change_marks: { portal: 'read', sidecar: 'update' },
  // Written by triggers, as the owner.
  changes: { portal: 'read', sidecar: 'trim' },
  changes_seq_seq: { portal: 'none', sidecar: 'none' },
  database_roles: { portal: 'none', sidecar: 'none' },
  directory_refusals: { portal: 'write', sidecar: 'read' },
  fleet_versions: { portal: 'update', sidecar: 'update' },
  full_pools: { portal: 'keep', sidecar: 'none' },
  group_members: { portal: 'write', sidecar: 'members' },
  group_parts: { portal: 'write', sidecar: 'read' },
  groups: { portal: 'write', sidecar: 'read' },
  guards: { portal: 'update', sidecar: 'update' },
  images: { portal: 'write', sidecar: 'none' },
  installation: { portal: 'update', sidecar: 'update' },
  job_workers: { portal: 'read', sidecar: 'write' },
  leases: { portal: 'none', sidecar: 'write' },
  passkey_recovery_codes: { portal: 'write', sidecar: 'none' },
  passkeys: { portal: 'write', sidecar: 'none' },
  password_history: { portal: 'write', sidecar: 'none' },
  peer_roles: { portal: 'write', sidecar: 'none' },
  pictures: { portal: 'write', sidecar: 'none' },
  priority_group_farms: { portal: 'write', sidecar: 'read' },
  priority_group_groups: { portal: 'write', sidecar: 'read' },
  priority_group_users: { portal: 'write', sidecar: 'read' },
  priority_groups: { portal: 'write', sidecar: 'read' },
  provider_states: { portal: 'keep', sidecar: 'keep' },
  provider_sessions: { portal: 'write', sidecar: 'read' },
  recovery_codes: { portal: 'write', sidecar: 'none' },
  roles: { portal: 'write', sidecar: 'read' },
  rule_groups: { portal: 'write', sidecar: 'read' },
  rule_members: { portal: 'write', sidecar: 'read' },
  rule_users: { portal: 'write', sidecar: 'read' },
  rules: { portal: 'write', sidecar: 'read' },
  saved_views: { portal: 'write', sidecar: 'none' },
  second_factors: { portal: 'write', sidecar: 'none' },
  service_preferences: { portal: 'write', sidecar: 'none' },
  service_tokens: { portal: 'write', sidecar: 'none' },
  site_authenticators: { portal: 'write', sidecar: 'read' },
  site_groups: { portal: 'write', sidecar: 'read' },
  site_users: { portal: 'write', sidecar: 'read' },
  system_parameters: { portal: 'write', sidecar: 'read' },
  telemetry_batches: { portal: 'append', sidecar: 'write' },
  telemetry_marks: { portal: 'none', sidecar: 'write' },
  telemetry_sums: { portal: 'none', sidecar: 'write' },
  themes: { portal: 'write', sidecar: 'none' },
  used_peer_tokens: { portal: 'write', sidecar: 'none' },
  user_roles: { portal: 'write', sidecar: 'read' },
  users: { portal: 'write', sidecar: 'read' },
  alert_mails: { portal: 'none', sidecar: 'write' },
  alerts: { portal: 'none', sidecar: 'write' },
  event_marks: { portal: 'none', sidecar: 'update' },
  webhook_deliveries: { portal: 'write', sidecar: 'write' },
  webhook_sites: { portal: 'write', sidecar: 'read' },
  webhooks: { portal: 'write', sidecar: 'update' },
  job_outbox: { portal: 'append', sidecar: 'write' },
};

const both: readonly Process[] = ['portal', 'sidecar'];
const sidecarOnly: readonly Process[] = ['sidecar'];

/** Functions called by statements. Trigger functions require no privilege. */
const functions: Readonly<Record<string, readonly Process[]>> = {
  'must(boolean,text)': both,
  'effective_groups(uuid)': both,
  'continue_counters(jsonb,bigint)': ['portal'],
  'audit_text(audit_events)': both,
  'audit_hash(text,text)': both,
  'seal_audit(integer)': sidecarOnly,
  'add_audit_checkpoint(jsonb)': sidecarOnly,
  'remove_outlived_audit(bigint,integer)': sidecarOnly,
  'remove_outlived_checkpoints(bigint)': sidecarOnly,
};

/** Processes with access to the other schemas. All tables of a schema have the same access. */
const schemas: Readonly<Record<string, { access: Access; processes: readonly Process[] }>> = {
  drizzle: { access: 'read', processes: both },
  pgboss: { access: 'write', processes: sidecarOnly },
};

/** One privilege on one object: `TABLE public.users` and `SELECT`. */
type Privilege = { object: string; privilege: string };

const keyOf = ({ object, privilege }: Privilege): string => `${privilege} ON ${object}`;

/** The privileges that the owner has granted to a role on schemas, tables, sequences and functions. */
async function grantedTo(client: ClientBase, role: string): Promise<Privilege[]> {
  const { rows } = await client.query<Privilege>(
    `select object, acl.privilege_type as privilege from (
       select 'SCHEMA ' || quote_ident(nspname) as object, nspacl as grants, nspowner as owner from pg_namespace
       union all
       select case relkind when 'S' then 'SEQUENCE ' else 'TABLE ' end || oid::regclass, relacl, relowner from pg_class
       union all
       select 'FUNCTION ' || oid::regprocedure, proacl, proowner from pg_proc
     ) granted, aclexplode(grants) acl
     where acl.grantee = to_regrole($1)::oid and acl.grantor = owner and acl.grantee <> owner`,
    [`"${role.replaceAll('"', '""')}"`],
  );
  return rows;
}

/**
 * Grants the roles exactly the privileges in `tables`, `functions` and `schemas`, and revokes all others. The names of
 * the roles are stored, so later migrations need not repeat them.
 * @param client connected as the owner, with `public` as its search path
 */
export async function grantPrivileges(client: ClientBase, named: DatabaseRoles): Promise<void> {
  const relations = await relationsOf(client);
  for (const [role, processes] of await processesByRole(client, named)) {
    const required = new Map(requiredPrivileges(processes, relations).map((one) => [keyOf(one), one]));
    const granted = new Map((await grantedTo(client, role)).map((one) => [keyOf(one), one]));
    const grantee = quoted(role);
    for (const [key] of required) if (!granted.has(key)) await client.query(`grant ${key} to ${grantee}`);
    for (const [key] of granted) if (!required.has(key)) await client.query(`revoke ${key} from ${grantee}`);
  }
}

const quoted = (role: string): string => `"${role.replaceAll('"', '""')}"`;

type Relation = { schema: string; name: string; object: string };

/** Tables and sequences of the current role in our schemas. */
async function relationsOf(client: ClientBase): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `select nspname as schema, relname as name,
       case relkind when 'S' then 'SEQUENCE ' else 'TABLE ' end || c.oid::regclass as object
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where nspname = any($1) and relkind in ('r', 'p', 'S') and pg_has_role(relowner, 'USAGE')`,
    [['public', ...Object.keys(schemas)]],
  );
  return rows;
}

/** The roles of this and of earlier migrations. Roles with the privileges of the owner are omitted. */
async function processesByRole(client: ClientBase, named: DatabaseRoles): Promise<Map<string, Set<Process>>> {
  for (const process of both)
    if (named[process] !== undefined)
      await client.query(
        `insert into database_roles (process, role) values ($1, $2)
         on conflict (process) do update set role = excluded.role`,
        [process, named[process]],
      );
  const { rows } = await client.query<{ role: string; process: Process }>(
    `select role, process from database_roles where exists (select from pg_roles where rolname = role)`,
  );
  const roles = new Map<string, Set<Process>>();
  for (const { role, process } of rows) roles.set(role, (roles.get(role) ?? new Set()).add(process));
  for (const role of roles.keys()) if (await isOwner(client, role)) roles.delete(role);
  return roles;
}

async function isOwner(client: ClientBase, role: string): Promise<boolean> {
  const { rows } = await client.query<{ owns: boolean }>(
    `select pg_has_role($1::name, current_user, 'USAGE') as owns`,
    [role],
  );
  return rows[0]?.owns === true;
}

function requiredPrivileges(processes: ReadonlySet<Process>, relations: readonly Relation[]): Privilege[] {
  const uses = (candidates: readonly Process[]) => candidates.some((process) => processes.has(process));
  const accessTo = ({ schema, name }: Relation): readonly Access[] => {
    const other = schemas[schema];
    if (other) return uses(other.processes) ? [other.access] : [];
    return [...processes].map((process) => tables[name]?.[process] ?? 'write');
  };
  const onRelations = relations.flatMap((relation) => {
    const privileges = new Set(accessTo(relation).flatMap((access) => accesses[access]));
    const isSequence = relation.object.startsWith('SEQUENCE ');
    const required = isSequence ? (privileges.has('INSERT') ? ['USAGE'] : []) : privileges;
    return [...required].map((privilege) => ({ object: relation.object, privilege }));
  });
  const named = (kind: string, of: Readonly<Record<string, readonly Process[]>>, privilege: string) =>
    Object.entries(of).flatMap(([name, users]) =>
      uses(users) ? [{ object: `${kind} ${name}`, privilege }] : [],
    );
  const schemaUsers = Object.fromEntries(
    Object.entries(schemas).map(([name, { processes: p }]) => [name, p]),
  );
  return [
    ...onRelations,
    ...named('FUNCTION', functions, 'EXECUTE'),
    ...named('SCHEMA', schemaUsers, 'USAGE'),
  ];
}
