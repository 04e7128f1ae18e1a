import { z } from 'zod';
import { listPage } from '../../../db/repositories/records/pages.ts';
import type { ListRow, ListSpec, PageQuery, Selection } from '../../../db/repositories/records/records.ts';
import { type ListIdentity, openCursor, type Position, sealCursor } from '../../kernel/cursor.ts';
import { notFound } from '../../kernel/errors.ts';
import type { BaseDeps, Ctx } from '../context.ts';
import { Answer } from '../serve/answer.ts';
import { PageLimit } from './fields.ts';

export const ListSearch = z.string().max(128).optional().describe('Part of the name. Case is ignored.');

/** The query of a list: paging, the closed list of sort keys, search, and the resource's own filters. */
export const listQuery = <F extends z.ZodRawShape>(
  sorts: readonly string[],
  filters: F,
  defaultSort = sorts[0] ?? 'name',
) =>
  z.strictObject({
    limit: PageLimit.meta({ example: 50 }).describe('Maximum number of items in the page. Default 50.'),
    cursor: z
      .string()
      .max(2048)
      .optional()
      .describe('`next` of the previous page. It is valid only with the same filters, sort order and scope.'),
    sort: z
      .enum(sorts.flatMap((key) => [key, `-${key}`]))
      .default(defaultSort)
      .describe(
        'Sort key; a leading `-` sorts in descending order. Items with equal keys follow their `id`.',
      ),
    search: ListSearch,
    count: z
      .literal('exact')
      .optional()
      .describe('`exact` adds the number of all matching items as `total`.'),
    ...filters,
  });

/** The envelope of every list. */
export const listOf = (item: z.ZodType) =>
  z.strictObject({
    items: z.array(item).describe('The items of this page, in the requested order.'),
    next: z.string().nullable().describe('The `cursor` of the next page. Null on the last page.'),
    total: z.int().optional().describe('Number of all matching items. Present only with `count=exact`.'),
  });

export type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  sort: string;
  search?: string | undefined;
  count?: 'exact' | undefined;
};

/**
 * One page of a record list; at most one round trip.
 * @param parent the id of the owner of a nested collection
 * @throws AppError `not_found` when that owner does not exist, `malformed_cursor`
 */
export async function answerList<S extends Selection, V>(
  ctx: Ctx<BaseDeps>,
  repository: { readonly spec: ListSpec<S> },
  query: ListQuery,
  view: (row: ListRow<S>) => V,
  parent?: string,
): Promise<Answer> {
  const page = await listPage(ctx.deps.db, repository, await pageQuery(ctx, query, parent));
  if (!page.parentExists) throw notFound();
  const { next, total } = page;
  return pageAnswer(ctx, query, { items: page.rows.map(view), next, total }, parent);
}

/**
 * The query of a list as repositories take it, for a list that reads its page in a way of its own.
 * @throws AppError `malformed_cursor`
 */
export async function pageQuery(
  ctx: Ctx<BaseDeps>,
  query: ListQuery,
  parent: string | undefined,
): Promise<PageQuery> {
  const { limit, cursor, sort, search, count, ...filters } = query;
  const list = identityOf(ctx, query, parent);
  const after: Position | undefined =
    cursor === undefined ? undefined : await openCursor(ctx.deps.cursorSealer, list, cursor);
  return {
    scope: ctx.scope,
    ...(parent !== undefined && { parent }),
    filters,
    search,
    sort: { key: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
    after,
    limit,
    count: count === 'exact',
  };
}

/** What a page has for its answer; `beside` are members besides those of every list. */
export type PageParts = {
  items: unknown[];
  next?: Position | undefined;
  total?: number | undefined;
  beside?: Record<string, unknown>;
};

/** The envelope of a page that was read with `pageQuery`. */
export async function pageAnswer(
  ctx: Ctx<BaseDeps>,
  query: ListQuery,
  { items, next: position, total, beside }: PageParts,
  parent: string | undefined,
): Promise<Answer> {
  const list = identityOf(ctx, query, parent);
  const next = position ? await sealCursor(ctx.deps.cursorSealer, list, position) : null;
  const body = { items, next, ...(total !== undefined && { total }), ...beside };
  const headers = next === null ? {} : { link: nextLink(query, next) };
  return new Answer(body, { headers, isCompressible: true });
}

function identityOf(ctx: Ctx<BaseDeps>, query: ListQuery, parent: string | undefined): ListIdentity {
  const { limit: _, cursor: __, sort, search, count: ___, ...filters } = query;
  return { resource: ctx.operation.id, filters: { ...filters, search, parent }, sort, scope: ctx.scope };
}

/** The query that continues this list, relative to its own address. */
export function nextLink({ cursor: _, ...query }: { cursor?: unknown }, next: string): string {
  const parameters = Object.entries({ ...query, cursor: next }).filter(([, value]) => value !== undefined);
  return `<?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}>; rel="next"`;
}
