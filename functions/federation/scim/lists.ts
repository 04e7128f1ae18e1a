import type { AttributePath } from '../../../db/repositories/identity/scim/filter.ts';
import { membersOfGroups } from '../../../db/repositories/identity/scim/groups.ts';
import { listGroups, listUsers, type PageRequest } from '../../../db/repositories/identity/scim/pages.ts';
import { scimError } from '../../../shared/identity/scim/errors.ts';
import { parseFilter } from '../../../shared/identity/scim/filter.ts';
import {
  type GroupMember,
  groupResource,
  type ProvisionedGroup,
} from '../../../shared/identity/scim/groups.ts';
import { parsePath } from '../../../shared/identity/scim/patch-path.ts';
import {
  includes,
  type Projection,
  projected,
  projectionOf,
} from '../../../shared/identity/scim/projection.ts';
import { listSchema, mostResources, usualResources } from '../../../shared/identity/scim/urns.ts';
import { userResource } from '../../../shared/identity/scim/users.ts';
import { openCursor, sealCursor } from '../../../shared/kernel/cursor.ts';
import { type ScimScope, withFaults } from './scope.ts';

/** The query of a list, or the body of a search. */
export type Search = {
  attributes?: string | readonly string[] | null | undefined;
  excludedAttributes?: string | readonly string[] | null | undefined;
  filter?: string | null | undefined;
  sortBy?: string | null | undefined;
  sortOrder?: string | null | undefined;
  startIndex?: number | null | undefined;
  count?: number | null | undefined;
  cursor?: string | null | undefined;
};

type Kind = 'Users' | 'Groups';
type Resource = Record<string, unknown>;

/** A page with the position of its last row, if further rows follow. */
type Page = { resources: Resource[]; total: number; next: { key: string; id: string } | undefined };

const readers = { Users: readUsers, Groups: readGroups };

/**
 * Lists resources by index (RFC 7644, 3.4.2.4) or by cursor (RFC 9865).
 * @throws AppError `invalid_request`, `malformed_cursor`
 */
export async function listResources(scope: ScimScope, kind: Kind, search: Search): Promise<Resource> {
  const projection = projectionOf(search.attributes, search.excludedAttributes);
  const isByCursor = typeof search.cursor === 'string';
  const [limit, startIndex] = [limitOf(search, isByCursor), Math.max(1, search.startIndex ?? 1)];
  const list = identityOf(scope, kind, search);
  const start: PageRequest['start'] = search.cursor
    ? { after: await openCursor(scope.ctx.deps.cursorSealer, list, search.cursor) }
    : { offset: isByCursor ? 0 : startIndex - 1 };
  const request = { domainId: scope.domainId, ...conditionsOf(search), limit, start };
  const { resources, total, next } = await withFaults(() => readers[kind](scope, request, projection));
  return {
    schemas: [listSchema],
    totalResults: total,
    itemsPerPage: resources.length,
    ...(!isByCursor && { startIndex }),
    ...(isByCursor && next && { nextCursor: await sealCursor(scope.ctx.deps.cursorSealer, list, next) }),
    Resources: resources,
  };
}

/** A cursor is valid for the same domain, filter and order. */
const identityOf = ({ domainId }: ScimScope, kind: Kind, { filter, sortBy, sortOrder }: Search) => ({
  resource: `scim ${kind}`,
  filters: filter ?? '',
  sort: `${sortBy ?? ''} ${sortOrder ?? ''}`.toLowerCase(),
  scope: domainId,
});

/** A negative number counts as 0 by index (RFC 7644, 3.4.2.4), and is refused with a cursor (RFC 9865, 2.2). */
function limitOf({ count }: Search, isByCursor: boolean): number {
  if (count === null || count === undefined) return usualResources;
  if (isByCursor && count < 1) throw scimError('invalidCount', 'The number of resources is not valid');
  return Math.min(mostResources, Math.max(0, count));
}

