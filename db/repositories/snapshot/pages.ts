import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Position } from '../../../shared/kernel/cursor.ts';
import { containsPattern } from '../../../shared/kernel/text.ts';
import type { Db } from '../../client.ts';
import { prebuilt } from '../../prebuilt.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';
import { farms } from '../../schema/sites/farms.ts';
import { sites } from '../../schema/sites/sites.ts';
import { farmParts } from '../../schema/snapshot/farm-parts.ts';
import { isInMaintenance } from '../maintenance/state.ts';
import {
  afterCondition,
  filterConditions,
  hasNoConditions,
  pageOrder,
  searchCondition,
  sortKey,
  type TextPosition,
  textOf,
} from '../records/pages.ts';
import type { PageQuery } from '../records/records.ts';
import { within } from '../records/scope.ts';
import { derived } from '../records/statements.ts';
import type { FarmChoice } from './farms.ts';
import { type MergedSpec, momentText } from './lists.ts';

/** Data about one farm of a merged list, ordered by site and farm name. */
export type FarmFacts = {
  site_id: string;
  site_uri: string;
  site_name: string;
  farm_id: string;
  farm_name: string;
  enabled: boolean;
  maintenance: boolean;
  /** The farm has nodes, and all their circuits are open. */
  circuit_open: boolean;
  fetched_at: string | null;
  took_ms: number | null;
  error: string | null;
};

type Item = Record<string, unknown>;
export type MergedPage = { items: Item[]; farms: FarmFacts[]; next?: Position; total: number | null };
type PageResult = Omit<MergedPage, 'next'>;
type MergedQuery = PageQuery & { choice: FarmChoice };

/**
 * Returns one keyset page over all selected farms, with the age of each farm's data and the total if requested, in
 * one statement, so that all rows come from one snapshot.
 */
export async function mergedPage(db: Db, spec: MergedSpec, query: MergedQuery): Promise<MergedPage> {
  const { limit } = query;
  const parts: PageParts = { ...query, most: limit + 1, after: textOf(query.after) };
  const isPlain = !query.count && !isLimited(query.choice) && hasNoConditions(query);
  const [row] = isPlain ? await plainPage(db, spec, parts) : await pageStatement(db, spec, parts);
  if (!row) throw new Error('a select without a table gave no row');
  const { farms: concerned, total: counted, items: all } = row.found;
  const shown = all.slice(0, limit);
  const last = all.length > limit ? shown.at(-1) : undefined;
  const next = last && { key: String(last._key), id: String(last._id) };
  return {
    items: shown.map(({ _key, _id, ...item }) => item),
    farms: concerned,
    total: counted,
    ...(next && { next }),
  };
}

/** A page as its statement needs it; `most` is the number of rows. */
type PageParts = Omit<MergedQuery, 'limit' | 'after'> & { most: number; after: TextPosition | undefined };

function pageStatement(db: Db, spec: MergedSpec, query: PageParts) {
  const column = spec.sorts[query.sort.key];
  if (!column) throw new Error(`no sort key ${query.sort.key}`);
  const statement = sql`with concerned as materialized (${farmsConcerned(spec, query.choice)}),
    page as materialized (${pageRows(spec, column, query)})
    select json_build_object('items', ${items(spec, column, query)}, 'farms', ${facts}, 'total', ${total(spec, query)})`;
  return db.select({ found: derived<PageResult>(statement) }).from(sql`(values (1)) as once`);
}

type PlainValues = TextPosition & { most: number };
type PlainForm = Pick<PageParts, 'sort'> & { hasStart: boolean };

const plainPages = new WeakMap<MergedSpec, ReturnType<typeof plainPagesOf>>();

/** A page of all farms without conditions, whose text is built once for each order. */
function plainPage(db: Db, spec: MergedSpec, { sort, after, most }: PageParts) {
  const read = plainPages.get(spec) ?? plainPagesOf(spec);
  plainPages.set(spec, read);
  const form: PlainForm = { sort, hasStart: after !== undefined };
  return read(db, { most, key: after?.key ?? '', id: after?.id ?? '' }, JSON.stringify(form));
}

const plainPagesOf = (spec: MergedSpec) =>
  prebuilt<PlainValues, { found: PageResult }>((db, { most, key, id }, text) => {
    const { sort, hasStart }: PlainForm = JSON.parse(text);
    const after = hasStart ? { key, id } : undefined;
    const all = { scope: '*', siteId: undefined, farmId: undefined } as const;
    return pageStatement(db, spec, { ...all, choice: all, filters: {}, sort, after, most, count: false });
  });

const farmsConcerned = ({ kind }: MergedSpec, { scope, siteId, farmId }: FarmChoice): SQL => sql`
  select ${farms.id} as farm_id, ${farms.name} as farm_name, ${farms.name_key} as farm_key,
    ${sites.id} as site_id, ${sites.uri} as site_uri, ${sites.name} as site_name, ${sites.name_key} as site_key,
    ${farms.enabled} and ${sites.enabled} as enabled, ${isInMaintenance(farms)} or ${isInMaintenance(sites)} as maintenance,
    ${farmParts.fetched_at} as fetched_at, ${farmParts.took_ms} as took_ms, ${farmParts.error} as error,
    coalesce((select bool_and(${dispatchers.circuit} <> 'closed') from ${dispatchers}
      where ${dispatchers.farm_id} = ${farms.id} and ${dispatchers.enabled}), false) as circuit_open
  from ${farms} join ${sites} on ${sites.id} = ${farms.site_id}
  left join ${farmParts} on ${farmParts.farm_id} = ${farms.id} and ${farmParts.kind} = ${kind}
  where ${
    and(
      within(farms.site_id, scope),
      siteId === undefined ? undefined : eq(farms.site_id, siteId),
      farmId === undefined ? undefined : eq(farms.id, farmId),
    ) ?? sql`true`
  }`;

