import { listPage } from '../../../db/repositories/records/pages.ts';
import type { ListRow, ListSpec, PageQuery, Selection } from '../../../db/repositories/records/records.ts';
import type { BaseDeps, Ctx } from '../../context/context.ts';
import { type ListIdentity, openCursor, type Position, sealCursor } from '../../kernel/cursor.ts';
import { notFound } from '../../kernel/errors.ts';
import type { ListQuery } from '../../shapes/list.ts';
import { Answer } from '../serve/answer.ts';

/**
 * Returns one page of a record list. At most one round trip.
 * @param parent the id of the owner of a nested collection
 * @throws AppError `not_found` if that owner does not exist, `malformed_cursor`
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
 * Converts the query of a list to the form of repositories, for lists that read their pages themselves.
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

/** The content of a page. `beside` contains members in addition to those of every list. */
export type PageParts = {
  items: unknown[];
  next?: Position | undefined;
  total?: number | undefined;
  beside?: Record<string, unknown>;
};

/** Creates the envelope of a page that was read with `pageQuery`. */
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

/** Returns the `Link` header of the next page, with an address relative to the current one. */
export function nextLink({ cursor: _, ...query }: { cursor?: unknown }, next: string): string {
  const parameters = Object.entries({ ...query, cursor: next }).filter(([, value]) => value !== undefined);
  return `<?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}>; rel="next"`;
}
