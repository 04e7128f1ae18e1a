import { z } from 'zod';
import { PageLimit } from './fields.ts';

export const ListSearch = z.string().max(128).optional().describe('Part of the name. Case is ignored.');

/** The query of a list: paging, the closed list of sort keys, search, and the filters of the resource. */
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