const facts = sql`(select coalesce(json_agg(json_build_object('site_id', c.site_id, 'site_uri', c.site_uri,
    'site_name', c.site_name, 'farm_id', c.farm_id, 'farm_name', c.farm_name, 'enabled', c.enabled,
    'maintenance', c.maintenance, 'circuit_open', c.circuit_open, 'took_ms', c.took_ms, 'error', c.error,
    'fetched_at', ${momentText(sql`c.fetched_at`)}) order by c.site_key, c.farm_key), '[]') from concerned c)`;

const isLimited = ({ scope, siteId, farmId }: FarmChoice): boolean =>
  scope !== '*' || siteId !== undefined || farmId !== undefined;

const matching = (spec: MergedSpec, { filters, search }: PageParts): SQL =>
  and(...filterConditions(spec, filters), searchCondition(spec, search)) ?? sql`true`;

const ofConcerned = ({ table }: MergedSpec): SQL =>
  sql`${table.farm_id} = any(array(select farm_id from concerned))`;

/**
 * Rows in the order of the page. If only some farms are selected, or each farm has a matching index, the first rows
 * of each farm are read from its index and merged; rows of other farms are not scanned. A search or a selective
 * filter uses an index over all farms.
 */
function pageRows(spec: MergedSpec, column: MergedSpec['sorts'][string], query: PageParts): SQL {
  const { table, found, inFarm } = spec;
  const { sort, after, most, choice, filters, search } = query;
  const order = sql`order by ${sql.join(pageOrder(table, column, sort.descending), sql`, `)} limit ${most}`;
  const condition = and(matching(spec, query), after && afterCondition(spec, column, after, sort.descending));
  const isSet = (name: string) => filters[name] !== undefined;
  const hasIndex = Boolean(search) || found.some(isSet);
  if (isShortSearch(spec, column, query)) return shortSearchRows(spec, column, query);
  if (!isLimited(choice) && (hasIndex || !inFarm.some(isSet)))
    return sql`select ${table}.* from ${table} where ${condition} ${order}`;
  if (hasIndex)
    return sql`select ${table}.* from ${table} where ${condition} and ${ofConcerned(spec)} ${order}`;
  return sql`select ${table}.* from concerned cross join lateral (
    select ${table}.* from ${table} where ${table.farm_id} = concerned.farm_id and ${condition} ${order}
  ) as ${table} ${order}`;
}

/** Three letters or digits in sequence, which a trigram index needs. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

/** A search in all farms, for nothing but a short text in the column of the order. */
const isShortSearch = (
  { search: searched }: MergedSpec,
  column: MergedSpec['sorts'][string],
  { search, choice, filters }: PageParts,
): boolean =>
  Boolean(search) &&
  !hasTrigram.test(search ?? '') &&
  searched.length === 1 &&
  searched[0] === column &&
  !isLimited(choice) &&
  Object.values(filters).every((value) => value === undefined);

/**
 * A trigram index would be read completely, and each row again. The index of the order has all that is compared, so only the
 * rows of the page are read. The planner does not use the trigram index for the expression.
 */
function shortSearchRows(
  spec: MergedSpec,
  column: MergedSpec['sorts'][string],
  { search = '', after, sort, most }: PageParts,
): SQL {
  const { table } = spec;
  const order = sql`order by ${sql.join(pageOrder(table, column, sort.descending), sql`, `)} limit ${most}`;
  const isFound = sql`(${column} || '') like ${containsPattern(search)}`;
  const condition = and(isFound, after && afterCondition(spec, column, after, sort.descending));
  return sql`select ${table}.* from ${table}
    where ${table.id} in (select ${table.id} from ${table} where ${condition} ${order}) ${order}`;
}

/** The page is aliased as its table, so that the columns of the selection resolve. */
function items({ table, select }: MergedSpec, column: MergedSpec['sorts'][string], { sort }: PageParts): SQL {
  const { id, ...members } = select;
  const pairs = Object.entries(members).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`);
  const order = sql.join(pageOrder(table, column, sort.descending), sql`, `);
  return sql`(select coalesce(json_agg(json_build_object('_key', ${sortKey(column)}, '_id', ${id},
      ${sql.join(pairs, sql`, `)}, 'farm_id', c.farm_id, 'farm_name', c.farm_name, 'site_id', c.site_id,
      'site_name', c.site_name, 'fetched_at', ${momentText(sql`greatest(c.fetched_at, ${table.touched_at})`)})
      order by ${order}), '[]')
    from page as ${table} join concerned c on c.farm_id = ${table.farm_id})`;
}

function total(spec: MergedSpec, query: PageParts): SQL {
  if (!query.count) return sql`null`;
  const inside = isLimited(query.choice) ? sql` and ${ofConcerned(spec)}` : sql``;
  return sql`(select count(*)::int from ${spec.table} where ${matching(spec, query)}${inside})`;
}
