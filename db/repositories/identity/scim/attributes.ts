import { and, type SQL, sql } from 'drizzle-orm';
import { isId } from '../../../../shared/kernel/ids.ts';
import { foldName } from '../../../../shared/kernel/text.ts';
import { groupMembers, groups } from '../../../schema/identity/groups.ts';
import { users } from '../../../schema/identity/users.ts';
import type { Attribute, Attributes } from './conditions.ts';

const identified = (id: SQL): Attribute => ({
  type: 'text',
  text: sql`${id}::text`,
  caseExact: true,
  equals: (value) => (isId(value) ? sql`${id} = ${value}::uuid` : sql`false`),
});

/** A name whose folded form is stored. */
const named = (text: SQL, key: SQL): Attribute => ({
  type: 'text',
  text,
  equals: (value) => sql`${key} = ${foldName(value)}`,
});

/** A text that can be null. The plain comparison can use an index. */
const optional = (text: SQL): Attribute => ({
  type: 'text',
  text: sql`coalesce(${text}, '')`,
  caseExact: true,
  equals: (value) => sql`(${text} is not null and ${text} = ${value} and ${text} <> '')`,
});

const constant = (text: string): Attribute => ({ type: 'text', text: sql`${text}::text` });

const email: Attribute = { type: 'text', text: sql`${users.email}` };

/** Attributes of users. The portal stores one address, which is the primary one and that of work. */
export const userAttributes: Attributes = {
  id: identified(sql`${users.id}`),
  externalid: optional(sql`${users.directory_id}`),
  username: named(sql`${users.name}`, sql`${users.name_key}`),
  displayname: { type: 'text', text: sql`${users.real_name}` },
  'name.formatted': { type: 'text', text: sql`${users.real_name}` },
  'name.givenname': { type: 'text', text: sql`${users.given_name}` },
  'name.familyname': { type: 'text', text: sql`${users.family_name}` },
  active: { type: 'boolean', value: sql`(${users.state} = 'active')` },
  'meta.resourcetype': constant('User'),
  'meta.created': { type: 'moment', value: sql`${users.created_at}` },
  'meta.lastmodified': { type: 'moment', value: sql`${users.updated_at}` },
  emails: {
    type: 'values',
    any: (condition) => sql`(${and(sql`${users.email} <> ''`, condition)})`,
    members: {
      value: email,
      type: constant('work'),
      primary: { type: 'boolean', value: sql`true` },
    },
  },
  groups: {
    type: 'values',
    any: (condition) =>
      sql`exists(select 1 from ${groupMembers} join ${groups} on ${groups.id} = ${groupMembers.group_id}
        where ${and(sql`${groupMembers.user_id} = ${users.id}`, condition)})`,
    members: {
      value: identified(sql`${groupMembers.group_id}`),
      display: named(sql`${groups.name}`, sql`${groups.name_key}`),
      type: constant('direct'),
    },
  },
};

export const groupAttributes: Attributes = {
  id: identified(sql`${groups.id}`),
  externalid: optional(sql`${groups.external_id}`),
  displayname: named(sql`${groups.name}`, sql`${groups.name_key}`),
  'meta.resourcetype': constant('Group'),
  'meta.created': { type: 'moment', value: sql`${groups.created_at}` },
  'meta.lastmodified': { type: 'moment', value: sql`${groups.updated_at}` },
  members: {
    type: 'values',
    any: (condition) =>
      sql`exists(select 1 from ${groupMembers} join ${users} on ${users.id} = ${groupMembers.user_id}
        where ${and(sql`${groupMembers.group_id} = ${groups.id}`, condition)})`,
    members: {
      value: identified(sql`${groupMembers.user_id}`),
      display: { type: 'text', text: sql`${users.name}` },
      type: constant('User'),
    },
  },
};
