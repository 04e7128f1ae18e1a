import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { authenticators as table } from '../../schema/identity/authenticators.ts';
import { directoryRefusals as refusals } from '../../schema/identity/directory-refusals.ts';
import { groups } from '../../schema/identity/groups.ts';
import { users } from '../../schema/identity/users.ts';
import { ruleGroups, rules, ruleUsers } from '../../schema/routing/rules.ts';
import {
  priorityGroupGroups,
  priorityGroups,
  priorityGroupUsers,
} from '../../schema/sites/priority-groups.ts';
import { siteAuthenticators, siteGroups, sites, siteUsers } from '../../schema/sites/sites.ts';
import { records } from '../records/records.ts';
import { countOf, derived, nameOf } from '../records/statements.ts';
import { secretPattern } from './secret-members.ts';

const ownerOf = (owned: typeof users | typeof groups, id: SQL): SQL =>
  sql`(select ${owned.authenticator_id} from ${owned} where ${owned.id} = ${id})`;

/** The members of `params` that are secrets, as rows with `name` and `value`. */
const secretMembers = sql`jsonb_each(${table.params}) as member(name, value) where name ~ ${secretPattern}`;

/** Parameters as they may be read: of a secret only whether it is set. */
const shownParams = sql<Record<string, unknown>>`${table.params} || coalesce((
  select jsonb_object_agg(name, null::jsonb) || jsonb_object_agg(name || '_set', value <> 'null') from ${secretMembers}), '{}')`;

const sealedSecrets = sql<Record<string, string | null>>`coalesce((
  select jsonb_object_agg(name, value) from ${secretMembers}), '{}')`;

/** When the directory rejected the password of the search account, and when it is tried again. */
const ofRefusal = (column: typeof refusals.refused_at | typeof refusals.retry_at) =>
  derived<Date | null>(
    sql`select ${column} from ${refusals} where ${refusals.authenticator_id} = ${table.id}`,
  ).mapWith(column);

export const authenticators = records({
  table,
  select: {
    id: table.id,
    uuid: table.id,
    revision: table.revision,
    name: table.name,
    small_name: table.small_name,
    type: table.type,
    comments: table.comments,
    priority: table.priority,
    state: table.state,
    subjects: table.subjects,
    two_factor: table.two_factor,
    params: shownParams,
    /** The sealed value, for writes that keep it. Not included in views. */
    secrets: sealedSecrets,
    attributes: table.attributes,
    tags: table.tags,
    builtin: table.builtin,
    users_count: countOf(users, users.authenticator_id, table.id),
    groups_count: countOf(groups, groups.authenticator_id, table.id),
    account_refused_at: ofRefusal(refusals.refused_at),
    account_retry_at: ofRefusal(refusals.retry_at),
    directory_authority: table.directory_authority,
    other_directory: table.other_directory,
    other_directory_at: table.other_directory_at,
    created_at: table.created_at,
    updated_at: table.updated_at,
  },
  // Server addresses are visible only to administrators of the whole installation.
  narrowed: ({ params }: { params: Record<string, unknown> }) => ({ params: withoutAddresses(params) }),
  search: [table.name_key, table.small_name_key],
  filters: {
    type: (value: string) => sql`${table.type} = ${value}`,
    state: (value: string) => sql`${table.state} = ${value}`,
    tag: (value: string) => sql`${value} = any(${table.tags})`,
    small_name: (value: string) => eq(table.small_name_key, value.toLowerCase()),
  },
  sorts: {
    name: table.name_key,
    small_name: table.small_name_key,
    created_at: table.created_at,
    priority: table.priority,
  },
  references: [
    {
      type: 'site',
      table: siteAuthenticators,
      by: siteAuthenticators.authenticator_id,
      id: siteAuthenticators.site_id,
      name: nameOf(sites, siteAuthenticators.site_id),
    },
    {
      type: 'site',
      table: siteUsers,
      by: ownerOf(users, sql`${siteUsers.user_id}`),
      id: siteUsers.site_id,
      name: nameOf(sites, siteUsers.site_id),
    },
    {
      type: 'site',
      table: siteGroups,
      by: ownerOf(groups, sql`${siteGroups.group_id}`),
      id: siteGroups.site_id,
      name: nameOf(sites, siteGroups.site_id),
    },
    {
      type: 'priority_group',
      table: priorityGroupUsers,
      by: ownerOf(users, sql`${priorityGroupUsers.user_id}`),
      id: priorityGroupUsers.priority_group_id,
      name: nameOf(priorityGroups, priorityGroupUsers.priority_group_id),
    },
    {
      type: 'priority_group',
      table: priorityGroupGroups,
      by: ownerOf(groups, sql`${priorityGroupGroups.group_id}`),
      id: priorityGroupGroups.priority_group_id,
      name: nameOf(priorityGroups, priorityGroupGroups.priority_group_id),
    },
    {
      type: 'rule',
      table: ruleUsers,
      by: ownerOf(users, sql`${ruleUsers.user_id}`),
      id: ruleUsers.rule_id,
      name: nameOf(rules, ruleUsers.rule_id),
    },
    {
      type: 'rule',
      table: ruleGroups,
      by: ownerOf(groups, sql`${ruleGroups.group_id}`),
      id: ruleGroups.rule_id,
      name: nameOf(rules, ruleGroups.rule_id),
    },
  ],
  unique: { '/name': ['name_key'], '/small_name': ['small_name_key'] },
});

/**
 * Returns a domain with its server addresses, for connections to them. Domains are readable with the permission for
 * any site; the scope only restricts the visible members.
 */
export const findDomain = (db: Db, id: string) => authenticators.find(db, id, { scope: '*' });

function withoutAddresses({ hosts, kerberos, ...params }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...params,
    ...(hosts !== undefined && { hosts: [] }),
    ...(kerberos !== undefined && {
      kerberos:
        typeof kerberos === 'object' && kerberos !== null
          ? { ...kerberos, kdc: [], kdc_hostnames: [] }
          : kerberos,
    }),
  };
}

/** Whether another domain has one of these e-mail domains, in lower case. */
export async function areEmailDomainsTaken(db: Db, id: string, names: readonly string[]): Promise<boolean> {
  const taken = await db
    .select({ id: table.id })
    .from(table)
    .where(
      and(
        ne(table.id, id),
        sql`exists(select from jsonb_array_elements_text(${table.params} -> 'email_domains') as own
          where own in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb)))`,
      ),
    )
    .limit(1);
  return taken.length > 0;
}
