import { z } from 'zod';
import { listPage } from '../../db/repositories/pages.ts';
import type { ListedRow, ListSpec, Selection } from '../../db/repositories/records.ts';
import { type ListIdentity, openCursor, type Position, sealCursor } from '../kernel/cursor.ts';
import { notFound } from '../kernel/errors.ts';
import { Answer } from './answer.ts';
import type { BaseDeps, Ctx } from './context.ts';

const Limit = z.coerce.number().int().min(1).max(500).default(50);

/** The query of a list: paging, the closed list of sort keys, search, and the resource's own filters. */
export const listQuery = <F extends z.ZodRawShape>(
  sorts: readonly string[],
  filters: F,
  defaultSort = sorts[0] ?? 'name',
) =>
  z.strictObject({
    limit: Limit.meta({ description: 'Items of a page', example: 50 }),
    cursor: z.string().max(2048).optional().meta({ description: 'From `next` of the page before' }),
    sort: z.enum(sorts.flatMap((key) => [key, `-${key}`])).default(defaultSort),
    search: z.string().max(128).optional().meta({ description: 'Part of a name, without regard to case' }),
    count: z.literal('exact').optional().meta({ description: 'Adds `total`' }),
    ...filters,
  });

/** The envelope of every list. */
export const listOf = (item: z.ZodType) =>
  z.strictObject({ items: z.array(item), next: z.string().nullable(), total: z.int().optional() });

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
  view: (row: ListedRow<S>) => V,
  parent?: string,
): Promise<Answer> {
  const { limit, cursor, sort, search, count, ...filters } = query;
  const list: ListIdentity = {
    resource: ctx.operation.id,
    filters: { ...filters, search, parent },
    sort,
    scope: ctx.scope,
  };
  const after: Position | undefined =
    cursor === undefined ? undefined : await openCursor(ctx.deps.cursorSealer, list, cursor);
  const page = await listPage(ctx.deps.db, repository, {
    scope: ctx.scope,
    ...(parent !== undefined && { parent }),
    filters,
    search,
    sort: { key: sort.replace(/^-/, ''), descending: sort.startsWith('-') },
    after,
    limit,
    count: count === 'exact',
  });
  if (!page.parentExists) throw notFound();
  const next = page.next ? await sealCursor(ctx.deps.cursorSealer, list, page.next) : null;
  const body = { items: page.rows.map(view), next, ...(page.total !== undefined && { total: page.total }) };
  return new Answer(body, next === null ? {} : { headers: { link: nextLink(query, next) } });
}

/** The query that continues this list, relative to its own address. */
function nextLink({ cursor: _, ...query }: ListQuery, next: string): string {
  const parameters = Object.entries({ ...query, cursor: next }).filter(([, value]) => value !== undefined);
  return `<?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}>; rel="next"`;
}
