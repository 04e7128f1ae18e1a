import { and, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { groupMembers, groups } from '../../../schema/identity/groups.ts';
import { users } from '../../../schema/identity/users.ts';
import { countOf } from '../../records/statements.ts';
import { groupAttributes, userAttributes } from './attributes.ts';
import { type Attributes, conditionOf } from './conditions.ts';
import type { Filter } from './filter.ts';
import { groupColumns, groupsIn } from './groups.ts';
import { provisionedIn, userColumns } from './users.ts';

/** The rows of one type of resource. */
export type Source = {
  table: PgTable & { id: PgColumn };
  created: SQL;
  attributes: Attributes;
  within: SQL;
};

export const userSource = (domainId: string): Source => ({
  table: users,
  created: sql`${users.created_at}`,
  attributes: userAttributes,
  within: provisionedIn(domainId),
});

export const groupSource = (domainId: string): Source => ({
  table: groups,
  created: sql`${groups.created_at}`,
  attributes: groupAttributes,
  within: groupsIn(domainId),
});

/** The columns of a page, with the number of groups of the user. */
export const userRow = { ...userColumns, links: countOf(groupMembers, groupMembers.user_id, users.id) };
/** The columns of a page, with the number of members. */
export const groupRow = { ...groupColumns, links: countOf(groupMembers, groupMembers.group_id, groups.id) };

/**
 * The condition that a row meets a filter.
 * @param isLenient unknown attributes have no value, as for a query over both types
 * @throws FilterFault
 */
export const matchingIn = (
  { within, attributes }: Source,
  filter: Filter | undefined,
  isLenient: boolean,
): SQL | undefined => and(within, filter && conditionOf(filter, attributes, isLenient));