function conditionsOf({ filter, sortBy, sortOrder }: Search): Pick<PageRequest, 'filter' | 'sort'> {
  const by: AttributePath | undefined = sortBy ? parsePath(sortBy) : undefined;
  return {
    filter: filter ? parseFilter(filter) : undefined,
    sort: by && { by, descending: sortOrder?.toLowerCase() === 'descending' },
  };
}

async function readUsers(
  { ctx, base }: ScimScope,
  request: PageRequest,
  projection: Projection,
): Promise<Page> {
  const { rows, total, hasMore } = await listUsers(ctx.deps.db, request);
  const last = hasMore ? rows.at(-1) : undefined;
  return {
    resources: rows.map((row) => projected(userResource(row, base), projection)),
    total,
    next: last && { key: last.key, id: last.id },
  };
}

/** Number of members in a response. A page of groups ends before it has more. */
export const mostMembers = 50_000;
const mostMembersOfPage = 25_000;

async function readGroups(scope: ScimScope, request: PageRequest, projection: Projection): Promise<Page> {
  const { rows, total, hasMore } = await listGroups(scope.ctx.deps.db, request);
  const shown = includes(projection, 'members') ? fitting(rows) : rows;
  const last = hasMore || shown.length < rows.length ? shown.at(-1) : undefined;
  return {
    resources: await groupResources(scope, shown, projection),
    total,
    next: last && { key: last.key, id: last.id },
  };
}

/** The first groups whose members fit into a page; at least one. */
function fitting<Row extends { memberCount: number }>(rows: readonly Row[]): Row[] {
  let members = 0;
  return rows.filter(({ memberCount }, at) => {
    members += memberCount;
    return at === 0 || members <= mostMembersOfPage;
  });
}

/** Reads the members of the groups, unless the response does not contain them. */
export async function groupResources(
  { ctx, domainId, base }: ScimScope,
  rows: readonly ProvisionedGroup[],
  projection: Projection,
): Promise<Resource[]> {
  const isWithMembers = includes(projection, 'members') && rows.length > 0;
  const ids = rows.map(({ id }) => id);
  const found = isWithMembers ? await membersOfGroups(ctx.deps.db, domainId, ids, mostMembers + 1) : [];
  if (found.length > mostMembers)
    throw scimError(
      'tooMany',
      'The group has too many members for a response: exclude the attribute `members`',
    );
  const byGroup = new Map<string, GroupMember[]>(ids.map((id) => [id, []]));
  for (const { group, ...member } of found) byGroup.get(group)?.push(member);
  return rows.map((row) =>
    projected(groupResource(row, isWithMembers ? byGroup.get(row.id) : undefined, base), projection),
  );
}

/**
 * Lists resources of both types: first users, then groups. Attributes that a type does not have count as unassigned.
 * @throws AppError `invalid_request`
 */
export async function searchAll(scope: ScimScope, search: Search): Promise<Resource> {
  if (search.sortBy || typeof search.cursor === 'string')
    throw scimError('invalidValue', 'This search supports neither cursors nor sorting');
  const projection = projectionOf(search.attributes, search.excludedAttributes);
  const [limit, startIndex] = [limitOf(search, false), Math.max(1, search.startIndex ?? 1)];
  const common = { domainId: scope.domainId, ...conditionsOf(search), isLenient: true };
  const from = (rows: number, offset: number): PageRequest => ({ ...common, limit: rows, start: { offset } });
  return withFaults(async () => {
    const users = await readUsers(scope, from(limit, startIndex - 1), projection);
    const offset = Math.max(0, startIndex - 1 - users.total);
    const groups = await readGroups(scope, from(limit - users.resources.length, offset), projection);
    const resources = [...users.resources, ...groups.resources];
    return {
      schemas: [listSchema],
      totalResults: users.total + groups.total,
      itemsPerPage: resources.length,
      startIndex,
      Resources: resources,
    };
  });
}
