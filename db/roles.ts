import { sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import { formatNames, roleFormat } from './postgres/session/formats.ts';

/** The role of a connection. A pooler can map the name in the URL to another role. */
export async function currentRole(db: Db): Promise<string> {
  const [row] = await db.select({ role: sql<string>`current_user` }).from(sql`(values (1)) as once`);
  return row?.role ?? '';
}

/** Names for `rolesSql`. */
export type RolePlan = { database: string; owner: string; portal: string; sidecar: string };

export const defaultRoles = {
  owner: 'aggregator_owner',
  portal: 'aggregator_portal',
  sidecar: 'aggregator_sidecar',
} as const;

/** Timeouts of each role. Connections set them and the formats as well, unless a pooler rejects start-up options. */
const limits = {
  portal: { statement_timeout: '10s', lock_timeout: '3s', idle_in_transaction_session_timeout: '15s' },
  sidecar: { statement_timeout: '60s', lock_timeout: '3s', idle_in_transaction_session_timeout: '15s' },
} as const;

/**
 * SQL that creates the database and its three roles, without passwords. An administrator of the server runs it once,
 * connected to any database. CREATEROLE and CREATEDB are required; superuser is not.
 * @returns statements in order; each must run outside of a transaction
 */
export function rolesSql({ database, owner, portal, sidecar }: RolePlan): string[] {
  const [db, o, p, s] = [database, owner, portal, sidecar].map(quoted);
  const settings = (role: string | undefined, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `alter role ${role} set ${name} = '${value}'`);
  return [
    ...[o, p, s].map((role) => `create role ${role} login`),
    ...settings(p, limits.portal),
    ...settings(s, limits.sidecar),
    ...[owner, portal, sidecar].flatMap((role) => formatNames.map((name) => roleFormat(role, name))),
    // PostgreSQL requires membership in a role to make it the owner of a database.
    `grant ${o} to current_user`,
    `create database ${db} owner ${o} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C.UTF-8'`,
    `revoke all on database ${db} from public`,
    `grant connect on database ${db} to ${p}, ${s}`,
    `revoke ${o} from current_user`,
  ];
}

/** The same statements as a script for `psql`, with the manual steps as comments. */
export function rolesScript(plan: RolePlan): string {
  const roles = [plan.owner, plan.portal, plan.sidecar];
  return [
    '-- Run once as an administrator of the server (CREATEROLE and CREATEDB), for example: psql --file=roles.sql',
    ...rolesSql(plan).map((statement) => `${statement};`),
    '',
    '-- Then set a password for each role, in psql:',
    ...roles.map((role) => `--   \\password ${quoted(role)}`),
    '-- and set DATABASE_OWNER_URL, DATABASE_URL and DATABASE_SIDECAR_URL to the URLs of these roles, in this order.',
    '-- npm run db:migrate then creates the schema as the owner, and grants the other roles their privileges.',
    '',
  ].join('\n');
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
