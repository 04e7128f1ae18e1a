import type { Db } from '../../../db/client.ts';
import type { AttributePath } from '../../../db/repositories/identity/scim/filter.ts';
import { listBoth } from '../../../db/repositories/identity/scim/joint-pages.ts';
import {
  listGroups,
  listUsers,
  type PageRequest,
  type ScimPage,
} from '../../../db/repositories/identity/scim/pages.ts';
import { scimError } from '../../../shared/identity/scim/errors.ts';
import { parseFilter } from '../../../shared/identity/scim/filter.ts';
import { parsePath } from '../../../shared/identity/scim/patch-path.ts';
import { projectionOf } from '../../../shared/identity/scim/projection.ts';
import { listSchema, mostResources, usualResources } from '../../../shared/identity/scim/urns.ts';
import { openCursor, sealCursor } from '../../../shared/kernel/cursor.ts';
import { fitting, type ResourceRow, resourcesOf } from './resources.ts';
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

type Resource = Record<string, unknown>;
type Row = ResourceRow & { key: string; links: number };
type Read = (db: Db, request: PageRequest) => Promise<ScimPage<Row>>;

/** Resources of one type, or of both. */
const lists = {
  Users: kindOf('Users', listUsers),
  Groups: kindOf('Groups', listGroups),
  all: listBoth,
} as const satisfies Record<string, Read>;
type List = keyof typeof lists;

function kindOf<K extends ResourceRow['kind'], R>(
  kind: K,
  read: (db: Db, request: PageRequest) => Promise<ScimPage<R>>,
) {
  return async (db: Db, request: PageRequest) => {
    const { rows, ...page } = await read(db, request);
    return { ...page, rows: rows.map((row) => ({ kind, ...row })) };
  };
}

/**
 * Lists resources by index (RFC 7644, 3.4.2.4) or by cursor (RFC 9865).
 * @throws AppError `invalid_request`, `malformed_cursor`
 */
export async function listResources(scope: ScimScope, list: List, search: Search): Promise<Resource> {
  const { db, cursorSealer } = scope.ctx.deps;
  const projection = projectionOf(search.attributes, search.excludedAttributes);
  const isByCursor = typeof search.cursor === 'string';
  const [limit, startIndex] = [limitOf(search, isByCursor), Math.max(1, search.startIndex ?? 1)];
  const identity = identityOf(scope, list, search);
  const start: PageRequest['start'] = search.cursor
    ? { after: await openCursor(cursorSealer, identity, search.cursor) }
    : { offset: isByCursor ? 0 : startIndex - 1 };
  const request = { domainId: scope.domainId, ...conditionsOf(scope, search), limit, start };
  const { rows, total, hasMore } = await withFaults(() => lists[list](db, request));
  const shown = fitting<Row>(rows, projection);
  const last = hasMore || shown.length < rows.length ? shown.at(-1) : undefined;
  const next = isByCursor && last ? { key: last.key, id: last.id } : undefined;
  return {
    schemas: [listSchema],
    totalResults: total,
    itemsPerPage: shown.length,
    ...(!isByCursor && { startIndex }),
    ...(next && { nextCursor: await sealCursor(cursorSealer, identity, next) }),
    Resources: await resourcesOf(scope, shown, projection),
  };
}

/** A cursor is valid for the same domain, filter and order. */
const identityOf = ({ domainId }: ScimScope, list: List, { filter, sortBy, sortOrder }: Search) => ({
  resource: `scim ${list}`,
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

function conditionsOf(
  { work }: ScimScope,
  { filter, sortBy, sortOrder }: Search,
): Pick<PageRequest, 'filter' | 'sort'> {
  const by: AttributePath | undefined = sortBy ? parsePath(sortBy, work) : undefined;
  return {
    filter: filter ? parseFilter(filter) : undefined,
    sort: by && { by, descending: sortOrder?.toLowerCase() === 'descending' },
  };
}
